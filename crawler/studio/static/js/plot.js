// Plots, as crawler/reports/plots.py lays them out: lines and texts with their places.

import { h } from "./dom.js";
import { t } from "./strings.js";

const NAMED = new Set(["blocks", "changed", "distinct", "frequency", "gone", "items", "new", "none", "occurrences", "of", "other", "pages", "text-nodes"]);
const named = (name) => (NAMED.has(name) ? t(`series.${name}`) : name);

function s(name, props, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(props)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

// A table of texts, the first of which name the rows.
export function table(columns, rows, props) {
  return h("table", { class: "every", ...props },
    h("thead", {}, h("tr", {}, columns.map((its) => h("th", { scope: "col" }, its)))),
    h("tbody", {}, rows.map(([first, ...cells]) => h("tr", {}, h("th", { scope: "row" }, first), cells.map((its) => h("td", {}, its))))));
}

export function plot({ name, legend, drawing, table: values }) {
  const title = t(`plot.${name}`);
  const columns = [values.title, ...values.columns].map(named);
  const slots = drawing.slots.map(([x, width], at) => s("rect", { x, width, y: 0, height: drawing.height, class: "slot" },
    s("title", {}, `${values.rows[at][0]}\n${columns.slice(1).map((its, number) => `${its}: ${values.rows[at][number + 1]}`).join("\n")}`)));
  return h("figure", { class: "plot", id: `plot-${name}` }, h("figcaption", {}, title),
    s("svg", { viewBox: `0 0 ${drawing.width} ${drawing.height}`, role: "img", "aria-label": title },
      ...drawing.paths.map(([look, width, d]) => s("path", { class: look, "stroke-width": width, d })),
      ...drawing.texts.map(([x, y, anchor, text]) => s("text", { x, y, "text-anchor": anchor }, text)),
      ...slots),
    legend.length > 1 || named(legend[0]?.[1]) !== columns[1] ? h("p", { class: "legend" }, legend.map(([look, its]) => h("span", { class: `key ${look}` }, named(its)))) : null,
    h("details", {}, h("summary", {}, t("plot.table")), h("div", { class: "scroll" }, table(columns, values.rows.map(([first, ...cells]) => [named(first), ...cells])))));
}
