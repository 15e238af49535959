# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""Loops over the characters of texts, compiled; ``text.py`` has them in Python."""

from cpython.unicode cimport PyUnicode_FromObject, PyUnicode_READ_CHAR, PyUnicode_Tailmatch
from libc.string cimport memchr, memset

import numpy as np

from crawler.core.hot_loops import text as pure
from crawler.core.hot_loops.chars cimport Chars, chars_of, code

cdef extern from "Python.h":
    bint PyUnicode_IS_ASCII(object)

assert (pure.BEGIN_CHARS, pure.MOST_STEMS) == (3, 256)


def without_control(bytes data not None):
    cdef const unsigned char* its = data
    cdef unsigned char char, found = 0
    cdef Py_ssize_t at
    for at in range(len(data)):
        char = its[at]
        found |= (char < 9) | (char == 11) | (<unsigned char> (char - 14) < 18) | (char == 127)
    return data.translate(None, pure.CONTROL) if found else data


cdef inline bint _is_blank(unsigned char char) noexcept nogil:
    return char <= 32 and (char == 32 or char == 9 or char == 10 or char == 12 or char == 13)


cdef inline bint _ends_name(unsigned char char) noexcept nogil:
    return char <= 62 and (char == 62 or char == 47 or _is_blank(char))


def may_have_many_attributes(bytes data not None):
    cdef const unsigned char* its = data
    cdef const unsigned char* found = its
    cdef const unsigned char* quote
    cdef const unsigned char* end = its + len(data)
    cdef const unsigned char* at
    cdef const unsigned char* last
    cdef Py_ssize_t left = pure.READ_AGAIN * len(data)
    cdef int many = pure.MOST_ATTRIBUTES, count
    while True:
        found = <const unsigned char*> memchr(found, c"<", end - found)
        if found == NULL or found + 1 >= end:
            return False
        at = found + 1
        if not (97 <= at[0] | 32 <= 122):
            found = at
            continue
        while at < end and not _ends_name(at[0]):
            at += 1
        last = at
        count = 0
        while True:
            while at < end and (_is_blank(at[0]) or at[0] == c"/"):
                at += 1
            if at == end or at[0] == c">":
                break
            at += 1
            while at < end and at[0] != c"=" and not _ends_name(at[0]):
                at += 1
            last = at
            while at < end and _is_blank(at[0]):
                at += 1
            if at < end and at[0] == c"=":
                at += 1
                while at < end and _is_blank(at[0]):
                    at += 1
                if at < end and (at[0] == 34 or at[0] == 39):
                    quote = <const unsigned char*> memchr(at + 1, at[0], end - at - 1)
                    at = end if quote == NULL else quote + 1
                else:
                    while at < end and not (_is_blank(at[0]) or at[0] == c">"):
                        at += 1
                last = at
            count += 1
            if count == many:
                return True
        left -= last - found
        if left < 0:
            return True
        found += 1


cdef enum:
    # Bits of the classes of ``methods/article/letters.py``, in their order.
    _DENSE = 8
    _STOP = 32
    _WORD = 1 | 4
    _AFTER_STOP = 64 | 128

# As bits whether a character is of a word and not dense, a stop, and what comes behind one.
cdef unsigned char HINTS[256]
for _its in range(256):
    HINTS[_its] = (_its & _WORD > 0 and not _its & _DENSE) | (_its & _STOP > 0) << 1 | (
        _its & _AFTER_STOP > 0
    ) << 2


# The classes of a character as counts, one byte each.
cdef unsigned long long COUNTS[256]
for _its in range(256):
    COUNTS[_its] = sum(1 << 8 * _bit for _bit in range(8) if _its >> _bit & 1)


cdef int _check(str text, const Py_ssize_t[::1] ends, Py_ssize_t codes) except -1:
    """Check that texts end where there are characters, and that all code points have a number."""
    cdef Py_ssize_t number
    for number in range(ends.shape[0]):
        if not 0 <= ends[number] < len(text):
            raise IndexError("a text ends where there is none")
    if codes < 65536:
        raise ValueError("a number for each code point of the basic plane")
    return 0


def class_counts(
    str text not None, const Py_ssize_t[::1] ends, const unsigned char[::1] classes
):
    cdef Py_ssize_t at = 0, number, bit, end
    cdef int its, before, after, words, stops
    cdef unsigned long long counts
    cdef Chars chars = chars_of(text)
    _check(text, ends, classes.shape[0])
    found = np.zeros((12, ends.shape[0]), np.int32)
    cdef int[:, ::1] out = found
    for number in range(ends.shape[0]):
        before = words = stops = 0
        its = out[10, number] = classes[code(chars, at)]
        while at < ends[number]:
            counts = 0
            end = min(ends[number], at + 255)
            while at < end:
                at += 1
                after = classes[code(chars, at)]
                counts += COUNTS[its]
                words += HINTS[its] & ~HINTS[before] & 1
                stops += HINTS[its] & HINTS[after] >> 1 & 2
                before = its
                its = after
            for bit in range(8):
                out[bit, number] += counts >> 8 * bit & 255
        out[8, number], out[9, number], out[11, number] = words, stops >> 1, before
        at += 1
    return found


cdef inline unsigned int _gram(unsigned int one, unsigned int two, unsigned int three) noexcept:
    cdef unsigned int mixed = one * 0x9E3779B1u + two * 0x85EBCA77u + three * 0xC2B2AE3Du
    return (mixed ^ mixed >> 15) & 0xFFFF


def gram_hits(
    str text not None, const Py_ssize_t[::1] ends, others, const unsigned int[::1] lower
):
    cdef Py_ssize_t at, number, end, bit = 0, last = len(text) - 1
    cdef unsigned int one, two, three
    cdef unsigned long long counts
    cdef str other
    cdef Chars chars
    # The sets that have each gram, as bits.
    cdef unsigned char grams[65536]
    _check(text, ends, lower.shape[0])
    memset(grams, 0, sizeof(grams))
    if len(others) > 8:
        raise OverflowError("grams of eight texts at most are told apart")
    for each in others:
        other = PyUnicode_FromObject(each)
        chars = chars_of(other)
        for at in range(2, len(other)):
            one, two = lower[code(chars, at - 2)], lower[code(chars, at - 1)]
            grams[_gram(one, two, lower[code(chars, at)])] |= 1 << bit
        bit += 1
    found = np.zeros((bit, ends.shape[0]), np.int32)
    cdef int[:, ::1] out = found
    chars = chars_of(text)
    if not ends.shape[0]:
        return found
    at, one, two = 0, lower[code(chars, 0)], lower[code(chars, 1)]
    for number in range(ends.shape[0]):
        while at <= ends[number]:
            counts = 0
            end = min(ends[number] + 1, at + 255)
            while at < end:
                three = lower[code(chars, at + 2 if at + 2 < last else last)]
                counts += COUNTS[grams[_gram(one, two, three)]]
                one = two
                two = three
                at += 1
            for bit in range(out.shape[0]):
                out[bit, number] += counts >> 8 * bit & 255
    return found


cdef class CueWords:
    cdef object _missing
    # Words as numbers, each at a place by its number, and their cues.
    cdef unsigned long long _words[8192]
    cdef unsigned long long _cues[8192]

    def __init__(self, missing):
        self._missing = missing

    def masks(self, texts):
        cdef Py_ssize_t number = 0, at, begin, size
        cdef unsigned long long mask
        cdef dict known = {}
        cdef Py_UCS4 char
        cdef str text
        found = np.empty(len(texts), np.uint64)
        cdef unsigned long long[::1] out = found
        for each in texts:
            text = PyUnicode_FromObject(each)  # which may be of a class of its own
            masked = known.get(text)
            if masked is not None:
                out[number] = masked
                number += 1
                continue
            at, mask, size = 0, 0, len(text)
            while at < size:
                char = PyUnicode_READ_CHAR(text, at)
                begin = at
                at += 1
                if u"A" <= char <= u"Z":
                    if at < size and u"a" <= PyUnicode_READ_CHAR(text, at) <= u"z":
                        char = u"a"
                    else:
                        while at < size and u"A" <= PyUnicode_READ_CHAR(text, at) <= u"Z":
                            at += 1
                if u"a" <= char <= u"z":
                    while at < size and u"a" <= PyUnicode_READ_CHAR(text, at) <= u"z":
                        at += 1
                elif not u"A" <= char <= u"Z":
                    continue
                mask |= self._of_word(text, begin, at)
            out[number] = known[text] = mask
            number += 1
        return found

    cdef unsigned long long _of_word(self, str text, Py_ssize_t begin, Py_ssize_t end) except? 0:
        cdef unsigned long long word = 0, place
        cdef Py_ssize_t at
        if end - begin > 10:
            return self._missing(text[begin:end])
        for at in range(begin, end):  # six bits a letter
            word = word << 6 | (<unsigned int> PyUnicode_READ_CHAR(text, at) - 64)
        place = word * 0x9E3779B97F4A7C15u >> 51
        if self._words[place] != word:
            self._cues[place] = self._missing(text[begin:end])
            self._words[place] = word
        return self._cues[place]


def cues_of_word(str word not None, dict begins not None):
    cdef Py_ssize_t at = 0, step, size = len(word)
    cdef unsigned long long found = 0
    cdef str stem, unless
    while at < size:
        step = 1
        stems = begins.get(word[at : at + 3])
        if stems is not None:
            for stem, is_whole, unless, bit in stems:
                if (stem == word if is_whole else PyUnicode_Tailmatch(word, stem, at, size, -1)) and not (
                    unless and PyUnicode_Tailmatch(word, unless, at + len(stem), size, -1)
                ):
                    found |= <unsigned long long> bit
                    step = len(stem)
                    break
        at += step
    return found


cdef class Stems:
    cdef list _stems
    cdef unsigned long long _bits[256]
    # By the first two characters the first stem with them, and behind each the next; -1 for none.
    cdef short _first[4096]
    cdef short _next[256]
    # The third character of each stem; 0 where it has two.
    cdef Py_UCS4 _third[256]

    def __init__(self, bits):
        cdef Py_ssize_t number = 0
        cdef unsigned int place
        cdef str stem
        memset(self._first, 0xFF, sizeof(self._first))
        self._stems = []
        for each, its in bits.items():
            stem = PyUnicode_FromObject(each)
            self._stems.append(stem)
            if number == 256 or len(stem) < 2:
                raise ValueError("there may be 256 stems, of two characters or more")
            place = _two(PyUnicode_READ_CHAR(stem, 0), PyUnicode_READ_CHAR(stem, 1))
            self._bits[number] = its
            self._third[number] = PyUnicode_READ_CHAR(stem, 2) if len(stem) > 2 else 0
            self._next[number] = self._first[place]
            self._first[place] = number
            number += 1

    def masks(self, texts):
        cdef str text
        cdef Py_ssize_t at, size
        cdef short number
        cdef Py_UCS4 before, char, third
        cdef unsigned long long mask
        cdef list found = []
        for each in texts:
            text = PyUnicode_FromObject(each)
            mask, before, at, size = 0, 0, 0, len(text)
            for char in text:
                number = self._first[_two(before, char)]
                before = char
                at += 1
                while number >= 0:
                    third = self._third[number]
                    if (
                        self._bits[number] & ~mask
                        and at > 1
                        and (not third or at < size and PyUnicode_READ_CHAR(text, at) == third)
                        and PyUnicode_Tailmatch(text, <str> self._stems[number], at - 2, size, -1)
                    ):
                        mask |= self._bits[number]
                    number = self._next[number]
            found.append(mask)
        return found


cdef inline unsigned int _two(unsigned int first, unsigned int second) noexcept:
    return (first * 37 ^ second) & 4095


# What ``pure.form_of`` says of the characters that were met, and 0 of others.
cdef unsigned int FORMS[65536]
for _char in range(1, 128):
    FORMS[_char] = pure.form_of(" " if chr(_char) in "\n\t" else chr(_char))


def normal_forms(texts, Py_ssize_t most):
    cdef str text
    cdef Py_ssize_t at, size, letters, longest = 0
    cdef unsigned int its
    cdef Py_UCS4 char
    cdef bint is_label, is_clear
    cdef bytearray held
    cdef unsigned char* form
    cdef list found = [], unclear = []
    texts = [PyUnicode_FromObject(each) for each in texts]
    for text in texts:
        longest = max(longest, len(text))
    held = bytearray(3 * longest + 1)
    form = <unsigned char*> <char*> held
    for text in texts:
        letters = size = 0
        is_clear = True
        for char in text:
            its = FORMS[char] if char < 65536 else <unsigned int> pure.UNCLEAR
            if not its:
                its = FORMS[char] = pure.form_of(chr(char))
            letters += its >> 16 & 1
            if its >> 17:
                unclear.append(len(found))
                is_clear = False
                break
            if letters > most and PyUnicode_IS_ASCII(text):
                break
        if is_clear:
            is_label = 0 < letters <= most
            for char in text:
                its = FORMS[char]
                if its >> 17:
                    unclear.append(len(found))
                    break
                its &= 0xFFFF
                if its == u" ":
                    if not size or form[size - 1] == u" ":
                        continue
                elif is_label and u"0" <= its <= u"9":
                    if size and form[size - 1] == u"0":
                        continue
                    its = u"0"
                if its >= 0x800:
                    form[size], form[size + 1] = 0xE0 | its >> 12, 0x80 | its >> 6 & 63
                    size += 2
                elif its >= 0x80:
                    form[size] = 0xC0 | its >> 6
                    size += 1
                form[size] = its if its < 0x80 else 0x80 | its & 63
                size += 1
            if size and form[size - 1] == u" ":
                size -= 1
        found.append((<char*> form)[:size])
    others = pure.normal_forms([texts[at] for at in unclear], most)
    for at in range(len(unclear)):
        found[unclear[at]] = others[at]
    return found
