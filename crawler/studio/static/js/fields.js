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
export function takenBy(node, kind) {
  return fields().filter(({ path, element }) => element.type !== "group" &&
    foundOf(path).some(([its, attribute]) => its === node && (attribute || "") === (kind.startsWith("@") ? kind : "")));
}
