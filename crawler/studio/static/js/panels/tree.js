// The tag tree of the page in front.

import { focusOn, h, onEnter, short } from "../dom.js";
import { takenBy } from "../fields.js";
import { say } from "../notes.js";
import { choices } from "../picking.js";
import { on, select, store } from "../store.js";
import { t } from "../strings.js";
import { RowList } from "../virtual.js";

const HEIGHT = 22;

export function treePanel(hovered) {
  let tree = null;
  let open = new Set();
  let rows = [];
  const list = new RowList({ height: HEIGHT, row, label: t("tree"), role: "tree", key, select: (at) => choose(rows[at]) });
  list.element.id = "tag-tree";
  const search = onEnter(h("input", { id: "tree-find", type: "search", "aria-label": t("tree.find"), placeholder: t("tree.find"), oninput: () => search.setCustomValidity("") }), find);

  function row(at) {
    const node = rows[at];
    const isText = tree.isText(node);
    const hasKids = tree.kids(node).length > 0;
    const taken = takenBy(node, isText ? "text" : "element");
    return h("div", {
      class: `row ${isText ? "text" : "tag"} ${store.selection?.node === node ? "selected" : ""}`, role: "treeitem",
      "aria-level": tree.depths[node] + 1, "aria-expanded": hasKids ? String(open.has(node)) : undefined,
      "aria-selected": store.selection?.node === node ? "true" : "false",
      onclick: () => { list.go(at); choose(node); }, onmouseenter: () => hovered(node), onmouseleave: () => hovered(null),
    },
    h("span", { class: "indent", "data-depth": Math.min(tree.depths[node], 30) },
      hasKids ? h("span", { class: "twist", "aria-hidden": "true", onclick: (event) => { event.stopPropagation(); toggle(node); } }, open.has(node) ? "▾" : "▸") : null),
    h("span", { class: "what" }, isText ? `“${short(tree.label(node), 60)}”` : short(tree.label(node), 60)),
    taken.map(({ path }) => h("span", { class: "chip" }, path)));
  }

  function draw(keep) {
    rows = [];
    const walk = (nodes) => {
      for (const node of nodes) {
        rows.push(node);
        if (open.has(node)) walk(tree.kids(node));
      }
    };
    if (tree) walk(tree.kids(-1));
    list.set(rows.length);
    if (keep !== undefined && rows.includes(keep)) list.go(rows.indexOf(keep));
  }

  function toggle(node) {
    if (!open.delete(node)) open.add(node);
    draw(node);
  }

  function choose(node) {
    if (store.selection?.node === node) return;
    const own = choices(tree, { node, kind: tree.isText(node) ? "text" : "element" });
    select(node, own[0].kind);
  }

  // Choose the next text that has some words, from what is chosen on.
  function find() {
    const wanted = search.value.trim().toLowerCase();
    if (!wanted || !tree) return;
    const from = (store.selection?.node ?? -1) + 1;
    const order = Array.from({ length: tree.size }, (_, at) => (from + at) % tree.size);
    const found = order.find((node) => tree.isText(node) && tree.value(node).toLowerCase().includes(wanted));
    search.setCustomValidity(found === undefined ? t("tree.find.none") : "");
    if (found !== undefined) choose(found);
    say(found === undefined ? t("tree.find.none") : short(tree.value(found)));
    search.reportValidity();
  }

  function key(event, at) {
    const node = rows[at];
    if (node === undefined) return;
    if (event.key === "ArrowRight") {
      event.preventDefault();
      if (!open.has(node) && tree.kids(node).length) toggle(node);
      else if (tree.kids(node).length) { list.go(at + 1); choose(rows[at + 1]); }
    } else if (event.key === "ArrowLeft") {
      event.preventDefault();
      if (open.has(node)) toggle(node);
      else if (tree.parents[node] >= 0) { list.go(rows.indexOf(tree.parents[node])); choose(tree.parents[node]); }
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      choose(node);
      focusOn("field-name");
    }
  }

  on("tree page", () => {
    const next = store.trees.get(store.page) ?? null;
    if (next !== tree) {
      tree = next;
      list.current = -1;
      open = new Set();
      // The way into the body is open at first.
      for (let node = 0; tree && node < tree.size && tree.depths[node] < 3;) {
        if (tree.names[node] === "head") node = tree.ends[node];
        else open.add(node++);
      }
    }
    draw();
  });
  on("selection", () => {
    const node = store.selection?.node;
    if (tree && node !== undefined) for (const around of tree.way(node).slice(0, -1)) open.add(around);
    draw(node);
  });
  on("preview", () => draw());
  return h("section", { class: "panel tree", "aria-label": t("tree") }, h("h2", {}, t("tree")), search, list.element);
}
