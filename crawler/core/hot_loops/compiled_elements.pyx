# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""Loops over the elements and blocks of a page, compiled; ``elements.py`` has them in Python."""

from cpython.object cimport PyObject, PyTypeObject, Py_TYPE
from cpython.unicode cimport PyUnicode_DecodeUTF8, PyUnicode_READ_CHAR
from libc.string cimport memset, strlen
from lxml.includes cimport etreepublic as lxml_api
from lxml.includes cimport tree as xml

import numpy as np

from crawler.core.hot_loops import elements as pure

cdef extern from "Python.h":
    void PyObject_GC_UnTrack(object)
    Py_ssize_t PyUnicode_FindChar(object, Py_UCS4, Py_ssize_t, Py_ssize_t, int) except -2

lxml_api.import_lxml__etree()


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


def described(blocks, dict tags, Py_ssize_t other):
    cdef Py_ssize_t number = 0, first
    cdef dict firsts = {}
    cdef str text
    cdef Py_UCS4 last
    found = np.zeros((7, len(blocks)))
    cdef double[:, ::1] out = found
    # The first block with the text of each.
    first_of = np.empty(len(blocks), np.intp)
    cdef Py_ssize_t[::1] same = first_of
    for block in blocks:
        text, key = block.text, block.key
        out[0, number], out[1, number] = block.chars, block.link_chars
        out[2, number], out[3, number] = block.links, tags.get(block.tag, other)
        if PyUnicode_FindChar(text, u"\n", 0, len(text), 1) >= 0:
            out[4, number] = text.count("\n")
        last = PyUnicode_READ_CHAR(text, len(text) - 1)
        out[5, number] = last == u":" or last == u"\uff1a"
        first = same[number] = firsts.setdefault(key, number)
        out[6, first] += 1
        number += 1
    for number in range(same.shape[0]):
        out[6, number] = out[6, same[number]]
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
    cdef dict numbers = {}, paths = {}, tags = {}, names = {}
    cdef list holders = [], parents = [], begins = [], new
    cdef Py_ssize_t index = 0, number, around
    found_at = np.empty(len(blocks), np.intp)
    cdef Py_ssize_t[::1] at = found_at
    for block in blocks:
        here = holder = block.holder
        new = []
        around = -1
        while here is not None:
            known = numbers.get(here)
            if known is not None:
                around = known
                break
            new.append(here)
            here = here.parent
        for here in reversed(new):
            number = len(holders)
            numbers[here] = number
            holders.append(here)
            parents.append(number if around < 0 else around)
            begins.append(index)
            around = number
        if holder is None:
            raise ValueError("the blocks of a layout have to stand in elements")
        at[index] = around
        index += 1
    found = np.zeros((8, len(holders)), np.intp)
    cdef Py_ssize_t[:, ::1] out = found
    for number in range(len(holders)):
        holder = holders[number]
        out[0, number] = out[1, number] = parents[number]
        out[2, number] = begins[number]
        out[4, number] = holder.depth
        out[5, number] = paths.setdefault(holder.path, len(paths))
        out[6, number] = tags.setdefault(holder.tag, len(tags))
        out[7, number] = names.setdefault(holder.names, len(names))
    for index in range(at.shape[0]):
        out[3, at[index]] = index + 1
    for number in range(len(holders) - 1, -1, -1):
        around = out[0, number]
        out[3, around] = max(out[3, around], out[3, number])
    for number in range(len(holders)):
        around = out[0, number]
        if out[2, around] == out[2, number] and out[3, around] == out[3, number]:
            out[1, number] = out[1, around]
    return holders, list(tags), list(names), [found_at, *found]


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
