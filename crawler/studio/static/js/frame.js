// The frame in which a page is shown. It has no scripts: this module listens in its document.

import { h } from "./dom.js";
import { pick } from "./picking.js";

const STYLE = `
[data-studio-record]{outline:1.5px dashed #8a63d2!important;outline-offset:1px!important}
[data-studio-match]{outline:2px solid var(--studio-colour,#1a7f37)!important;outline-offset:0!important}
[data-studio-match="0"]{--studio-colour:#1a7f37}[data-studio-match="1"]{--studio-colour:#0969da}
[data-studio-match="2"]{--studio-colour:#bc4c00}[data-studio-match="3"]{--studio-colour:#8250df}
[data-studio-match="4"]{--studio-colour:#bf3989}[data-studio-match="5"]{--studio-colour:#1b7c83}
[data-studio-match="6"]{--studio-colour:#9a6700}[data-studio-match="7"]{--studio-colour:#57606a}
[data-studio-proposed]{outline:3px solid #d29922!important;outline-offset:1px!important}
[data-studio-like]{outline:1px dotted #57606a!important}
[data-studio-hover]{outline:2px dashed #0969da!important;outline-offset:1px!important;cursor:pointer!important}
[data-studio-selection]{outline:3px solid #cf222e!important;outline-offset:1px!important;background-image:linear-gradient(rgb(207 34 46/.14) 0 0)!important}
::highlight(studio-hover){background-color:#b6e3ff;color:#000}
::highlight(studio-selection){background-color:#ffcecb;color:#000}
::highlight(studio-match){text-decoration:underline 2px #1a7f37}
[data-studio-block]{box-shadow:inset 3px 0 0 var(--studio-kind),inset 0 0 0 100vmax var(--studio-tint)!important}
[data-studio-area]{outline:1px solid var(--studio-kind)!important;outline-offset:-1px!important}
[data-studio-area=genuine],[data-studio-area=layout]{outline-width:3px!important;outline-offset:1px!important}
[data-studio-area=layout]{outline-style:dotted!important}
[data-studio-area=head],[data-studio-area=title]{box-shadow:inset 0 0 0 100vmax var(--studio-tint)!important}
[data-studio-differs]{outline:3px double #bf3989!important;outline-offset:1px!important}
::highlight(studio-differs){text-decoration:underline double 2px #bf3989}
html{min-height:100%;scroll-padding:24px}`;
// The colours of labels and areas: of elements, and of texts that share theirs with others.
const COLOURS = { text: "#1a7f37", comment: "#8250df", frequent: "#cf222e", links: "#0969da", outside: "#6e7781", named: "#bc4c00",
  genuine: "#1a7f37", layout: "#6e7781", head: "#0969da", title: "#8250df", data: "#1a7f37" };
const KINDS = Object.entries(COLOURS).map(([name, colour]) => `[data-studio-block=${name}],[data-studio-area=${name}]{--studio-kind:${colour};--studio-tint:${colour}24}` +
  `::highlight(studio-block-${name}){background-color:${colour}30}`).join("\n");
const MOST_ALIKE = 300;

export class PageFrame {
  // `events`: pick(node, kind), hover(node or null), key(event), and shown(), after each loading of a
  // page: what is marked is gone then. A frame that leaves the window and comes back loads again.
  // With `alone` the like of what is under the pointer is not marked.
  constructor(events, title) {
    this.events = events;
    this.marked = new Map();
    this.element = h("iframe", { sandbox: "allow-same-origin", title, class: "page" });
  }

  // Show nothing that can be clicked until the next page is there.
  leave() {
    this.element.setAttribute("aria-busy", "true");
  }

  // Show a page; returns when it is there.
  show(number, tree, pictures) {
    this.leave();
    this.tree = tree;
    this.ready = new Promise((done) => {
      this.element.onload = () => {
        this.#build();
        this.element.removeAttribute("aria-busy");
        this.events.shown();
        done();
      };
    });
    this.element.src = `/frame/${number}${pictures ? "?pictures=1" : ""}`;
    return this.ready;
  }

  #build() {
    const doc = (this.doc = this.element.contentDocument);
    this.nodes = [];
    this.numbers = new Map();
    this.marked.clear();
    const open = [];
    const once = new Map([["html", doc.documentElement], ["head", doc.head], ["body", doc.body]]);
    for (const token of this.tree.tokens) {
      const parent = open.at(-1);
      if (token === 0) open.pop();
      else if (typeof token === "string") this.#number(parent ? parent.appendChild(doc.createTextNode(token)) : null);
      else if (token.length === 1) parent?.appendChild(doc.createTextNode(token[0]));
      else open.push(this.#element(doc, token, parent, open.length, once));
    }
    const style = doc.createElement("style");
    style.textContent = STYLE + KINDS;
    doc.head.append(style);
    this.#listen(doc);
  }

  #number(node) {
    if (node) this.numbers.set(node, this.nodes.length);
    this.nodes.push(node);
    return node;
  }

  #element(doc, [name, shown, safe, , css], parent, depth, once) {
    // What is in an element that is not shown is not shown either.
    if (shown === "" || (depth && !parent)) return this.#number(null);
    let element = once.get(name);
    if (element) once.delete(name);
    else {
      const own = ["html", "head", "body"].includes(name) ? "div" : shown || name;
      element = doc.createElement(own);
      (parent ?? doc.body).append(element);
    }
    for (const [key, value] of Object.entries(safe || {})) {
      // A form has its fields as properties of the names of their ids, in place of its own.
      if (key === "id" && element.form && value in HTMLFormElement.prototype) continue;
      try { element.setAttribute(key, value); } catch { /* a name that is none */ }
    }
    if (name === "a") { element.setAttribute("href", "#"); element.tabIndex = -1; }
    if (css) element.textContent = css;
    element.setAttribute("data-node", this.nodes.length);
    return this.#number(element);
  }

  #listen(doc) {
    const stop = (event) => { event.preventDefault(); event.stopPropagation(); };
    for (const name of ["submit", "mousedown", "dragstart", "auxclick"]) doc.addEventListener(name, stop, true);
    doc.addEventListener("click", (event) => {
      stop(event);
      this.element.contentWindow.focus();
      const its = this.#at(event);
      if (its) this.events.pick(its.node, its.kind, event);
    }, true);
    doc.addEventListener("mousemove", (event) => this.hover(this.#at(event)), true);
    doc.addEventListener("mouseleave", () => this.hover(null));
    doc.addEventListener("keydown", (event) => this.events.key(event), true);
  }

  // What is under the pointer.
  #at(event) {
    if (this.element.hasAttribute("aria-busy")) return null;
    let element = event.target;
    while (element && !this.numbers.has(element)) element = element.parentNode;
    if (!element) return null;
    return pick(this.tree, this.numbers.get(element), this.#textAt(event, element));
  }

  #textAt(event, element) {
    const place = this.doc.caretPositionFromPoint
      ? this.doc.caretPositionFromPoint(event.clientX, event.clientY)?.offsetNode
      : this.doc.caretRangeFromPoint(event.clientX, event.clientY)?.startContainer;
    if (place?.parentNode !== element || !this.numbers.has(place)) return undefined;
    const range = this.doc.createRange();
    range.selectNodeContents(place);
    const isIn = [...range.getClientRects()].some((box) =>
      event.clientX >= box.left - 2 && event.clientX <= box.right + 2 &&
      event.clientY >= box.top - 2 && event.clientY <= box.bottom + 2);
    return isIn ? this.numbers.get(place) : undefined;
  }

  hover(its) {
    const node = its?.node ?? null;
    if (node === this.hovered) return;
    this.hovered = node;
    this.mark("hover", node === null ? [] : [node]);
    const alike = node === null || this.events.alone ? [] : this.tree.like(node);
    this.mark("like", alike.length > MOST_ALIKE ? [] : alike.filter((one) => one !== node));
    this.events.hover(its);
  }

  // Mark nodes, and no others; `values` says how each is marked.
  mark(kind, nodes, values = null) {
    const view = this.element.contentWindow;
    if (!this.doc || !view) return;
    const name = `data-studio-${kind}`;
    for (const element of this.marked.get(kind) ?? []) element.removeAttribute(name);
    const marked = [];
    const ranges = new Map();
    nodes.forEach((number, at) => {
      const node = this.nodes[number];
      if (!node) return;
      const element = node.nodeType === 3 ? node.parentNode : node;
      const shares = node.nodeType === 3 && this.tree.kids(this.tree.parents[number]).length > 1;
      if (shares) {
        const range = this.doc.createRange();
        range.selectNodeContents(node);
        const its = kind === "block" ? `studio-${kind}-${values[at]}` : `studio-${kind}`;
        if (!ranges.has(its)) ranges.set(its, []);
        ranges.get(its).push(range);
      } else if (element !== this.doc.documentElement) {
        element.setAttribute(name, values ? values[at] : "");
        marked.push(element);
      }
    });
    this.marked.set(kind, marked);
    if (view.CSS?.highlights) {
      const own = (its) => its === `studio-${kind}` || its.startsWith(`studio-${kind}-`);
      for (const its of [...view.CSS.highlights.keys()].filter(own)) view.CSS.highlights.delete(its);
      for (const [its, found] of ranges) {
        const highlight = new view.Highlight();
        for (const range of found) highlight.add(range);
        view.CSS.highlights.set(its, highlight);
      }
    }
  }

  reveal(node) {
    const its = this.nodes?.[node];
    (its?.nodeType === 3 ? its.parentNode : its)?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
}
