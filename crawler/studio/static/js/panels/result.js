// The output tree of the page in front, as the run gives it.

import { h, short } from "../dom.js";
import { preview } from "../fields.js";
import { on, select, store } from "../store.js";
import { t } from "../strings.js";
import { RowList } from "../virtual.js";

export function resultPanel(reveal) {
  let rows = [];
  const list = new RowList({ height: 22, row, label: t("result"), role: "tree", select: (at) => choose(at) });
  list.element.id = "output-tree";

  function row(at) {
    const [depth, [name, value, confidence, node, , children]] = rows[at];
    return h("div", { class: "row", role: "treeitem", "aria-level": depth + 1, "aria-expanded": children.length ? "true" : undefined,
      onclick: () => { list.go(at); choose(at); } },
    h("span", { class: "indent", "data-depth": Math.min(depth, 30) }), h("span", { class: "what" }, name),
    value === null ? null : h("span", { class: "value" }, short(value, 120)),
    node === null ? null : h("span", { class: "sure", title: t("confidence", confidence) }, confidence.toFixed(2)));
  }

  function choose(at) {
    const [, [, , , node, attribute]] = rows[at] ?? [0, []];
    if (node === null || node === undefined) return;
    select(node, attribute || (store.trees.get(store.page)?.isText(node) ? "text" : "element"));
    reveal(node);
  }

  function draw() {
    rows = [];
    const walk = (node, depth) => { rows.push([depth, node]); for (const child of node[5]) walk(child, depth + 1); };
    const its = preview();
    if (its) walk(its.output, 0);
    list.set(rows.length);
  }
  on("preview page", draw);
  draw();
  return list.element;
}
