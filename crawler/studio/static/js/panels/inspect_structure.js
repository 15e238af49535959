// The logical structure of a page by a document model, as a tree; a node shows its place on the page.

import { fill, h, short } from "../dom.js";
import { shown } from "../inspection.js";
import { t } from "../strings.js";
import { RowList } from "../virtual.js";
import { partPanel } from "./inspect_part.js";

export function structurePanel(point) {
  let rows = [];
  const list = new RowList({ height: 24, row, label: t("inspect.structure"), role: "tree", select: (at) => point(places(at)) });
  list.element.id = "structure-tree";
  const model = h("input", { id: "structure-model", type: "text", list: "structure-models", spellcheck: "false", size: 14 });
  const models = h("datalist", { id: "structure-models" });
  const method = h("select", { id: "structure-method", "aria-label": t("structure.method") }, ["modern", "published"].map((its) => h("option", { value: its }, its)));

  function row(at) {
    const [name, text, depth, nodes] = rows[at];
    return h("div", { class: `row ${name === "TEXT" || name === "GROUP" ? "text" : "tag"}`, role: "treeitem", "aria-level": depth + 1,
      "aria-expanded": rows[at + 1]?.[2] > depth ? "true" : undefined, onclick: () => { list.go(at); point(places(at)); }, title: nodes.length ? t("structure.show") : undefined },
    h("span", { class: "indent", "data-depth": Math.min(depth, 30) }), h("span", { class: "what" }, name), h("span", { class: "value" }, short(text, 140)));
  }

  // The nodes of a row; of one without text those of all that is under it.
  function places(at) {
    const found = [...(rows[at]?.[3] ?? [])];
    if (!found.length) for (let its = at + 1; rows[its]?.[2] > rows[at][2]; its++) found.push(...rows[its][3]);
    return found;
  }

  function draw(answer) {
    rows = answer.rows;
    shown.model = answer.model;
    model.value = answer.model;
    method.value = answer.method;
    fill(models, answer.models.map((its) => h("option", { value: its })));
    queueMicrotask(() => list.set(rows.length));
    return [answer.problems.length ? h("details", {}, h("summary", {}, t("structure.problems", answer.problems.length)), h("ul", {}, answer.problems.map((its) => h("li", {}, its)))) : null, list.element];
  }

  const { body, again } = partPanel("structure", draw, () => point([]));
  const changed = () => { shown.model = model.value.trim(); shown.structure = method.value; again(); };
  for (const its of [model, method]) its.addEventListener("change", changed);
  return h("div", { class: "structure" }, h("div", { class: "line tools" }, h("label", { for: "structure-model" }, t("structure.model")), model, models, method), body);
}
