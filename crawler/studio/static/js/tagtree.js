// The tag tree of a page, with the node numbers of the server, and its elements in the frame.

const WORDS = /\s+/g;
export const TEXT = "#text";

export class TagTree {
  constructor(tokens) {
    this.tokens = tokens;
    this.names = [];
    this.parents = [];
    this.ends = [];
    this.texts = [];
    this.attributes = [];
    this.depths = [];
    this.children = new Map([[-1, []]]);
    const open = [];
    for (const token of tokens) {
      if (token === 0) this.ends[open.pop()] = this.names.length;
      else if (typeof token === "string") this.#add(TEXT, token, null, open);
      else if (token.length > 1) {
        open.push(this.#add(token[0], "", { ...(token[2] || {}), ...(token[3] || {}) }, open));
      }
    }
    this.#signatures();
  }

  #add(name, text, attributes, open) {
    const node = this.names.length;
    const parent = open.at(-1) ?? -1;
    this.names.push(name);
    this.parents.push(parent);
    this.ends.push(node + 1);
    this.texts.push(text);
    this.attributes.push(attributes);
    this.depths.push(open.length);
    if (!this.children.has(parent)) this.children.set(parent, []);
    this.children.get(parent).push(node);
    return node;
  }

  // Elements with the same names around them and the same class are alike.
  #signatures() {
    const ids = new Map();
    this.signature = [];
    this.alike = [];
    for (let node = 0; node < this.names.length; node++) {
      const parent = this.parents[node];
      const key = `${parent < 0 ? "" : this.signature[parent]} ${this.names[node]} ${this.attributes[node]?.class ?? ""}`;
      if (!ids.has(key)) { ids.set(key, ids.size); this.alike.push([]); }
      const id = ids.get(key);
      this.signature.push(id);
      this.alike[id].push(node);
    }
  }

  get size() { return this.names.length; }
  isText(node) { return this.names[node] === TEXT; }
  kids(node) { return this.children.get(node) ?? []; }
  like(node) { return this.alike[this.signature[node]]; }
  within(node, around) { return node >= around && node < this.ends[around]; }

  // The texts within a node.
  textNodes(node) {
    const found = [];
    for (let its = node; its < this.ends[node]; its++) if (this.isText(its)) found.push(its);
    return found;
  }

  value(node, kind) {
    if (kind?.startsWith("@")) return this.attributes[node]?.[kind.slice(1)] ?? "";
    if (this.isText(node)) return this.texts[node].replace(WORDS, " ").trim();
    return this.textNodes(node).map((its) => this.texts[its]).join(" ").replace(WORDS, " ").trim();
  }

  // The name of an element as people write it: name, id and classes.
  label(node) {
    if (this.isText(node)) return this.value(node);
    const its = this.attributes[node];
    const classes = (its.class ?? "").split(WORDS).filter(Boolean).slice(0, 3).map((name) => "." + name);
    return this.names[node] + (its.id ? `#${its.id}` : "") + classes.join("");
  }

  // The nodes around a node, the root first, itself last.
  way(node) {
    const found = [];
    for (let here = node; here >= 0; here = this.parents[here]) found.unshift(here);
    return found;
  }
}
