// The elements of the output as the window needs them: with paths, depths, and what is found.

import { store } from "./store.js";

// All elements of the schema, in order: path, element, depth.
export function fields(schema = store.state.schema) {
  const found = [];
  const walk = (elements, around, depth) => {
    for (const element of elements) {
      const path = around ? `${around}/${element.name}` : element.name;
      found.push({ path, element, depth });
      walk(element.elements, path, depth + 1);
    }
  };
  walk(schema.elements, "", 0);
  return found;
}

export const groups = () => fields().filter((its) => its.element.type === "group");
export const hasRecords = (path) => path in store.state.examples;
export const colourOf = (path) => fields().filter((its) => its.element.type !== "group").findIndex((its) => its.path === path) % 8;
export const preview = () => store.previews.get(store.page);
export const foundOf = (path) => preview()?.found[path] ?? [];

// The groups whose records are around a node, the innermost first, with the record.
export function recordsAround(node) {
  const tree = store.trees.get(store.page);
  const found = [];
  for (const { path } of groups()) {
    for (const [record] of foundOf(path)) if (record !== null && tree.within(node, record)) found.unshift({ path, record });
  }
  return found;
}

// The fields that take a node on this page.
const taken = new WeakMap();
export function takenBy(node, kind) {
  const its = preview();
  if (!its) return [];
  if (!taken.has(its)) {
    const by = new Map();
    for (const path of Object.keys(its.found)) {
      for (const [number, attribute, value] of its.found[path]) {
        if (number === null || value === null) continue;
        const key = `${number} ${attribute || ""}`;
        if (!by.has(key)) by.set(key, []);
        if (!by.get(key).includes(path)) by.get(key).push(path);
      }
    }
    taken.set(its, by);
  }
  const paths = taken.get(its).get(`${node} ${kind.startsWith("@") ? kind : ""}`) ?? [];
  return paths.map((path) => ({ path }));
}
