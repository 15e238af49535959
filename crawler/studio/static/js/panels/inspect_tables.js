// The tables of a page: the verdict on each, its areas, and the reason.

import { button, h, short } from "../dom.js";
import { word } from "../inspection.js";
import { t } from "../strings.js";
import { partPanel } from "./inspect_part.js";

const fixed = (value) => (typeof value === "number" ? value.toFixed(2) : value);

export function tablesPanel(point, areas) {
  function draw({ tables }) {
    const nodes = [];
    const kinds = [];
    for (const its of tables) {
      if (its.node !== null) { nodes.push(its.node); kinds.push(its.verdict.is_genuine ? "genuine" : "layout"); }
      for (const [node, area] of its.areas) { nodes.push(node); kinds.push(area); }
    }
    areas(nodes, kinds);
    const genuine = tables.filter((its) => its.verdict.is_genuine).length;
    return [h("p", { class: "hint" }, tables.length ? t("tables.counts", genuine, tables.length - genuine) : t("tables.none")),
      h("ol", { class: "tables" }, tables.map(entry))];
  }

  function entry(its) {
    const { verdict } = its;
    const title = its.caption ?? its.heading ?? its.cells.flat().find((cell) => cell.trim()) ?? "";
    const facts = [
      [t("tables.reason"), `${word("reason", verdict.reason)}${verdict.rule ? ` (${t("tables.rule", verdict.rule)})` : ""}`],
      [t("tables.method"), verdict.method],
      verdict.confidence === null ? null : [t("tables.confidence"), fixed(verdict.confidence)],
      verdict.coherency === null ? null : [t("tables.coherency"), fixed(verdict.coherency)],
      verdict.main_type ? [t("tables.type"), verdict.main_type] : null,
      verdict.attribute_class ? [t("tables.attribute"), verdict.attribute_class] : null,
      verdict.reason === "evidence" ? [t("tables.rules"), `${t(its.rules.genuine ? "tables.genuine" : "tables.layout")}: ${word("reason", its.rules.reason)}`] : null,
      [t("tables.size"), t("tables.grid", its.rows, its.columns)],
      verdict.is_genuine ? [t("tables.areas"), t("tables.heads", its.title_rows, its.header_rows, its.header_columns)] : null,
      verdict.is_genuine ? [t("tables.records"), String(its.records)] : null,
      [t("evidence.where"), its.path],
    ].filter(Boolean);
    return h("li", { class: verdict.is_genuine ? "genuine" : "is-layout" },
      button([h("span", { class: `verdict ${verdict.is_genuine ? "genuine" : "is-layout"}` }, t(verdict.is_genuine ? "tables.genuine" : "tables.layout")), ` ${short(title, 60)}`],
        () => point(its.node === null ? [] : [its.node]), { class: "entry", id: `table-${its.number}` }),
      h("dl", {}, facts.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])),
      verdict.is_genuine ? grid(its) : null);
  }

  function grid(its) {
    const area = (row, column) => (row < its.title_rows ? "title" : row < its.title_rows + its.header_rows || column < its.header_columns ? "head" : "data");
    return h("div", { class: "scroll" }, h("table", { class: "grid" }, its.cells.map((line, row) => h("tr", {}, line.map((cell, column) =>
      h(area(row, column) === "head" ? "th" : "td", { class: `area-${area(row, column)}` }, short(cell, 60)))))));
  }

  return partPanel("tables", draw, () => areas([], [])).body;
}
