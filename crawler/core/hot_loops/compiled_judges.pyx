# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""What learned judges make of figures, compiled; ``judges.py`` has the same in Python."""

cimport cython
from cpython.mem cimport PyMem_Free, PyMem_Malloc

import numpy as np


cdef extern from *:
    """
    #if defined(__GLIBC__) && defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
    __attribute__((target_clones("avx512f", "avx2", "default")))
    #endif
    static void keep_leaves(
        unsigned int* kept, const float* its, Py_ssize_t size, float threshold,
        unsigned int low, unsigned int high
    ) {
        for (Py_ssize_t at = 0; at < size; at++)
            kept[at] &= its[at] > threshold ? high : low;
    }
    """
    void keep_leaves(
        unsigned int*, const float*, Py_ssize_t, float, unsigned int, unsigned int
    ) noexcept


cdef inline unsigned int _place(unsigned int bit) noexcept:
    """Return the number of a bit in an order of its own: products with de Bruijn's sequence."""
    return bit * 0x077CB531u >> 27


cdef struct _Node:
    float threshold
    # The node for what is at most the threshold, and the leaves below it as bits.
    int feature, left
    unsigned int below


cdef class Trees:
    cdef _Node* _nodes
    cdef const Py_ssize_t[::1] _roots
    cdef const double[::1] _values
    cdef int _features
    # How many steps lead to the farthest leaf of each eight trees.
    cdef int[::1] _depths
    # The values of the leaves of each tree by :func:`_place`.
    cdef double[:, ::1] _leaves
    cdef bint _is_small

    def __cinit__(self, feature, threshold, left, value, roots):
        cdef const Py_ssize_t[::1] features = feature, lefts = left
        cdef const float[::1] thresholds = threshold
        cdef Py_ssize_t tree, node, number, end = features.shape[0]
        cdef unsigned int bit
        cdef int[::1] steps = np.zeros(end, np.intc)
        self._roots, self._values = roots, value
        self._depths = np.zeros(len(roots) // 8 + 1, np.intc)
        self._leaves = np.empty((len(roots), 32))
        self._is_small = True
        self._features = feature.max(initial=0) + 1
        self._nodes = <_Node*> PyMem_Malloc(max(end, 1) * sizeof(_Node))
        if not self._nodes:
            raise MemoryError
        for node in range(end - 1, -1, -1):
            number = lefts[node]
            self._nodes[node] = _Node(thresholds[node], features[node], number, 0)
            if number > node:
                steps[node] = 1 + max(steps[number], steps[number + 1])
        for tree in range(self._roots.shape[0] - 1, -1, -1):
            self._depths[tree // 8] = max(self._depths[tree // 8], steps[self._roots[tree]])
            bit = 1
            for node in range(end - 1, self._roots[tree] - 1, -1):
                number = lefts[node]
                if number == node and bit:
                    self._nodes[node].below = bit
                    self._leaves[tree, _place(bit)] = self._values[node]
                    bit <<= 1
                elif node < number < end - 1:
                    self._nodes[node].below = (
                        self._nodes[number].below | self._nodes[number + 1].below
                    )
                else:  # a tree of more than 32 leaves, or one that shares nodes with others
                    self._is_small = False
            end = min(end, self._roots[tree])

    def __dealloc__(self):
        PyMem_Free(self._nodes)

    def leaves(self, const float[:, ::1] table):
        cdef Py_ssize_t rows = table.shape[1]
        if table.shape[0] < self._features:
            raise ValueError("a line for each feature")
        found = np.empty((self._roots.shape[0], rows))
        cdef double[:, ::1] out = found
        if rows:
            self._go_down(table, out)
        return found

    def sums(self, const float[:, ::1] table):
        cdef Py_ssize_t rows = table.shape[1]
        if table.shape[0] < self._features:
            raise ValueError("a line for each feature")
        if rows < 32 or not self._is_small:
            return self.leaves(table).sum(axis=0)
        found = np.zeros(rows)
        self._ask_all(table, found)
        return found

    cdef int _ask_all(self, const float[:, ::1] table, double[::1] out) except -1:
        """Ask all nodes of each tree about many rows at once, and see which leaf is left of it.

        That is more work than going down the tree, but the processor does it for several rows in
        one step.
        """
        cdef Py_ssize_t tree, row, number, node, end, size, rows = table.shape[1]
        cdef _Node* its
        cdef unsigned int kept[512]
        for row in range(0, rows, 512):
            size = min(rows - row, 512)
            end = 0
            for tree in range(self._roots.shape[0]):
                node = self._roots[tree]
                end = self._roots[tree + 1] if tree + 1 < self._roots.shape[0] else self._values.shape[0]
                for number in range(size):
                    kept[number] = self._nodes[node].below
                for node in range(node, end):
                    its = &self._nodes[node]
                    if its.left != node:
                        keep_leaves(
                            kept, &table[its.feature, row], size, its.threshold,
                            ~self._nodes[its.left + 1].below, ~self._nodes[its.left].below,
                        )
                for number in range(size):
                    out[row + number] += self._leaves[tree, _place(kept[number])]
        return 0

    cdef int _go_down(self, const float[:, ::1] table, double[:, ::1] out) except -1:
        """Go down eight trees at a time: what one node says, the next step of a tree waits for."""
        cdef Py_ssize_t tree, row, number, step, size, count = self._roots.shape[0]
        cdef int at[8]
        cdef _Node* its
        cdef const float[:, ::1] lines = np.ascontiguousarray(np.asarray(table).T)
        cdef const float* values
        for tree in range(0, count, 8):
            size = min(count - tree, 8)
            for row in range(lines.shape[0]):
                values = &lines[row, 0]
                for number in range(8):
                    at[number] = self._roots[tree + number if number < size else tree]
                for step in range(self._depths[tree // 8]):
                    for number in range(8):
                        its = &self._nodes[at[number]]
                        at[number] = its.left + (values[its.feature] > its.threshold)
                for number in range(size):
                    out[tree + number, row] = self._values[at[number]]
        return 0


def ramps(
    const float[:, ::1] table,
    const Py_ssize_t[::1] places,
    const float[:, ::1] knots,
    const float[:, ::1] slopes,
    const float[::1] shares,
):
    cdef Py_ssize_t rows = table.shape[1], number, row, segment
    cdef float knot, slope, share, step
    found = np.zeros((places.shape[0], rows), np.float32)
    cdef float[:, ::1] out = found
    cdef float* its
    cdef const float* values
    if not (
        knots.shape[0] == slopes.shape[0]
        and knots.shape[1] == slopes.shape[1] == places.shape[0] == shares.shape[0]
    ):
        raise ValueError("a place, knots, slopes and a share for each feature")
    for number in range(places.shape[0]):
        if not 0 <= places[number] < table.shape[0]:
            raise IndexError("the table has no such line")
    if not rows:
        return found
    for number in range(places.shape[0]):
        its, values, share = &out[number, 0], &table[places[number], 0], shares[number]
        for segment in range(knots.shape[0]):
            knot, slope = knots[segment, number], slopes[segment, number]
            if slope == 0:
                break
            for row in range(rows):
                step = (values[row] - knot) * slope
                its[row] += 0 if step < 0 else 1 if step > 1 else step
        for row in range(rows):
            its[row] = its[row] * share - 1
    return found


@cython.cdivision(True)
def means_within(
    const float[:, :] told,
    const double[::1] weights,
    const Py_ssize_t[::1] order,
    const Py_ssize_t[:, :, ::1] ranges,
    const double[:, ::1] whole,
):
    cdef Py_ssize_t count = weights.shape[0], size = told.shape[1], row, at, number, place
    cdef Py_ssize_t low, high, spans = whole.shape[1]
    if not (
        told.shape[0] >= count == order.shape[0] == whole.shape[0] == ranges.shape[1]
        and ranges.shape[0] == 2
        and ranges.shape[2] == spans
    ):
        raise ValueError("a line, a place in the order and as many ranges for each weight")
    for row in range(count):
        if not 0 <= order[row] < count:
            raise IndexError("there is no such row")
        for place in range(spans):
            low, high = ranges[0, row, place], ranges[1, row, place]
            if not (0 <= low < 2 * count + 2 and 0 <= high < 2 * count + 2):
                raise IndexError("there is no such row")
    cdef double[:, ::1] total = np.zeros((2 * count + 2, size))
    found = np.empty((count, spans * size), np.float32)
    cdef float[:, ::1] out = found
    for row in range(count):
        at = order[row]
        for number in range(size):
            total[row + 1, number] = total[row, number] + told[row, number] * weights[row]
            total[count + row + 2, number] = (
                total[count + row + 1, number] + told[at, number] * weights[at]
            )
    for row in range(count):
        for place in range(spans):
            low, high = ranges[0, row, place], ranges[1, row, place]
            for number in range(size):
                out[row, place * size + number] = <float>(
                    (total[high, number] - total[low, number]) / whole[row, place]
                )
    return found
