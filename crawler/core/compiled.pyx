# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""What takes most of the time, compiled. ``pure.py`` has the same functions in Python."""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.object cimport PyObject, PyTypeObject, Py_TYPE
from cpython.unicode cimport (
    PyUnicode_DATA, PyUnicode_DecodeUTF8, PyUnicode_FromObject, PyUnicode_KIND, PyUnicode_READ,
    PyUnicode_READ_CHAR, PyUnicode_Tailmatch
)
from libc.string cimport memset, strlen
from lxml.includes cimport etreepublic as lxml_api
from lxml.includes cimport tree as xml

import numpy as np

from crawler.core import pure

cdef extern from "Python.h":
    void PyObject_GC_UnTrack(object)
    bint PyUnicode_IS_ASCII(object)

lxml_api.import_lxml__etree()
assert pure.BEGIN_CHARS == 3


def columns(lxml_api._Element root):
    cdef lxml_api._Document doc = root._doc
    cdef xml.xmlNode* top = root._c_node
    cdef xml.xmlNode* node = top
    cdef xml.xmlNode* child
    cdef xml.xmlAttr* attribute
    cdef Py_ssize_t count
    cdef size_t mixed
    cdef dict known = {}, shared = {}
    cdef _Names recent
    cdef _Named named[256]
    cdef dict values = {name: {} for name in pure.VALUED}
    cdef list nodes = [], tags = [], texts = [], tails = [], names = [], children = [], own
    if top.type != xml.XML_ELEMENT_NODE:
        return pure.columns(root)
    memset(&recent, 0, sizeof(recent))
    memset(&named, 0, sizeof(named))
    while True:
        element = lxml_api.elementFactory(doc, node)
        # An element is part of no cycle: the collector of garbage need not know it.
        PyObject_GC_UnTrack(element)
        nodes.append(element)
        tags.append(_name(node, known, &recent))
        texts.append(_text(node.children))
        tails.append(_text(node.next))
        attribute = node.properties
        mixed = 0
        while attribute:
            mixed = (mixed ^ <size_t> attribute.name) * <size_t> 0x9E3779B97F4A7C15u
            attribute = attribute.next
        mixed >>= 8 * sizeof(size_t) - 8
        if node.properties and not _are_called_alike(node.properties, named[mixed].first):
            own = []
            attribute = node.properties
            while attribute:
                if attribute.type == xml.XML_ATTRIBUTE_NODE:
                    own.append(_name(<xml.xmlNode*> attribute, known, &recent))
                attribute = attribute.next
            its = tuple(own)
            its = shared.setdefault(its, its)
            named[mixed] = _Named(node.properties, <void*> its)
        its = <tuple> named[mixed].names if node.properties else ()
        names.append(its)
        attribute = node.properties
        count = 0
        while attribute:
            if attribute.type == xml.XML_ATTRIBUTE_NODE:
                column = values.get((<tuple> its)[count])
                count += 1
                if column is not None:
                    (<dict> column)[len(nodes) - 1] = _value(node, attribute)
            attribute = attribute.next
        count = 0
        child = node.children
        while child:
            if child.type == xml.XML_ELEMENT_NODE:
                count += 1
            elif child.type in (
                xml.XML_COMMENT_NODE, xml.XML_PI_NODE, xml.XML_ENTITY_REF_NODE
            ):
                # A comment, an instruction or an entity, which no page has that was parsed here.
                return pure.columns(root)
            child = child.next
        children.append(count)
        child = _next_element(node.children)
        while not child:
            if node is top:
                return nodes, tags, texts, tails, names, values, children
            child = _next_element(node.next)
            if not child:
                node = node.parent
        node = child


cdef xml.xmlNode* _next_element(xml.xmlNode* node) noexcept:
    while node and node.type != xml.XML_ELEMENT_NODE:
        node = node.next
    return node


cdef struct _Named:
    # The attributes of an element, and their names, which ``shared`` holds.
    xml.xmlAttr* first
    void* names


cdef bint _are_called_alike(xml.xmlAttr* one, xml.xmlAttr* other) noexcept:
    while one and other and one.name == other.name and one.ns == other.ns:
        one, other = one.next, other.next
    return not one and not other


cdef struct _Names:
    # By places in memory the names that were read of late; ``known`` holds all.
    const void* places[256]
    void* names[256]


cdef _name(xml.xmlNode* node, dict known, _Names* recent):
    """Return a name as lxml gives it; libxml2 keeps each name once in a document."""
    cdef size_t place = <size_t> node.name
    cdef size_t at = (place >> 3) & 255
    if lxml_api._getNs(node):
        return lxml_api.namespacedName(node)
    if recent.places[at] == node.name:
        return <object> recent.names[at]
    name = known.get(place)
    if name is None:
        name = known[place] = _decoded(node.name)
    recent.places[at], recent.names[at] = node.name, <void*> name
    return name


cdef _value(xml.xmlNode* node, xml.xmlAttr* attribute):
    """Return the value of an attribute as lxml gives it."""
    cdef xml.xmlNode* text = attribute.children
    if text and not text.next and text.type == xml.XML_TEXT_NODE and text.content:
        return _decoded(text.content)
    return lxml_api.attributeValue(node, attribute)


cdef _decoded(xml.const_xmlChar* text):
    return PyUnicode_DecodeUTF8(<const char*> text, strlen(<const char*> text), NULL)


cdef _text(xml.xmlNode* node):
    """Return the text that begins at a node, None for none."""
    found = None
    while node:
        if node.type == xml.XML_TEXT_NODE or node.type == xml.XML_CDATA_SECTION_NODE:
            if node.content:
                part = _decoded(node.content)
                found = part if found is None else found + part
        elif node.type != xml.XML_XINCLUDE_START and node.type != xml.XML_XINCLUDE_END:
            break
        node = node.next
    return found


def short_texts(list tags, list texts, list tails, unread, Py_ssize_t most):
    cdef Py_ssize_t number
    cdef list places = [], found = []
    cdef str text
    for number in range(len(tags)):
        text = texts[number]
        if text is not None and 1 < len(text) < most:
            if not text.isspace() and tags[number] not in unread:
                places.append(2 * number)
                found.append(text)
        text = tails[number]
        if text is not None and 1 < len(text) < most and not text.isspace():
            places.append(2 * number + 1)
            found.append(text)
    return places, found


def without_control(bytes data):
    cdef const unsigned char* its = data
    cdef unsigned char char, found = 0
    cdef Py_ssize_t at
    for at in range(len(data)):
        char = its[at]
        found |= (char < 9) | (char == 11) | (<unsigned char> (char - 14) < 18) | (char == 127)
    return data.translate(None, pure.CONTROL) if found else data


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
        cdef unsigned int kept[128]
        for row in range(0, rows, 128):
            size = min(rows - row, 128)
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


cdef enum:
    # Bits of the classes of ``methods/article/letters.py``, in their order.
    _DENSE = 8
    _STOP = 32
    _WORD = 1 | 4
    _AFTER_STOP = 64 | 128


cdef struct _Chars:
    # Where the characters of a text are: a loop over them need not ask for it again and again.
    int kind
    void* data


cdef inline _Chars _chars_of(str text) noexcept:
    return _Chars(PyUnicode_KIND(text), PyUnicode_DATA(text))


cdef inline Py_UCS4 _code(_Chars chars, Py_ssize_t at) noexcept:
    """Return a code point; those beyond the basic plane count as its last."""
    return min(PyUnicode_READ(chars.kind, chars.data, at), 0xFFFFu)


# The classes of a character as counts, one byte each.
cdef unsigned long long COUNTS[256]
for _its in range(256):
    COUNTS[_its] = sum(1 << 8 * _bit for _bit in range(8) if _its >> _bit & 1)


def class_counts(str text, const Py_ssize_t[::1] ends, const unsigned char[::1] classes):
    cdef Py_ssize_t at = 0, number, bit, end
    cdef int its, before, after, words, stops
    cdef unsigned long long counts
    cdef _Chars chars = _chars_of(text)
    found = np.zeros((12, ends.shape[0]), np.int32)
    cdef int[:, ::1] out = found
    for number in range(ends.shape[0]):
        before = words = stops = 0
        its = out[10, number] = classes[_code(chars, at)]
        while at < ends[number]:
            counts = 0
            end = min(ends[number], at + 255)
            while at < end:
                at += 1
                after = classes[_code(chars, at)]
                counts += COUNTS[its]
                if its & _WORD and not its & _DENSE and (not before & _WORD or before & _DENSE):
                    words += 1
                if its & _STOP and after & _AFTER_STOP:
                    stops += 1
                before = its
                its = after
            for bit in range(8):
                out[bit, number] += counts >> 8 * bit & 255
        out[8, number], out[9, number], out[11, number] = words, stops, before
        at += 1
    return found


cdef inline unsigned int _gram(unsigned int one, unsigned int two, unsigned int three) noexcept:
    cdef unsigned int mixed = one * 0x9E3779B1u + two * 0x85EBCA77u + three * 0xC2B2AE3Du
    return (mixed ^ mixed >> 15) & 0xFFFF


def gram_hits(str text, const Py_ssize_t[::1] ends, others, const unsigned int[::1] lower):
    cdef Py_ssize_t at, number, bit = 0, last = len(text) - 1
    cdef unsigned int one, two, three, its
    cdef str other
    cdef _Chars chars
    # The sets that have each gram, as bits.
    cdef unsigned char grams[65536]
    memset(grams, 0, sizeof(grams))
    if len(others) > 8:
        raise OverflowError("grams of eight texts at most are told apart")
    for other in others:
        chars = _chars_of(other)
        for at in range(2, len(other)):
            one, two = lower[_code(chars, at - 2)], lower[_code(chars, at - 1)]
            grams[_gram(one, two, lower[_code(chars, at)])] |= 1 << bit
        bit += 1
    found = np.zeros((bit, ends.shape[0]), np.int32)
    cdef int[:, ::1] out = found
    chars = _chars_of(text)
    at, one, two = 0, lower[_code(chars, 0)], lower[_code(chars, 1)]
    for number in range(ends.shape[0]):
        while at <= ends[number]:
            three = lower[_code(chars, at + 2 if at + 2 < last else last)]
            its = grams[_gram(one, two, three)]
            if its:
                for bit in range(out.shape[0]):
                    out[bit, number] += its >> bit & 1
            one = two
            two = three
            at += 1
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
        for text in texts:
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


def cues_of_word(str word, dict begins):
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


def described(blocks, dict tags, Py_ssize_t other):
    cdef Py_ssize_t number = 0
    cdef dict times = {}
    cdef list keys = []
    cdef str text
    cdef Py_UCS4 last
    found = np.empty((7, len(blocks)))
    cdef double[:, ::1] out = found
    for block in blocks:
        text, key = block.text, block.key
        out[0, number], out[1, number] = block.chars, block.link_chars
        out[2, number], out[3, number] = block.links, tags.get(block.tag, other)
        out[4, number] = text.count("\n")
        last = PyUnicode_READ_CHAR(text, len(text) - 1)
        out[5, number] = last == u":" or last == u"\uff1a"
        times[key] = times.get(key, 0) + 1
        keys.append(key)
        number += 1
    for number in range(len(keys)):
        out[6, number] = times[keys[number]]
    return found


def made(kind, *columns):
    cdef list found = [], slots = [kind.__dict__[name] for name in kind.__slots__]
    cdef tuple values
    cdef Py_ssize_t at
    if len(columns) != len(slots):
        raise TypeError(f"{kind.__name__} has {len(slots)} fields, not {len(columns)}")
    for values in zip(*columns, strict=True):
        one = (<PyTypeObject*> kind).tp_new(kind, <PyObject*> (), NULL)
        for at in range(len(slots)):
            (<PyTypeObject*> Py_TYPE(slots[at])).tp_descr_set(slots[at], one, values[at])
        # It can be part of no cycle: the collector of garbage need not know it.
        PyObject_GC_UnTrack(one)
        found.append(one)
    return found


def numbered(blocks):
    cdef dict numbers = {}, paths = {}
    cdef list holders = [], parents = [], begins = [], new
    cdef Py_ssize_t index = 0, number, around
    found_at = np.empty(len(blocks), np.intp)
    cdef Py_ssize_t[::1] at = found_at
    for block in blocks:
        here = holder = block.holder
        new = []
        while here is not None and here not in numbers:
            new.append(here)
            here = here.parent
        around = -1 if here is None else numbers[here]
        for here in reversed(new):
            number = len(holders)
            numbers[here] = number
            holders.append(here)
            parents.append(number if around < 0 else around)
            begins.append(index)
            around = number
        if holder is None:
            raise ValueError("the blocks of a layout have to stand in elements")
        at[index] = numbers[holder]
        index += 1
    found = np.zeros((6, len(holders)), np.intp)
    cdef Py_ssize_t[:, ::1] out = found
    for number in range(len(holders)):
        holder = holders[number]
        out[0, number] = out[1, number] = parents[number]
        out[2, number] = begins[number]
        out[4, number] = holder.depth
        out[5, number] = paths.setdefault(holder.path, len(paths))
    for index in range(at.shape[0]):
        out[3, at[index]] = index + 1
    for number in range(len(holders) - 1, -1, -1):
        around = out[0, number]
        out[3, around] = max(out[3, around], out[3, number])
    for number in range(len(holders)):
        around = out[0, number]
        if out[2, around] == out[2, number] and out[3, around] == out[3, number]:
            out[1, number] = out[1, around]
    return holders, [found_at, *found]


def distances(
    const unsigned long long[::1] signs,
    const Py_ssize_t[::1] parent,
    Py_ssize_t count,
    unsigned char far,
):
    cdef Py_ssize_t number, bit
    found = np.empty((signs.shape[0], count), np.uint8)
    cdef unsigned char[:, ::1] out = found
    cdef unsigned char* its
    cdef unsigned char* around
    for number in range(signs.shape[0]):
        its, around = &out[number, 0], &out[parent[number], 0]
        for bit in range(count):
            if signs[number] >> bit & 1:
                its[bit] = 0
            else:
                its[bit] = far if parent[number] == number or around[bit] == far else around[bit] + 1
    return found


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


def means_within(
    const float[:, :] told,
    const double[::1] weights,
    const Py_ssize_t[::1] order,
    const Py_ssize_t[:, :, ::1] ranges,
    const double[:, ::1] whole,
):
    cdef Py_ssize_t count = weights.shape[0], size = told.shape[1], row, at, number, place
    cdef Py_ssize_t low, high
    cdef double[:, ::1] total = np.zeros((2 * count + 2, size))
    found = np.empty((count, whole.shape[1] * size), np.float32)
    cdef float[:, ::1] out = found
    for row in range(count):
        at = order[row]
        for number in range(size):
            total[row + 1, number] = total[row, number] + told[row, number] * weights[row]
            total[count + row + 2, number] = (
                total[count + row + 1, number] + told[at, number] * weights[at]
            )
    for row in range(count):
        for place in range(whole.shape[1]):
            low, high = ranges[0, row, place], ranges[1, row, place]
            for number in range(size):
                out[row, place * size + number] = <float>(
                    (total[high, number] - total[low, number]) / whole[row, place]
                )
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
        cdef Py_ssize_t number
        cdef unsigned int place
        memset(self._first, 0xFF, sizeof(self._first))
        self._stems = list(bits)
        if len(self._stems) > 256 or not all(len(stem) > 1 for stem in self._stems):
            raise ValueError("there may be 256 stems, of two characters or more")
        for number in range(len(self._stems)):
            stem = <str> self._stems[number]
            place = _two(PyUnicode_READ_CHAR(stem, 0), PyUnicode_READ_CHAR(stem, 1))
            self._bits[number] = bits[stem]
            self._third[number] = PyUnicode_READ_CHAR(stem, 2) if len(stem) > 2 else 0
            self._next[number] = self._first[place]
            self._first[place] = number

    def masks(self, texts):
        cdef str text
        cdef Py_ssize_t at, size
        cdef short number
        cdef Py_UCS4 before, char, third
        cdef unsigned long long mask
        cdef list found = []
        for text in texts:
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


cdef enum:
    GOES_ON = 0
    ENDS = 1
    PROPOSED = 2
    UNCLEAR = 3
    # Of the last word before a mark, and the first one behind.
    NEVER_LAST = 1
    LAST = 2
    FIRST = 4

assert (GOES_ON, ENDS, PROPOSED, UNCLEAR) == (pure.GOES_ON, pure.ENDS, pure.PROPOSED, pure.UNKNOWN)
assert (NEVER_LAST, LAST, FIRST) == (pure.NEVER_LAST, pure.LAST, pure.FIRST)


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
        cdef _Chars chars
        cdef list found = []
        for each in texts:
            text = PyUnicode_FromObject(each)
            size = tail = len(text)
            chars = _chars_of(text)
            while tail and self._kinds[_code(chars, tail - 1)] & 5:
                tail -= 1
            for at in range(size):
                if self._kinds[_code(chars, at)] & 3 and (at + 1 < tail or size - at > 21):
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
        cdef _Chars chars = _chars_of(text)
        for at in range(begin, len(text)):
            if self._kinds[_code(chars, at)] & 1:
                return at
        return -1

    def encloses(self, text):
        cdef str its = PyUnicode_FromObject(text)
        cdef Py_ssize_t at, size = len(its)
        cdef _Chars chars = _chars_of(its)
        for at in range(size):
            # An apostrophe between letters encloses nothing.
            if self._kinds[_code(chars, at)] & 8 and not (
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
            return UNCLEAR
        while begin and at - begin <= 40 and _is_latin(PyUnicode_READ_CHAR(text, begin - 1)):
            begin -= 1
        if not 2 <= at - begin <= 40 or (begin and PyUnicode_READ_CHAR(text, begin - 1) != u" "):
            return UNCLEAR
        for number in range(begin, min(at, begin + 5)):
            is_marker &= PyUnicode_READ_CHAR(text, number) in u"ivxIVX"
        while end < size and end - at <= 40 and _is_latin(PyUnicode_READ_CHAR(text, end)):
            end += 1
        if end < size:
            char = PyUnicode_READ_CHAR(text, end)
        if end + 1 < size:
            after = PyUnicode_READ_CHAR(text, end + 1)
        if (
            (is_marker and at - begin < 5)
            or end - at > 40
            or char > 127
            or (char in u".-" and (after > 127 or _is_latin(after)))
        ):
            return UNCLEAR
        its = self._words.get(text[begin:at].lower(), 0)
        if its & (NEVER_LAST | LAST):
            return GOES_ON if its & NEVER_LAST else ENDS
        if end == at + 3 and char == u".":
            return PROPOSED
        its = self._words.get(text[at + 2 : end].lower(), 0)
        return ENDS if its & FIRST else PROPOSED


cdef unsigned char SIGNS[128]
for _sign in range(128):
    SIGNS[_sign] = chr(_sign) in "ABCDEFGHIJKLMNOPQRSTUVWXYZ,:;@*_=#~-"


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
    cdef _Chars chars = _chars_of(its)
    for at in range(begin, size):
        char = PyUnicode_READ(chars.kind, chars.data, at)
        if char > 127 or not SIGNS[char]:
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
            while end < min(size, at + 10) and PyUnicode_READ_CHAR(its, end) == char:
                end += 1
            is_spot = end == at + 10
        if is_spot:
            return at
    return -1


cdef Py_UCS4 _behind_space(str text, Py_ssize_t at) noexcept:
    """Return what stands behind white space, NUL where there is none."""
    cdef Py_ssize_t begin = at
    while at < len(text) and PyUnicode_READ_CHAR(text, at).isspace():
        at += 1
    return PyUnicode_READ_CHAR(text, at) if begin < at < len(text) else u"\0"
