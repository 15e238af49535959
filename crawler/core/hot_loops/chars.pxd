"""The characters of a text, for the compiled loops over them."""

from cpython.unicode cimport PyUnicode_DATA, PyUnicode_KIND, PyUnicode_READ


cdef struct Chars:
    # Where the characters of a text are: a loop over them need not ask for it again and again.
    int kind
    void* data


cdef inline Chars chars_of(str text) noexcept:
    return Chars(PyUnicode_KIND(text), PyUnicode_DATA(text))


cdef inline Py_UCS4 code(Chars chars, Py_ssize_t at) noexcept:
    """Return a code point; those beyond the basic plane count as its last."""
    return min(PyUnicode_READ(chars.kind, chars.data, at), 0xFFFFu)
