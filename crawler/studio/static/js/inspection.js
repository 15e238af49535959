// What is inspected: the page in front, judged by one method or by two, and the block that is looked at.
//
// Topics beside those of `store.js`: "inspecting", "inspected", "block".

import { get, why } from "./api.js";
import { note } from "./notes.js";
import { emit, store } from "./store.js";
import { t } from "./strings.js";

export const shown = {
  method: "", second: "", known: "counts", files: "",
  model: "", structure: "modern",
  first: null, other: null, busy: false, block: -1,
};

// The kinds of labels that have a colour of their own; all other reasons are names of elements.
const KINDS = ["text", "comment", "frequent", "links", "outside"];
export const kindOf = (block) => (block.kept ? "text" : KINDS.includes(block.reason) ? block.reason : "named");

// A word of the core, in the language of the person where there is one.
export function word(stem, its) {
  const key = `${stem}.${its}`;
  const text = t(key);
  return text === key ? its : text;
}

// How many of some sorted numbers are smaller than a number.
function smaller(sorted, limit) {
  let low = 0;
  for (let high = sorted.length; low < high;) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < limit) low = middle + 1; else high = middle;
  }
  return low;
}

export class Inspection {
  constructor(answer, tree) {
    Object.assign(this, answer);
    this.tree = tree;
    this.owner = new Int32Array(tree.size).fill(-1);
    this.blocks.forEach((block, at) => { for (const node of block.nodes) this.owner[node] = at; });
    this.covers = [];
    // How many texts stand before each node.
    this.before = new Int32Array(tree.size + 1);
    for (let node = 0; node < tree.size; node++) this.before[node + 1] = this.before[node] + (tree.isText(node) ? 1 : 0);
  }

  // The block at a node: its own, the first within it, or that of the element around it.
  at(node) {
    for (let its = node; its < this.tree.ends[node]; its++) if (this.owner[its] >= 0) return this.owner[its];
    for (let its = node; its >= 0; its = this.tree.parents[its]) if (this.owner[its] >= 0) return this.owner[its];
    return -1;
  }

  // The fewest nodes that hold the texts of a block and no others.
  cover(at) { return (this.covers[at] ??= this.#cover(at)); }

  #cover(at) {
    const { tree, owner, before } = this;
    const own = this.blocks[at].nodes.toSorted((one, other) => one - other);
    const texts = own.filter((its) => tree.isText(its) && owner[its] === at);
    const found = [];
    for (let node of own) {
      if (found.length && tree.within(node, found.at(-1))) continue;
      for (let up = tree.parents[node]; up > 0; up = tree.parents[up]) {
        const end = tree.ends[up];
        if (smaller(texts, end) - smaller(texts, up) < before[end] - before[up]) break;
        node = up;
      }
      found.push(node);
    }
    return found;
  }

  keeps(node) { return this.owner[node] >= 0 && this.blocks[this.owner[node]].kept; }

  // The block of another inspection that stands where a block of this one stands.
  like(at, other) {
    for (const node of this.blocks[at].nodes) if (other.owner[node] >= 0) return other.owner[node];
    return -1;
  }

  differs(at, other) {
    const block = this.blocks[at];
    return block.nodes.some((node) => other.keeps(node) !== block.kept);
  }
}

function address(part, method) {
  const query = new URLSearchParams({ part, known: shown.known });
  if (method) query.set("method", method);
  if (shown.known === "files") for (const name of shown.files.split("\n")) if (name.trim()) query.append("file", name.trim());
  if (part === "structure") {
    if (shown.model) query.set("model", shown.model);
    query.set("structure", shown.structure);
  }
  return `/api/inspect/${store.page}?${query}`;
}

// Ask for a part of what is to be said of the page in front.
export const ask = (part) => get(address(part, shown.method));

let asked = 0;

// Judge the page in front by what is chosen.
export async function inspect() {
  const mine = ++asked;
  const page = store.page;
  const tree = store.trees.get(page);
  Object.assign(shown, { first: null, other: null, block: -1, busy: Boolean(page), flaw: "" });
  emit("inspecting");
  if (!page || !tree) return;
  try {
    const first = new Inspection(await get(address("text", shown.method)), tree);
    const other = shown.second ? new Inspection(await get(address("text", shown.second)), tree) : null;
    if (mine !== asked) return;
    Object.assign(shown, { first, other });
    for (const flaw of first.flaws) note(flaw);
  } catch (error) {
    if (mine !== asked) return;
    shown.flaw = why(error);
  }
  shown.busy = false;
  emit("inspected");
}

// Why there is nothing to look at.
export const unjudged = () => shown.flaw || t(shown.busy ? "inspect.busy" : "inspect.none");

// Look at a block; `from` says where it was chosen: "page", "list" or "part".
export function look(at, from) {
  if (at === shown.block && from === "hover") return;
  shown.block = at;
  shown.from = from;
  emit("block");
}
