// The metadata of a page: each field, its value, and where it was read.

import { button, h, short } from "../dom.js";
import { word } from "../inspection.js";
import { t } from "../strings.js";
import { partPanel } from "./inspect_part.js";

export function metadataPanel(point) {
  const value = (its) => (Array.isArray(its) ? its.join(", ") : its ?? "");

  function place({ source, name, elements }, url) {
    if (!source) return h("span", { class: "hint" }, "–");
    const what = `${word("source", source)}${name && name !== source ? `: ${name}` : ""}`;
    if (!elements.length) return [h("span", {}, what), source === "url" ? h("code", {}, short(url, 120)) : null];
    return [button(what, () => point(elements.map(([node]) => node)), { class: "link" }), h("code", {}, short(elements[0][1], 160))];
  }

  function draw({ fields, robots, url }) {
    return h("table", { class: "metadata" },
      h("thead", {}, h("tr", {}, ["metadata.field", "metadata.value", "metadata.where"].map((key) => h("th", { scope: "col" }, t(key))))),
      h("tbody", {}, fields.map((its) => h("tr", { id: `metadata-${its.field}` },
        h("th", { scope: "row" }, word("field.meta", its.field)),
        h("td", {}, short(value(its.value), 400) || h("span", { class: "hint" }, t("metadata.none"))),
        h("td", { class: "from" }, place(its, url)))),
      h("tr", {}, h("th", { scope: "row" }, t("metadata.robots")), h("td", {}, robots.join(", ") || h("span", { class: "hint" }, t("metadata.none"))), h("td", {}))));
  }

  return partPanel("metadata", draw, () => point([])).body;
}
