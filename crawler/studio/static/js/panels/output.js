// The output: its fields with what is found on this page, and their examples.

import { attempt, post } from "../api.js";
import { button, focusOn, h, onEnter, refill, short } from "../dom.js";
import { dialog } from "../dialog.js";
import { colourOf, fields, foundOf, groups, preview, recordsAround } from "../fields.js";
import { act, on, select, showPage, store } from "../store.js";
import { saidLine, t } from "../strings.js";
import { TYPES, teach } from "./selection.js";

const SHOWN = 3;
const NO_FIT = "rule no longer fits";
// The last place of any group.
const MOST = 1000;
let opened = new Set();

function values(path, element, reveal) {
  const found = foundOf(path);
  if (!found.length) return h("span", { class: "nothing" }, t(!(path in store.state.examples) ? "field.norule" : store.later ? "field.looking" : "field.notfound"));
  if (element.type === "group") return h("span", { class: "count" }, t("records", found.length));
  return [found.slice(0, SHOWN).map(([node, attribute, value, confidence], at) =>
    button([h("span", {}, short(value, 60)), h("meter", { min: 0, max: 1, low: 0.6, high: 0.85, optimum: 1, value: confidence, "aria-hidden": "true" })],
      () => { if (node !== null) { select(node, attribute || (store.trees.get(store.page)?.isText(node) ? "text" : "element")); reveal(node); } }, { class: "found", id: `found-${path}-${at}`, title: t("confidence", confidence) })),
  found.length > SHOWN ? h("span", { class: "more" }, t("more", found.length - SHOWN)) : null];
}

function examples(path) {
  const list = store.state.examples[path] ?? [];
  return h("ul", { class: "examples", "aria-label": t("examples", path) }, list.map((its, at) => h("li", {},
    its.page ? button(its.address, () => showPage(its.page), { class: "link", title: its.address }) : h("span", { title: its.address }, short(its.address, 40)),
    h("span", {}, its.values.length ? its.values.map((value) => short(value, 40)).join(" · ") : t("example.absent")),
    its.record ? h("code", {}, short(its.record, 30)) : null,
    button(t("remove"), () => act("forget", { path, at }), { "aria-label": t("example.remove", path, at + 1), class: "plain", id: `example-${path}-${at}` }))));
}

function field({ path, element, depth }, reveal) {
  const isOpen = opened.has(path);
  const found = foundOf(path);
  return h("li", { class: `field depth-${Math.min(depth, 6)} ${found.length ? "" : "lacking"}` },
    h("div", { class: "line" },
      h("span", { class: `swatch colour-${element.type === "group" ? "group" : colourOf(path)}`, "aria-hidden": "true" }),
      button(element.name, () => { if (!opened.delete(path)) opened.add(path); store.redraw?.(); document.getElementById(`field:${path}`)?.closest("li").scrollIntoView({ block: "nearest" }); }, { class: "name", "aria-expanded": String(isOpen), id: `field:${path}` }),
      h("span", { class: "type" }, [t(`type.${element.type}`), element.repeat && t("field.repeat"), element.required && t("field.required")].filter(Boolean).join(", ")),
      h("span", { class: "values" }, values(path, element, reveal))),
    isOpen ? details(path, element) : null);
}

const aroundOf = (path) => path.split("/").slice(0, -1).join("/");
const join = (...parts) => parts.filter(Boolean).join("/");

// The elements beside an element, in order.
const beside = (path) => fields().filter((its) => aroundOf(its.path) === aroundOf(path));

// Give an element another path; it stays open.
async function follow(path, to, op, parts) {
  if (await act(op, { path, ...parts })) { opened.delete(path); opened.add(to); }
  store.redraw?.();
  focusOn(`${op === "move" ? "into" : op}-${opened.has(to) ? to : path}`);
}

function rename(path, name) {
  if (name.trim() !== path.split("/").at(-1)) follow(path, join(aroundOf(path), name.trim()), "rename", { name });
}

// The group that an element is in, to be moved into another one.
function place(path, element) {
  const into = ["", ...groups().map((its) => its.path)].filter((its) => its !== path && !its.startsWith(`${path}/`));
  return into.length < 2 ? null : h("select", { id: `into-${path}`, "aria-label": t("field.into", path), title: t("field.into", path),
    onchange: ({ target: { value } }) => follow(path, join(value, element.name), "move", { into: value, to: MOST }) },
  into.map((its) => h("option", { value: its, selected: its === aroundOf(path) }, its || t("field.page"))));
}

function details(path, element) {
  const its = store.selection;
  const at = beside(path).findIndex((one) => one.path === path);
  const flag = (name) => h("label", {}, h("input", { type: "checkbox", id: `${name}-${path}`, checked: element[name],
    onchange: (event) => act("change", { path, [name]: event.target.checked }) }), t(`field.${name}`));
  return h("div", { class: "details" },
    h("div", { class: "line" },
      h("input", { type: "text", id: `rename-${path}`, value: element.name, size: 12, "aria-label": t("field.rename"), title: t("field.rename"),
        onchange: (event) => rename(path, event.target.value) }),
      element.type === "group" ? null : h("select", { id: `type-${path}`, "aria-label": t("field.type"), onchange: (event) => act("change", { path, type: event.target.value }) },
        TYPES.map((type) => h("option", { value: type, selected: type === element.type }, t(`type.${type}`)))),
      flag("repeat"), flag("required")),
    h("div", { class: "line" },
      button("↑", () => act("move", { path, to: at - 1 }), { disabled: at === 0, "aria-label": t("up", path), id: `up-${path}` }),
      button("↓", () => act("move", { path, to: at + 1 }), { disabled: at === beside(path).length - 1, "aria-label": t("down", path), id: `down-${path}` }),
      place(path, element),
      button(t("field.remove"), () => act("remove", { path }), { id: `remove-${path}` })),
    (store.state.examples[path] ?? []).length ? [h("span", { class: "hint" }, t("examples", path)), examples(path)] : null,
    h("div", { class: "line" },
      element.type !== "group" && its ? button(t("field.this"), () => teach(path, its), { class: "primary", id: `this-${path}` }) : null,
      lacks(path, element),
      element.type !== "group" ? button(t("field.near"), () => showNear(path), { id: `near-${path}` }) : null),
    near.path === path && near.page === store.page ? nearList(path) : null);
}

// Say that the page lacks a field, or the record in which something is selected.
function lacks(path, element) {
  if (element.type === "group") return null;
  if (!path.includes("/")) return button(t("field.absent"), () => act("teach", { path, nodes: [], kind: "text" }), { id: `absent-${path}` });
  const within = store.selection?.node;
  return within !== undefined && recordsAround(within).some((one) => path.startsWith(`${one.path}/`))
    ? button(t("field.absent.record"), () => act("teach", { path, nodes: [], kind: "text", within }), { id: `absent-${path}` }) : null;
}

// The candidates of a field that come next, where it was asked for them.
const near = { path: "", page: 0, list: [] };

async function showNear(path) {
  const answer = await attempt(() => post({ op: "near", path, of: store.page }));
  if (!answer) return;
  Object.assign(near, { path, page: store.page, list: answer.near });
  store.redraw?.();
}

function nearList(path) {
  return h("ul", { class: "examples near", "aria-label": t("field.near") }, near.list.map(({ node, kind, value, confidence, taken }) => h("li", {},
    button(short(value, 50), () => { select(node, kind); store.reveal?.(node); }, { class: "link" }),
    h("span", {}, confidence.toFixed(2), taken ? " ✓" : ""),
    taken ? null : button(t("field.right"), () => teach(path, { node, kind }), { class: "plain" }))),
  near.list.length ? null : h("li", { class: "hint" }, t("field.near.none")));
}

function giveAddress(page) {
  const input = h("input", { type: "url", id: "page-address", placeholder: "https://…" });
  const go = async () => { if (await act("address", { url: input.value, page: page.page })) box.close(); };
  const box = dialog(t("address.title", page.title || page.name), [h("p", { class: "hint" }, t("address.hint")), h("label", { for: "page-address" }, t("address.label")), input],
    [button(t("address.set"), go, { class: "primary", id: "address-set" })]);
  onEnter(input, go);
  input.focus();
}

export function outputPanel(reveal) {
  const list = h("ul", { class: "fields", id: "fields", tabindex: -1 });
  const flaws = h("ul", { class: "flaws" });
  const draw = () => {
    const all = fields();
    refill(list, all.length ? all.map((its) => field(its, reveal)) : h("li", { class: "hint" }, t("fields.none")));
    const its = preview();
    const page = store.state.pages.find((one) => one.page === store.page);
    const lacksAddress = page?.url.startsWith("file:") && its?.lines.some(([kind]) => kind === "wrong-type");
    refill(flaws, lacksAddress ? h("li", {}, button(t("address.give"), () => giveAddress(page), { class: "link", id: "give-address" })) : null, (all.length && its ? its.lines : []).map((line) => h("li", { class: line[0] === "debug" ? "debug" : "flaw" }, line[0] === NO_FIT ? t("misfit.line", line[2][0]) : saidLine(line))));
  };
  store.redraw = draw;
  store.reveal = reveal;
  on("state preview page selection", draw);
  draw();
  return h("section", { class: "panel output", "aria-label": t("output") }, h("h2", {}, t("output")), flaws, list);
}
