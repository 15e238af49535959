# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""The walk that cuts a page into blocks, compiled. ``cutter.py`` has the same in Python."""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.object cimport PyObject, PyTypeObject, Py_TYPE

from crawler.core.page import cut_rules, cutter, elements as known
from crawler.core.page.blocks import Block, Holder
from crawler.core.page.cut_rules import CutRules, add_formula, add_lines, end_line, flows
from crawler.core.page.elements import class_look, is_code, is_permalink, look_of
from crawler.core.page.text import LINE_BEGINS, LINE_ENDS
from crawler.core.page.text import drop_unseen, fold_code, fold_lines, one_line

cdef enum:
    # What the end of an element requires, and what a look says, as in Python.
    CLOSED = -1
    PLAIN = 0
    LINK = 1
    BUTTON = 2
    BLOCK = 4
    LINE = 8
    KEEPS = 16
    HIDDEN = 1
    FLOWS = 128
    # What the tag of an element tells.
    SPECIAL = 1
    INLINE = 2
    OF_HTML = 4
    NUMBERED = 8
    TELLING = 16
    KEEPS_SPACE = 32
    HEADING = 64
    CELL = 128
    SHUT = 256
    # What the names of its attributes tell.
    STYLED = 1
    NAMED = 2
    LEADS = 4
    SPEAKS = 8

assert (HIDDEN, LINE, KEEPS, FLOWS) == (known.HIDDEN, known.LINE, known.KEEPS, known.FLOWS)
assert (CLOSED, LINK, BUTTON, BLOCK) == (cutter.CLOSED, cutter.LINK, cutter.BUTTON, cutter.BLOCK)

cdef dict TRAITS = {}
for _trait, _tags in (
    (SPECIAL, cutter.SPECIAL), (INLINE, known.INLINE), (OF_HTML, known.BLOCKS),
    (NUMBERED, cutter.NUMBERED), (TELLING, cutter.TELLING), (KEEPS_SPACE, cut_rules.KEEPS_LINES),
    (HEADING, known.HEADINGS), (CELL, cut_rules.CELLS), (SHUT, known.SHUT),
):
    for _tag in _tags:
        TRAITS[_tag] = TRAITS.get(_tag, 0) | _trait
cdef dict TOLD = {
    "style": STYLED, "hidden": STYLED, "id": NAMED, "role": NAMED, "itemprop": NAMED,
    "href": LEADS, "alt": SPEAKS,
}
# The last four characters that were read, as a number, find a stem in a table by its hash.
cdef enum:
    PLACES = 4096
cdef unsigned int STEMS[PLACES]
cdef inline unsigned int _place(unsigned int four) noexcept:
    return four * 2654435761u >> 20
for _stem in known.STEMS:
    _four = int.from_bytes(_stem.encode("ascii"), "big")
    assert not STEMS[_place(_four)]
    STEMS[_place(_four)] = _four
cdef Py_ssize_t NAME_CHARS = cut_rules.NAME_CHARS
cdef Py_ssize_t CLASS_CHARS = known.CLASS_CHARS


cdef extern from "Python.h":
    # Neither blocks nor holders can be part of a cycle: the collector of garbage need not know them.
    void PyObject_GC_UnTrack(object)
    bint PyUnicode_IS_ASCII(object)
    const unsigned char* PyUnicode_1BYTE_DATA(object)

cdef list BLOCK_SLOTS = [Block.__dict__[name] for name in Block.__slots__]
cdef list HOLDER_SLOTS = [Holder.__dict__[name] for name in Holder.__slots__]
assert (len(BLOCK_SLOTS), len(HOLDER_SLOTS)) == (10, 6)


cdef _made(kind, list slots, tuple values):
    """Make a block or a holder as its ``__init__`` does, which takes several times as long."""
    made = (<PyTypeObject*> kind).tp_new(kind, <PyObject*> (), NULL)
    cdef Py_ssize_t at
    for at in range(len(slots)):
        (<PyTypeObject*> Py_TYPE(slots[at])).tp_descr_set(slots[at], made, values[at])
    PyObject_GC_UnTrack(made)
    return made


cdef class Cutter:
    cdef readonly object elements, code, rules
    cdef readonly list blocks, pieces
    cdef public object holder
    cdef public bint keeps
    cdef str _title
    cdef Py_ssize_t _link_chars, _links, _open_links, _keeping
    cdef list _nodes, _tags, _texts, _tails, _names, _children, _inner
    cdef dict _classes, _paths, _told, _looks, _styles, _hidden
    cdef list _naming

    def __init__(self, elements, title="", around=None):
        self.elements, self.code, self.rules = elements, None, CutRules()
        self.blocks, self.pieces = [], []
        self.holder = around or Holder("", "", None, 0, "")
        self.keeps = _traits(self.holder.tag) & KEEPS_SPACE
        self._title = title[: cutter.TITLE_CHARS]
        self._nodes, self._tags, self._texts = elements.nodes, elements.tags, elements.texts
        self._tails, self._names, self._classes = elements.tails, elements.names, elements.values["class"]
        self._children, self._inner = elements.children, []
        self._paths, self._told, self._looks = {}, {}, {}
        self._styles, self._hidden = elements.values["style"], elements.values["hidden"]
        self._naming = [elements.values[name] for name in cut_rules.NAMING]

    def cut(self):
        cdef Py_ssize_t size = len(self._tags)
        # Of the open elements: children left, what closing each requires, and its number.
        cdef Py_ssize_t* opened = <Py_ssize_t*> PyMem_Malloc(3 * (size + 1) * sizeof(Py_ssize_t))
        if not opened:
            raise MemoryError
        try:
            self._visit(size, opened)
        finally:
            PyMem_Free(opened)
        cut_rules.set_keys(self.blocks, self._title)
        return tuple(self.blocks)

    cdef _visit(self, Py_ssize_t size, Py_ssize_t* top):
        cdef Py_ssize_t number = 0, here, left, depth = 0
        cdef int kind
        while number < size:
            here = number
            number += 1
            kind = self._enter(here)
            left = self._children[here]
            if kind == CLOSED:
                while left:
                    left += <Py_ssize_t> self._children[number] - 1
                    number += 1
            elif left:
                top += 3
                depth += 1
                top[0], top[1], top[2] = left, kind, here
                continue
            elif kind:
                self._leave(kind)
            while depth:
                # The text behind an element is text of the one around it.
                self._read(self._tails[here])
                top[0] -= 1
                if top[0]:
                    break
                kind, here = top[1], top[2]
                top -= 3
                depth -= 1
                if kind:
                    self._leave(kind)
            else:
                self.flush()

    cdef int _enter(self, Py_ssize_t number) except -2:
        cdef int kind, look = 0, told = 0, traits
        tag, attributes, names = self._tags[number], self._names[number], None
        traits = _traits(tag)
        if traits & SHUT:
            return CLOSED
        if traits & SPECIAL and not self.rules.is_entered(self, self._nodes[number], tag):
            return CLOSED
        if attributes:
            told = self._told_by(attributes)
            names = self._classes.get(number)
            if names:
                look = self._look_of(names)
            if told & STYLED:
                style = self._styles.get(number)
                if style:
                    look |= <int> look_of(style)
                if number in self._hidden:
                    look |= HIDDEN
            if look and self.rules.is_left_out(self, self._nodes[number], tag, look):
                return CLOSED
        if traits & INLINE or (
            (look & FLOWS or not traits & OF_HTML) and flows(self, self._nodes[number])
        ):
            kind = self._enter_inline(number, tag, names, traits, told)
            if kind == CLOSED:
                return CLOSED
            kind |= look & (LINE | KEEPS)
        elif self.code is self.holder:
            # A block-level element within code is a line of it, a cell a part of a line.
            kind = look & KEEPS | (0 if traits & CELL else LINE)
        else:
            kind = look & KEEPS | BLOCK
            self._enter_block(number, tag, names, traits, told)
        if kind & LINE:
            end_line(self, LINE_BEGINS)
        if kind & KEEPS:
            self._keeping += 1
        self._read(self._texts[number])
        return kind

    cdef int _look_of(self, str names) except -1:
        found = self._looks.get(names)
        if found is None:
            found = class_look(names[:CLASS_CHARS]) if _may_tell(names) else 0
            self._looks[names] = found
        return found

    cdef int _told_by(self, attributes) except -1:
        cdef int told = 0
        found = self._told.get(attributes)
        if found is None:
            for name in attributes:
                told |= <int> TOLD.get(name, 0)
            self._told[attributes] = found = told
        return found

    cdef str _named(self, Py_ssize_t number):
        cdef list names = []
        for column in self._naming:
            name = (<dict> column).get(number)
            if name is not None:
                names.append((<str> name)[:NAME_CHARS])
        return " ".join(names)

    cdef _enter_block(self, Py_ssize_t number, tag, names, int traits, int told):
        if self.pieces:
            self.flush()
        around, place = self.holder, 0
        if told & NAMED:
            names = self._named(number)
        else:
            names = (<str> names)[:NAME_CHARS] if names else ""
        if traits & NUMBERED:
            place = self.rules.number(around, self._nodes[number], tag, self._names[number])
        path = self.path_of(tag)
        its = tag, names, around, around.depth + 1, path, place
        self.holder = _made(Holder, HOLDER_SLOTS, its)
        self.keeps = traits & KEEPS_SPACE
        if self.keeps and is_code(self._nodes[number]):
            self.code = self.holder

    cdef int _enter_inline(self, Py_ssize_t number, tag, names, int traits, int told) except -2:
        cdef int kind = PLAIN
        if told & LEADS and tag == "a":
            if _traits(self.holder.tag) & HEADING and is_permalink(self._nodes[number]):
                return CLOSED
            self._open_links += 1
            self._links += 1
            kind = LINK
        elif traits & SPECIAL and tag == "button":
            self.add(" ")
            kind = BUTTON
        elif told & SPEAKS and names and tag == "img":
            add_formula(self, self._nodes[number])
        if traits & TELLING:
            self._inner.append(tag)
        if names is not None:
            self._inner.append((<str> names)[:NAME_CHARS])
        return kind

    cdef _leave(self, int kind):
        if kind & LINE:
            end_line(self, LINE_ENDS)
        if kind & KEEPS:
            self._keeping -= 1
        if kind & BLOCK:
            if self.pieces:
                self.flush()
            self.holder = self.holder.parent or self.holder
            self.keeps = _traits(self.holder.tag) & KEEPS_SPACE
        elif kind & LINK:
            self._open_links -= 1
        elif kind & BUTTON:
            self.add(" ")

    cpdef path_of(self, tag):
        path = self.holder.path
        # Most elements have the path of another one, and share its string.
        extended = self._paths.get(path)
        if extended is None:
            extended = self._paths[path] = {}
        found = (<dict> extended).get(tag)
        if found is None:
            found = (<dict> extended)[tag] = cut_rules.extended(path, tag)
        return found

    cdef _read(self, text):
        if text is None:
            return
        if self._keeping:
            add_lines(self, text)
        else:
            self.add(text)

    cpdef add(self, str text):
        cdef Py_UCS4 char
        cdef Py_ssize_t at, spaces = 0, others = 0
        cdef bint is_shown = True
        cdef const unsigned char* its
        if PyUnicode_IS_ASCII(text):
            its = PyUnicode_1BYTE_DATA(text)
            for at in range(len(text)):
                spaces += its[at] == 32
                others += its[at] < 32 or its[at] == 127
            is_shown = not others
            if others and spaces + others == len(text) and not text.isspace():
                others = 0
        else:
            for char in text:
                if char == u" ":
                    spaces += 1
                elif (char < u" " or char > u"~") and not char.isprintable():
                    is_shown = False
                    others += char.isspace()
        if spaces + others == len(text):
            if not text:
                return
            if not self.keeps:
                # White space after white space shows nothing.
                if not self.pieces or self.pieces[len(self.pieces) - 1] in (" ", "\n"):
                    return
                text, spaces = " ", 1
        elif not is_shown:
            text = drop_unseen(text) if self.keeps else one_line(text)
            if not text:
                return
        self.pieces.append(text)
        if self._open_links:
            self._link_chars += len(text) - spaces if is_shown else len("".join(text.split()))

    cpdef flush(self):
        cdef Py_ssize_t chars = -1
        if not self.pieces:
            return
        text = "".join(self.pieces)
        self.pieces.clear()
        text = fold_code(text) if self.keeps else _folded(text, &chars)
        # Marks of direction alone are nothing to read.
        if text and ((<str> text)[0].isprintable() or cut_rules.is_shown(text)):
            holder = self.holder
            if chars < 0:
                chars = _chars(text)
            inner = " ".join(self._inner) if self._inner else ""
            its = (
                len(self.blocks), text, holder.tag, holder.path, 0, chars,
                min(self._link_chars, chars), holder, inner, self._links,
            )
            self.blocks.append(_made(Block, BLOCK_SLOTS, its))
            self._inner.clear()
        self._link_chars = self._links = 0


cdef int _traits(tag) except -1:
    found = TRAITS.get(tag)
    return 0 if found is None else found


cdef bint _may_tell(str names) noexcept:
    """Tell whether classes have a stem of those that tell of a look."""
    cdef unsigned int four = 0, letter
    cdef Py_UCS4 char
    for char in names:
        letter = char
        if letter > 127:  # it may be another form of a letter
            return True
        if 65 <= letter <= 90:  # of A to Z
            letter |= 32
        four = four << 8 | letter
        if STEMS[_place(four)] == four or four & 0xFFFF == 0x6C6E:  # "ln"
            return True
    return False


cdef Py_ssize_t _chars(str text) noexcept:
    cdef Py_ssize_t chars = 0
    cdef Py_UCS4 char
    for char in text:
        chars += char != u" " and char != u"\n" and char != u"\t"
    return chars


cdef str _folded(str text, Py_ssize_t* chars):
    """Fold white space as ``fold_lines`` does, which is asked where more than spaces are folded.

    Of most texts it counts the characters too.
    """
    cdef Py_ssize_t begin = 0, end = len(text), place, spaces = 0
    cdef Py_UCS4 char, before = u" "
    cdef const unsigned char* its
    cdef bint is_folded = True
    while begin < end and text[begin] == u" ":
        begin += 1
    while begin < end and text[end - 1] == u" ":
        end -= 1
    if PyUnicode_IS_ASCII(text):
        its = PyUnicode_1BYTE_DATA(text)
        for place in range(begin, end):
            spaces += its[place] == 32
            # A zero, or a space that is left out, stands behind the last one.
            is_folded &= its[place] >= 32 and not (its[place] == 32 and its[place + 1] == 32)
        chars[0] = end - begin - spaces if is_folded else -1
        return text[begin:end] if is_folded else fold_lines(text)
    for place in range(begin, end):
        char = text[place]
        if char == u" ":
            if before == u" ":
                return fold_lines(text)
        elif (char < u" " or char > u"~") and char.isspace():
            return fold_lines(text)
        before = char
    return text[begin:end]
