// What a script finds in its world: htree, xtree, system and their nodes. The worker evaluates this
// file below as many empty lines as the script has, so that a frame of the script is known by its line.
(function () {
  "use strict";

  const { parse, stringify } = JSON;
  const TEXT = "#text";
  const MOST_DEPTH = 100;
  const NODE_CHARACTERS = 16;
  const MOST_MESSAGE = 500;
  const MOST_COLUMN = 2 ** 31;
  // White space as the rest of the project folds it.
  const SPACES = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/g;
  // Names of XML 1.0 (fifth edition, 2.3 "Common Syntactic Constructs") without colons.
  const STARTS = "A-Z_a-z\\xc0-\\xd6\\xd8-\\xf6\\xf8-\\u02ff\\u0370-\\u037d\\u037f-\\u1fff\\u200c\\u200d"
    + "\\u2070-\\u218f\\u2c00-\\u2fef\\u3001-\\ud7ff\\uf900-\\ufdcf\\ufdf0-\\ufffd\\u{10000}-\\u{effff}";
  const FOLLOWS = `${STARTS}0-9.\\xb7\\u0300-\\u036f\\u203f\\u2040\\-`;
  const NAME = new RegExp(`^[${STARTS}][${FOLLOWS}]*$`, "u");
  const NOT_IN_NAME = new RegExp(`[^${FOLLOWS}]`, "gu");
  const FRAME = /<input>:(\d+):(\d+)/;

  let page; // columns of the page's nodes, by their number
  let links; // the same for firstChild, lastChild, nextSibling, prevSibling
  let given; // the output nodes that were there before the script, by their number
  let budget; // characters that may still be put out
  let overspent = null; // the stack where there were none left
  let main;
  let scriptLines;
  let thrown;
  let hasThrown = false;
  let callsOfMain = []; // the arguments of each call
  const known = []; // page nodes made so far, by their number: each is one object
  const words = []; // arguments of the command line
  const debug = [];
  const urls = [];
  const saves = [];

  function spend(characters) {
    budget -= characters;
    if (budget < 0) {
      const error = new RangeError("the script puts out more than its limit of output");
      overspent ??= error.stack;
      throw error;
    }
  }

  function fold(text) {
    return text.replace(SPACES, " ").trim();
  }

  function textOf(what, value) {
    if (typeof value !== "string" || value === "") {
      throw new TypeError(`${what} must be a text that is not empty, not ${typeof value}`);
    }
    return value;
  }

  function nameOf(value) {
    if (typeof value !== "string" || !NAME.test(value)) {
      throw new TypeError(`'${String(value)}' cannot be the name of an element; give letters, ` +
        "digits, '_', '-' and '.', and begin with a letter");
    }
    return value;
  }

  function madeName(name) {
    const made = name.replace(NOT_IN_NAME, "_");
    return NAME.test(made) ? made : `_${made}`;
  }

  function scalarOf(value) {
    if (value === null || value === undefined) return null;
    const isSimple = typeof value === "string" || typeof value === "boolean";
    if (isSimple || Number.isFinite(value)) return value;
    throw new TypeError("the value of a node must be text, a finite number, true, false or null, " +
      `not ${typeof value}; write it with String(...)`);
  }

  function sizeOf(value) {
    return typeof value === "string" ? value.length : 0;
  }

  // ---- the page ----

  class PageNode {
    #number;
    #attributes;
    constructor(number) { this.#number = number; }
    static numberOf(node) { return node.#number; }
    get name() { return nameAt(this.#number); }
    get value() {
      const end = links.ends[this.#number];
      return fold(page.raws.slice(this.#number, end).join(""));
    }
    set value(_) { throw new TypeError("nodes of the page cannot be changed; add to xtree.root"); }
    get parent() { return pageNode(page.parents[this.#number]); }
    get firstChild() { return pageNode(links.first[this.#number]); }
    get lastChild() { return pageNode(links.last[this.#number]); }
    get nextSibling() { return pageNode(links.next[this.#number]); }
    get prevSibling() { return pageNode(links.previous[this.#number]); }
    get attributes() {
      const pairs = page.attributes[this.#number] ?? [];
      return this.#attributes ??= pairs.map((_, at) => new Attribute(this, pairs, at));
    }
    get firstAttribute() { return this.attributes[0] ?? null; }
    get lastAttribute() { return this.attributes.at(-1) ?? null; }
    Add() { throw new TypeError("nodes of the page cannot be changed; add to xtree.root"); }
  }

  class Attribute {
    #owner;
    #pairs;
    #at;
    constructor(owner, pairs, at) {
      this.#owner = owner;
      this.#pairs = pairs;
      this.#at = at;
    }
    get name() { return this.#pairs[this.#at][0]; }
    get value() { return this.#pairs[this.#at][1]; }
    set value(_) { throw new TypeError("attributes cannot be changed"); }
    get parent() { return this.#owner; }
    get firstChild() { return null; }
    get lastChild() { return null; }
    get nextSibling() { return this.#owner.attributes[this.#at + 1] ?? null; }
    get prevSibling() { return this.#owner.attributes[this.#at - 1] ?? null; }
    get firstAttribute() { return null; }
    get lastAttribute() { return null; }
    Add() { throw new TypeError("attributes have no children"); }
  }

  function nameAt(number) {
    return page.table[page.names[number]];
  }

  function pageNode(number) {
    return number < 0 ? null : known[number] ??= new PageNode(number);
  }

  function linked(parents) {
    const size = parents.length;
    const made = () => new Int32Array(size).fill(-1);
    const found = { first: made(), last: made(), next: made(), previous: made(), ends: made() };
    let lastRoot = -1;
    for (let number = 0; number < size; number++) {
      const parent = parents[number];
      // The children of the root are the bodies of the pages: heads are left out.
      if (parent === 0 && nameAt(number) === "head") continue;
      const before = parent < 0 ? lastRoot : found.last[parent];
      if (before >= 0) {
        found.next[before] = number;
        found.previous[number] = before;
      } else if (parent >= 0) {
        found.first[parent] = number;
      }
      if (parent < 0) lastRoot = number;
      else found.last[parent] = number;
    }
    for (let number = size - 1; number >= 0; number--) {
      const end = Math.max(found.ends[number], number + 1);
      const parent = parents[number];
      found.ends[number] = end;
      if (parent >= 0) found.ends[parent] = Math.max(found.ends[parent], end);
    }
    return found;
  }

  // ---- the output ----

  class OutputNode {
    #name;
    #value;
    #parent;
    #depth;
    #children = [];
    #next = null;
    #previous = null;
    #attributes = null;
    #pairs = [];
    #origin = null;
    #source = null;

    constructor(name, value, parent) {
      this.#name = name;
      this.#value = value;
      this.#parent = parent;
      this.#depth = parent === null ? 0 : parent.#depth + 1;
      if (this.#depth > MOST_DEPTH) {
        throw new RangeError(`the output would be more than ${MOST_DEPTH} elements deep`);
      }
      if (parent !== null) {
        this.#previous = parent.#children.at(-1) ?? null;
        if (this.#previous !== null) this.#previous.#next = this;
        parent.#children.push(this);
      }
    }
    static is(value) { return typeof value === "object" && value !== null && #name in value; }
    static make(parent, name, value, pairs, source) {
      let size = NODE_CHARACTERS + name.length + sizeOf(value);
      for (const [its, text] of pairs) size += NODE_CHARACTERS + its.length + text.length;
      spend(size);
      const node = new OutputNode(name, value, parent);
      node.#pairs = pairs;
      node.#source = source;
      return node;
    }
    static restore(parent, name, value, pairs, origin) {
      const node = new OutputNode(name, value, parent);
      node.#pairs = pairs;
      node.#origin = origin;
      return node;
    }
    static row(node) {
      return [node.#depth, node.#name, node.#value, node.#pairs, node.#origin, node.#source];
    }
    static below(node) { return node.#children; }
    static pairs(node) { return node.#pairs; }

    get name() { return this.#name; }
    get value() { return this.#value; }
    set value(value) {
      const its = scalarOf(value);
      spend(sizeOf(its));
      this.#value = its;
    }
    get parent() { return this.#parent; }
    get firstChild() { return this.#children[0] ?? null; }
    get lastChild() { return this.#children.at(-1) ?? null; }
    get nextSibling() { return this.#next; }
    get prevSibling() { return this.#previous; }
    get attributes() {
      return this.#attributes ??= this.#pairs.map((_, at) => new Attribute(this, this.#pairs, at));
    }
    get firstAttribute() { return this.attributes[0] ?? null; }
    get lastAttribute() { return this.attributes.at(-1) ?? null; }
    Add(name, value) {
      // Add(node) adds a copy by the name of the node, Add(null, value) a text.
      const isNode = name instanceof PageNode || name instanceof Attribute || OutputNode.is(name);
      if (isNode) value = name;
      const given = isNode ? name.name : name ?? TEXT;
      const its = given === TEXT ? TEXT : isNode ? madeName(given) : nameOf(given);
      if (value instanceof PageNode) return copyOfPage(this, its, PageNode.numberOf(value));
      if (value instanceof Attribute) return copyOfAttribute(this, its, value);
      if (OutputNode.is(value)) return copyOfOutput(this, its, value);
      return OutputNode.make(this, its, scalarOf(value), [], null);
    }
  }

  function copyOfAttribute(parent, name, attribute) {
    const owner = attribute.parent;
    const source = owner instanceof PageNode ? PageNode.numberOf(owner) : null;
    return OutputNode.make(parent, name, attribute.value, [], source);
  }

  function holdsElements(number) {
    let child = links.first[number];
    while (child >= 0 && nameAt(child) === TEXT) child = links.next[child];
    return child >= 0;
  }

  function copyOfPage(parent, name, root) {
    const copies = new Map([[page.parents[root], parent]]);
    let number = root;
    while (number < links.ends[root]) {
      const its = nameAt(number);
      const pairs = (page.attributes[number] ?? []).map(([key, text]) => [madeName(key), text]);
      const isOpen = holdsElements(number);
      const value = isOpen ? null : pageNode(number).value;
      const called = number === root ? name : its === TEXT ? TEXT : madeName(its);
      const above = copies.get(page.parents[number]);
      copies.set(number, OutputNode.make(above, called, value, pairs, number));
      number = isOpen ? number + 1 : links.ends[number];
    }
    return copies.get(root);
  }

  function copyOfOutput(parent, name, root) {
    // The list is fixed before anything is added: a node may be copied into itself.
    const rows = inOrder(root);
    const copies = new Map();
    for (const node of rows) {
      const above = node === root ? parent : copies.get(node.parent);
      const called = node === root ? name : node.name;
      copies.set(node, OutputNode.make(above, called, node.value, OutputNode.pairs(node), null));
    }
    return copies.get(root);
  }

  function inOrder(root) {
    const found = [];
    const waiting = [root];
    while (waiting.length > 0) {
      const node = waiting.pop();
      found.push(node);
      const children = OutputNode.below(node);
      for (let at = children.length - 1; at >= 0; at--) waiting.push(children[at]);
    }
    return found;
  }

  // Nodes are made here alone, where their output is counted.
  for (const kind of [PageNode, Attribute, OutputNode]) delete kind.prototype.constructor;

  // ---- what the worker calls ----

  function load(pageText, callText) {
    page = parse(pageText);
    links = linked(page.parents);
    const raws = new Array(page.parents.length).fill("");
    for (const [number, raw] of page.texts) raws[number] = raw;
    page.raws = raws;
    const attributes = {};
    for (const [number, pairs] of page.attributes) attributes[number] = pairs;
    page.attributes = attributes;
    const call = parse(callText);
    given = [];
    const open = [null];
    for (const [depth, name, value, pairs] of call.output) {
      const node = OutputNode.restore(open[depth], name, value, pairs, given.length);
      given.push(node);
      open[depth + 1] = node;
    }
    words.push(...call.words);
    budget = call.budget;
    scriptLines = call.lines;
    callsOfMain = call.calls.map((its) => its.map(referred));
    offer("htree", {
      root: pageNode(page.parents.length > 0 ? 0 : -1),
      AddUrl(url) {
        spend(NODE_CHARACTERS + textOf("the address for htree.AddUrl", url).length);
        urls.push(url);
      },
    });
    offer("xtree", {
      root: given[0],
      Save(path) {
        spend(NODE_CHARACTERS + textOf("the file for xtree.Save", path).length);
        saves.push(path);
      },
    });
    offer("system", {
      args(number) { return words[number]; },
      Debug(message) {
        const line = String(message);
        spend(NODE_CHARACTERS + line.length);
        debug.push(line);
      },
    });
  }

  function offer(name, members) {
    Object.defineProperty(globalThis, name, { value: Object.freeze(members) });
  }

  function referred(reference) {
    if (reference === null) return null;
    if (Array.isArray(reference)) return reference.map(referred);
    if (reference.output !== undefined) return given[reference.output];
    const node = pageNode(reference.page);
    if (reference.attribute === null) return node;
    return node.attributes.find((its) => its.name === reference.attribute) ?? null;
  }

  const evaluate = globalThis.eval;

  function kindOf(value) {
    return Object.getPrototypeOf(value)?.[Symbol.toStringTag];
  }

  function run(script) {
    try {
      main = evaluate(`${script}\n;typeof main === "function" ? main : undefined`);
    } catch (error) {
      thrown = error;
      hasThrown = true;
      return error instanceof SyntaxError ? "syntax" : "exception";
    }
    if (main === undefined) return "no-main";
    if (kindOf(main) === "GeneratorFunction") return "promise";
    try {
      for (const its of callsOfMain) {
        const answer = main(...its);
        const isPromise = typeof answer === "object" && answer !== null
          && (answer instanceof Promise || typeof answer.then === "function");
        if (isPromise) return "promise";
      }
      return "done";
    } catch (error) {
      thrown = error;
      hasThrown = true;
      return "exception";
    }
  }

  function placeIn(stack) {
    if (typeof stack !== "string") return null;
    for (const frame of stack.split("\n")) {
      const found = FRAME.exec(frame);
      if (found === null) continue;
      // A script can write any stack: what cannot be a place is none.
      const [line, column] = [Number(found[1]), Number(found[2])];
      if (line > 0 && line <= scriptLines + 1 && column > 0 && column <= MOST_COLUMN) {
        return [line, column];
      }
    }
    return null;
  }

  function shown(error) {
    const isError = error instanceof Error;
    const name = isError ? String(error.name) : "thrown";
    const message = isError ? String(error.message) : String(error);
    return [name, message.slice(0, MOST_MESSAGE)];
  }

  function problem() {
    if (overspent !== null) return stringify({ spent: true, place: placeIn(overspent), debug });
    if (!hasThrown) return stringify({ debug });
    // Without memory for an error, null is what the engine throws.
    if (thrown === null) return stringify({ name: "thrown", message: "null", debug });
    let [name, message] = ["thrown", "something that cannot be shown"];
    let place = null;
    try {
      [name, message] = shown(thrown);
      place = placeIn(thrown?.stack);
    } catch {
      // What was thrown throws again when it is looked at: its name above has to do.
    }
    return stringify({ name, message, place, debug });
  }

  function answer() {
    if (overspent !== null) return "";
    return stringify({ rows: inOrder(given[0]).map(OutputNode.row), debug, urls, saves });
  }

  const parts = { load, run, problem, answer };
  return (part, ...rest) => parts[part](...rest);
})()
