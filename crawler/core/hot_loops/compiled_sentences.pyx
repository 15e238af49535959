# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""Where sentences may end in texts, compiled; ``sentences.py`` has the same in Python."""

from cpython.unicode cimport PyUnicode_FromObject, PyUnicode_READ, PyUnicode_READ_CHAR
from libc.string cimport memset

from crawler.core.hot_loops import sentences as pure
from crawler.core.hot_loops.chars cimport Chars, chars_of, code

cdef enum:
    GOES_ON = 0
    ENDS = 1
    PROPOSED = 2
    UNKNOWN = 3
    # Of the last word before a mark, and the first one behind.
    NEVER_LAST = 1
    LAST = 2
    FIRST = 4
    # The greatest lengths that are looked at.
    WORD_CHARS = 40
    CLOSING_CHARS = 20
    MARKER_CHARS = 4
    SIGNS = 10

assert (GOES_ON, ENDS, PROPOSED, UNKNOWN) == (pure.GOES_ON, pure.ENDS, pure.PROPOSED, pure.UNKNOWN)
assert (NEVER_LAST, LAST, FIRST) == (pure.NEVER_LAST, pure.LAST, pure.FIRST)
assert (WORD_CHARS, CLOSING_CHARS) == (pure.WORD_CHARS, pure.CLOSING_CHARS)
assert (MARKER_CHARS, SIGNS) == (pure.MARKER_CHARS, pure.SIGNS)


cdef inline bint _is_small(Py_UCS4 char) noexcept:
    return u"a" <= char <= u"z"


cdef inline bint _is_capital(Py_UCS4 char) noexcept:
    return u"A" <= char <= u"Z"


cdef inline bint _is_latin(Py_UCS4 char) noexcept:
    return _is_small(char) or _is_capital(char)


def cut(kind, text, ends):
    cdef Py_ssize_t begin = 0, end, first, last
    cdef str its = PyUnicode_FromObject(text)  # which may be of a class of its own
    cdef list found = []
    for end in (*ends, len(its)):
        first, last = begin, min(end, len(its))
        while first < last and PyUnicode_READ_CHAR(its, first).isspace():
            first += 1
        while first < last and PyUnicode_READ_CHAR(its, last - 1).isspace():
            last -= 1
        if first < last:
            found.append(tuple.__new__(kind, (its[first:last], first, last)))
        begin = max(begin, end)
    return tuple(found)


cdef class EndMarks:
    # Of each code point of the basic plane: 1 for an end mark, 2 for a break, 4 for what closes
    # behind a mark, 8 for what may enclose.
    cdef unsigned char _kinds[65536]
    cdef dict _words

    def __init__(self, marks, breaks, closers, enclosing, words):
        cdef str chars
        cdef Py_UCS4 char
        memset(self._kinds, 0, sizeof(self._kinds))
        for bit, chars in ((1, marks), (2, breaks), (4, closers), (8, enclosing)):
            for char in chars:
                if char >= 0xFFFF:
                    raise ValueError("marks are of the basic plane")
                self._kinds[char] |= <unsigned char> bit
        self._words = dict(words)

    def within(self, texts):
        cdef Py_ssize_t number = 0, at, size, tail
        cdef str text
        cdef Chars chars
        cdef list found = []
        for each in texts:
            text = PyUnicode_FromObject(each)
            size = tail = len(text)
            chars = chars_of(text)
            while tail and self._kinds[code(chars, tail - 1)] & 5:
                tail -= 1
            for at in range(size):
                if self._kinds[code(chars, at)] & 3 and (at + 1 < tail or size - at > CLOSING_CHARS + 1):
                    found.append(number)
                    break
            number += 1
        return found

    def places(self, text):
        cdef str its = PyUnicode_FromObject(text)
        cdef Py_ssize_t at = self._mark(its, 0)
        while at >= 0:
            yield at, self._judged(its, at)
            at = self._mark(its, at + 1)

    cdef Py_ssize_t _mark(self, str text, Py_ssize_t begin):
        """Return where the next mark is, -1 where none is left."""
        cdef Py_ssize_t at
        cdef Chars chars = chars_of(text)
        for at in range(begin, len(text)):
            if self._kinds[code(chars, at)] & 1:
                return at
        return -1

    def encloses(self, text):
        cdef str its = PyUnicode_FromObject(text)
        cdef Py_ssize_t at, size = len(its)
        cdef Chars chars = chars_of(its)
        for at in range(size):
            # An apostrophe between letters encloses nothing.
            if self._kinds[code(chars, at)] & 8 and not (
                0 < at < size - 1
                and PyUnicode_READ_CHAR(its, at) in u"'\u2019"
                and _is_latin(PyUnicode_READ_CHAR(its, at - 1))
                and _is_latin(PyUnicode_READ_CHAR(its, at + 1))
            ):
                return True
        return False

    cdef int _judged(self, str text, Py_ssize_t at) except -1:
        cdef Py_ssize_t size = len(text), begin = at, end = at + 2, number
        cdef Py_UCS4 char = u" ", after = u" "
        cdef bint is_marker = True
        cdef int its
        if (
            end >= size
            or PyUnicode_READ_CHAR(text, at) != u"."
            or PyUnicode_READ_CHAR(text, at + 1) != u" "
            or not _is_capital(PyUnicode_READ_CHAR(text, end))
        ):
            return UNKNOWN
        while begin and at - begin <= WORD_CHARS and _is_latin(PyUnicode_READ_CHAR(text, begin - 1)):
            begin -= 1
        if not 2 <= at - begin <= WORD_CHARS or (begin and PyUnicode_READ_CHAR(text, begin - 1) != u" "):
            return UNKNOWN
        for number in range(begin, min(at, begin + MARKER_CHARS + 1)):
            is_marker &= PyUnicode_READ_CHAR(text, number) in u"ivxIVX"
        while end < size and end - at <= WORD_CHARS and _is_latin(PyUnicode_READ_CHAR(text, end)):
            end += 1
        if end < size:
            char = PyUnicode_READ_CHAR(text, end)
        if end + 1 < size:
            after = PyUnicode_READ_CHAR(text, end + 1)
        if (
            (is_marker and at - begin <= MARKER_CHARS)
            or end - at > WORD_CHARS
            or char > 127
            or (char in u".-" and (after > 127 or _is_latin(after)))
        ):
            return UNKNOWN
        its = self._words.get(text[begin:at].lower(), 0)
        if its & (NEVER_LAST | LAST):
            return GOES_ON if its & NEVER_LAST else ENDS
        if end == at + 3 and char == u".":
            return PROPOSED
        its = self._words.get(text[at + 2 : end].lower(), 0)
        return ENDS if its & FIRST else PROPOSED


cdef unsigned char MAY_HINT[128]
for _sign in range(128):
    MAY_HINT[_sign] = chr(_sign) in "ABCDEFGHIJKLMNOPQRSTUVWXYZ,:;@*_=#~-"


def hint_spots(text, words):
    cdef str its = PyUnicode_FromObject(text)
    cdef Py_ssize_t at = _spot(its, 0, words)
    while at >= 0:
        yield at
        at = _spot(its, at + 1, words)


cdef Py_ssize_t _spot(str its, Py_ssize_t begin, words) except -2:
    """Return where the next spot is, -1 where none is left."""
    cdef Py_ssize_t at, end, size = len(its)
    cdef Py_UCS4 char, before, after
    cdef bint is_spot
    cdef Chars chars = chars_of(its)
    for at in range(begin, size):
        char = PyUnicode_READ(chars.kind, chars.data, at)
        if char > 127 or not MAY_HINT[char]:
            continue
        is_spot = False
        end = at + 1
        after = PyUnicode_READ_CHAR(its, end) if end < size else u"\0"
        if _is_capital(char):
            if at > 1 and PyUnicode_READ_CHAR(its, at - 1).isspace():
                before = PyUnicode_READ_CHAR(its, at - 2)
                if not (before.isalnum() or before.isspace() or before in u"_)],"):
                    continue
                while end < size and _is_small(PyUnicode_READ_CHAR(its, end)):
                    end += 1
                after = _behind_space(its, end)
                is_spot = (
                    _is_small(after)
                    or after in u",.!"
                    or (end < size and PyUnicode_READ_CHAR(its, end) in u"'\u2019,.!")
                ) and its[at:end].lower() in words
        elif char in u",:;":
            is_spot = char != u";" and _is_capital(_behind_space(its, end))
            if char != u",":
                is_spot |= after in u"-)(DP/" or (char == u":" and after.isdecimal())
        elif char == u"@":
            is_spot = end < size and not after.isspace()
        elif char == after:
            while end < min(size, at + SIGNS) and PyUnicode_READ_CHAR(its, end) == char:
                end += 1
            is_spot = end == at + SIGNS
        if is_spot:
            return at
    return -1


cdef Py_UCS4 _behind_space(str text, Py_ssize_t at) noexcept:
    """Return what stands behind white space, NUL where there is none."""
    cdef Py_ssize_t begin = at
    while at < len(text) and PyUnicode_READ_CHAR(text, at).isspace():
        at += 1
    return PyUnicode_READ_CHAR(text, at) if begin < at < len(text) else u"\0"
