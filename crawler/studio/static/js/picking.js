// What a click takes: a text, an element, or an attribute of one.

const READ = ["href", "src", "content", "datetime", "alt", "title", "value"];

// What the pointer is at: node and kind. `text` is the number of the text under it, or undefined.
export function pick(tree, element, text) {
  if (text !== undefined) return { node: text, kind: "text" };
  if (tree.names[element] === "img" && tree.attributes[element].src) return { node: element, kind: "@src" };
  const texts = tree.textNodes(element);
  if (texts.length === 1) return { node: texts[0], kind: "text" };
  if (!texts.length) {
    for (let node = element; node < tree.ends[element]; node++)
      if (tree.names[node] === "img" && tree.attributes[node].src) return { node, kind: "@src" };
    const attribute = READ.find((name) => tree.attributes[element]?.[name]);
    if (attribute) return { node: element, kind: "@" + attribute };
  }
  return { node: element, kind: "element" };
}

// What else could be meant by a click on a node: the text, the elements around, their attributes.
export function choices(tree, { node, kind }) {
  const found = [{ node, kind }];
  const add = (its, of) => {
    if (!found.some((one) => one.node === its && one.kind === of)) found.push({ node: its, kind: of });
  };
  const element = tree.isText(node) ? tree.parents[node] : node;
  if (tree.isText(node)) {
    add(node, "text");
    if (tree.textNodes(element).length > 1) add(element, "element");
  } else {
    const texts = tree.textNodes(node);
    if (texts.length === 1) add(texts[0], "text");
    else if (texts.length) add(node, "element");
  }
  for (let here = element, steps = 0; here >= 0 && steps < 4; here = tree.parents[here], steps++) {
    for (const name of Object.keys(tree.attributes[here])) {
      const useful = READ.includes(name) || (name.startsWith("data-") && here === element);
      if (useful && tree.attributes[here][name].trim()) add(here, "@" + name);
    }
  }
  return found;
}

// The type that a value seems to have.
export function guessType(value, kind) {
  if (kind === "@href" || kind === "@src") return "url";
  if (kind === "@datetime" || (value.length < 40 && /\d{4}[-./년]\s?\d{1,2}[-./월]\s?\d{1,2}/.test(value))) return "date";
  const numbers = value.match(/\d+(?:[.,]\d+)*/g) ?? [];
  const letters = value.replace(/[\d.,\s$€£¥₩원%+-]/g, "");
  // Words with a number behind are names, as in "Chapter 3"; a currency is in capitals.
  const isName = /^\p{L}*[^\p{Lu}\d\s]\p{L}*\s*\d/u.test(value.replace(/[$€£¥₩+-]/g, ""));
  return numbers.length === 1 && letters.length <= 3 && !isName && value.length < 24 ? "number" : "text";
}

// The head of a value in a table or a list of terms, as in `<th>Price</th><td>…`.
function headOf(tree, element) {
  const cell = tree.way(element).reverse().slice(0, 4).find((node) => ["td", "dd"].includes(tree.names[node]));
  if (cell === undefined) return "";
  const head = tree.kids(tree.parents[cell]).filter((node) => node < cell && ["th", "dt"].includes(tree.names[node])).at(-1);
  return head === undefined ? "" : tree.value(head);
}

// A name for a field: what its element is called, or what it is.
export function guessName(tree, { node, kind }, taken) {
  const element = tree.isText(node) ? tree.parents[node] : node;
  const its = tree.attributes[element];
  const known = new Map([["h1", "title"], ["h2", "title"], ["h3", "title"], ["time", "date"], ["img", "picture"]]);
  const words = [its.itemprop, headOf(tree, element), (its.class ?? "").split(/\s+/)[0], its.id];
  const word = words.map((name) => (name ?? "").replace(/[^\p{L}\p{N}]+/gu, "_").replace(/^[\d_]+|_+$/g, ""))
    .find((name) => name && name.length < 24);
  let name = kind === "@href" ? "link" : kind === "@src" ? "picture"
    : known.get(tree.names[element]) ?? word?.toLowerCase() ?? (tree.names[element] === "a" ? "title" : "value");
  const stem = name;
  for (let number = 2; taken.has(name); number++) name = `${stem}${number}`;
  return name;
}
