# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""What takes most of the time, compiled. ``pure.py`` has the same functions in Python."""

import numpy as np


def leaf_values(
    const float[:, ::1] table,
    const Py_ssize_t[::1] feature,
    const float[::1] threshold,
    const Py_ssize_t[::1] left,
    const double[::1] value,
    const Py_ssize_t[::1] roots,
    Py_ssize_t depth,
):
    cdef Py_ssize_t row, tree, at, step
    found = np.empty((roots.shape[0], table.shape[0]))
    cdef double[:, ::1] out = found
    # A leaf leads to itself. Without a branch that depends on the row, the processor does the steps
    # of several rows at once.
    for tree in range(roots.shape[0]):
        for row in range(table.shape[0]):
            at = roots[tree]
            for step in range(depth):
                at = left[at] + (table[row, feature[at]] > threshold[at])
            out[tree, row] = value[at]
    return found
