// The output: its fields with what is found on this page, and their examples.

import { button, h, refill, short } from "../dom.js";
import { colourOf, fields, foundOf, preview } from "../fields.js";
import { act, on, select, showPage, store } from "../store.js";
import { t } from "../strings.js";
import { teach } from "./selection.js";

const SHOWN = 3;
let opened = new Set();

function values(path, element, reveal) {
  const found = foundOf(path);
  if (!found.length) return h("span", { class: "nothing" }, t(path in store.state.examples ? "field.notfound" : "field.norule"));
  if (element.type === "group") return h("span", { class: "count" }, t("records", found.length));
  return [found.slice(0, SHOWN).map(([node, attribute, value, confidence]) =>
    button([h("span", {}, short(value, 60)), h("meter", { min: 0, max: 1, low: 0.6, high: 0.85, optimum: 1, value: confidence, title: t("confidence", confidence), "aria-label": t("confidence", confidence) })],
      () => { if (node !== null) { select(node, attribute || (store.trees.get(store.page)?.isText(node) ? "text" : "element")); reveal(node); } }, { class: "found" })),
  found.length > SHOWN ? h("span", { class: "more" }, t("more", found.length - SHOWN)) : null];
}

function examples(path) {
  const list = store.state.examples[path] ?? [];
  return h("ul", { class: "examples", "aria-label": t("examples", path) }, list.map((its, at) => h("li", {},
    its.page ? button(its.address, () => showPage(its.page), { class: "link", title: its.address }) : h("span", { title: its.address }, short(its.address, 40)),
    h("span", {}, its.values.length ? its.values.map((value) => short(value, 40)).join(" · ") : t("example.absent")),
    its.record ? h("code", {}, short(its.record, 30)) : null,
    button(t("remove"), () => act("forget", { path, at }), { "aria-label": t("example.remove", path, at + 1), class: "plain" }))));
}

function field({ path, element, depth }, reveal) {
  const isOpen = opened.has(path);
  const found = foundOf(path);
  return h("li", { class: `field depth-${Math.min(depth, 6)} ${found.length ? "" : "lacking"}` },
    h("div", { class: "line" },
      h("span", { class: `swatch colour-${element.type === "group" ? "group" : colourOf(path)}`, "aria-hidden": "true" }),
      button(element.name, () => { if (!opened.delete(path)) opened.add(path); store.redraw?.(); }, { class: "name", "aria-expanded": String(isOpen), id: `field-${path}` }),
      h("span", { class: "type" }, t(`type.${element.type}`), element.repeat ? " *" : "", element.required ? " !" : ""),
      h("span", { class: "values" }, values(path, element, reveal))),
    isOpen ? details(path, element) : null);
}

function details(path, element) {
  const its = store.selection;
  return h("div", { class: "details" },
    examples(path),
    h("div", { class: "line" },
      element.type !== "group" && its ? button(t("field.this"), () => teach(path, its), { class: "primary" }) : null,
      element.type !== "group" ? button(t("field.absent"), () => act("teach", { path, nodes: [], kind: "text" })) : null));
}

export function outputPanel(reveal) {
  const list = h("ul", { class: "fields", id: "fields", tabindex: -1 });
  const flaws = h("ul", { class: "flaws" });
  const draw = () => {
    const all = fields();
    refill(list, all.length ? all.map((its) => field(its, reveal)) : h("li", { class: "hint" }, t("fields.none")));
    const its = preview();
    refill(flaws, (all.length && its ? its.lines : []).map(([kind, line]) => h("li", { class: kind === "debug" ? "debug" : "flaw" }, line)));
  };
  store.redraw = draw;
  on("state preview page selection", draw);
  draw();
  return h("section", { class: "panel output", "aria-label": t("output") }, h("h2", {}, t("output")), flaws, list);
}
