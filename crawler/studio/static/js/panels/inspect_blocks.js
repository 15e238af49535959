// The blocks of a page with their labels, and the evidence that decided on one of them.

import { fill, h, refill, short } from "../dom.js";
import { kindOf, look, shown, unjudged, word } from "../inspection.js";
import { on } from "../store.js";
import { t } from "../strings.js";
import { RowList } from "../virtual.js";

const FILTERS = ["all", "kept", "dropped", "changed", "differing"];
const share = (value) => `${Math.round(100 * value)}%`;

export const labelOf = (block) => word("label", block.reason);

export function blocksPanel() {
  let rows = [];
  let filter = "all";
  let wanted = "";
  const list = new RowList({ height: 24, row, label: t("inspect.blocks"), role: "listbox", select: (at) => look(rows[at], "list") });
  list.element.id = "inspect-blocks";
  const count = h("span", { class: "hint", id: "inspect-count-shown", role: "status" });
  const evidence = h("section", { class: "evidence", id: "inspect-evidence", tabindex: 0, "aria-label": t("inspect.evidence") });
  const head = h("div", { class: "row-head", "aria-hidden": "true" });
  const search = h("input", { id: "inspect-search", type: "search", placeholder: t("inspect.search"), "aria-label": t("inspect.search"), oninput: () => { wanted = search.value.toLowerCase(); arrange(); } });
  const chooser = h("select", { id: "inspect-filter", "aria-label": t("inspect.filter"), onchange: () => { filter = chooser.value; arrange(); } });

  function row(at) {
    const number = rows[at];
    const block = shown.first.blocks[number];
    const twin = shown.other ? shown.first.like(number, shown.other) : -1;
    const other = twin < 0 ? null : shown.other.blocks[twin];
    const isDiffering = shown.other && shown.first.differs(number, shown.other);
    return h("div", { class: `row block ${number === shown.block ? "selected" : ""} ${isDiffering ? "differs" : ""}`, role: "option", id: `block-${number}`,
      "aria-selected": number === shown.block ? "true" : "false", "aria-setsize": rows.length, "aria-posinset": at + 1,
      onclick: () => { list.go(at); look(number, "list"); }, onmouseenter: () => look(number, "row") },
    chip(block), shown.other ? (other ? chip(other) : h("span", { class: "chip label" }, "–")) : null,
    h("span", { class: "score" }, block.score === null ? "" : block.score.toFixed(2)),
    h("span", { class: "what" }, short(block.text, 160)));
  }

  const chip = (block) => h("span", { class: "chip label" }, h("span", { class: `swatch kind-${kindOf(block)}` }), block.kept ? "✓ " : "", labelOf(block));

  const tests = {
    all: () => true,
    kept: (block) => block.kept,
    dropped: (block) => !block.kept,
    changed: (block) => block.changes?.length,
    differing: (_, at) => shown.other && shown.first.differs(at, shown.other),
  };

  function arrange() {
    const blocks = shown.first?.blocks ?? [];
    rows = [];
    blocks.forEach((block, at) => {
      if (tests[filter](block, at) && (!wanted || block.text.toLowerCase().includes(wanted) || labelOf(block).toLowerCase().includes(wanted))) rows.push(at);
    });
    count.textContent = shown.first ? t("inspect.shown", rows.length, blocks.length) : "";
    list.set(rows.length);
    current();
  }

  function draw() {
    if (!shown.other && filter === "differing") filter = "all";
    refill(chooser, FILTERS.filter((its) => its !== "differing" || shown.other).map((its) => h("option", { value: its, selected: its === filter }, t(`inspect.filter.${its}`))));
    head.hidden = !shown.other;
    fill(head, shown.other ? [h("span", {}, shown.first.method), h("span", {}, shown.other.method)] : null);
    arrange();
  }

  let last = -1;
  function current() {
    const at = rows.indexOf(shown.block);
    if (shown.from === "row") {
      // The row under the pointer stays where it is.
      for (const its of [last, shown.block]) document.getElementById(`block-${its}`)?.classList.toggle("selected", its === shown.block);
    } else if (at >= 0) list.go(at);
    else list.set(rows.length);
    last = shown.block;
    explain();
  }

  function explain() {
    const at = shown.block;
    if (!shown.first || at < 0) { fill(evidence, h("p", { class: "hint" }, shown.first ? t("inspect.point") : unjudged())); return; }
    const twin = shown.other ? shown.first.like(at, shown.other) : -1;
    refill(evidence, facts(shown.first, at), shown.other ? (twin < 0 ? h("p", { class: "hint" }, t("inspect.nowhere", shown.other.method)) : facts(shown.other, twin)) : null);
  }

  on("inspecting inspected", draw);
  on("block", current);
  draw();
  return h("div", { class: "blocks" }, h("div", { class: "line tools" }, chooser, search, count), head, list.element, evidence);
}

// The evidence on a block, as terms and descriptions.
function facts(its, at) {
  const block = its.blocks[at];
  const found = [];
  const add = (name, ...said) => found.push(h("dt", {}, t(`evidence.${name}`)), h("dd", { class: `is-${name}` }, said));
  add("label", h("span", { class: `swatch kind-${kindOf(block)}` }), t(block.kept ? "evidence.kept" : "evidence.dropped", labelOf(block)));
  if (block.score !== null) add("score", h("meter", { min: 0, max: 1, low: 0.5, high: 0.5, optimum: 1, value: block.score, "aria-label": t("evidence.score") }), ` ${block.score.toFixed(3)}`);
  if (block.changes) add("changes", block.changes.length ? h("ol", {}, block.changes.map(([step, kept]) => h("li", {}, t(kept ? "evidence.keeps" : "evidence.drops", word("step.rule", step))))) : t("evidence.judge"));
  add("pages", its.pages ? t("evidence.on", block.pages, its.pages) : t("evidence.unknown"),
    its.pages && block.asText !== block.pages ? ` ${t("evidence.astext", block.asText)}` : "");
  if (its.threshold !== null) add("threshold", t("evidence.atmost", its.threshold));
  if (block.rule) add("rule", word("label", block.rule));
  if (block.margin !== undefined && its.pages) add("margin", t(block.margin > 0 ? "evidence.for" : "evidence.against", Math.abs(block.margin).toFixed(2)));
  add("links", share(block.links));
  if (!block.nodes.length) add("region", t("evidence.script"));
  if (block.comments) add("region", t("evidence.comments"));
  const way = around(its, block);
  add("where", way.length ? h("span", { class: "path" }, way.map((one) => one.label).join(" › ")) : block.path);
  const signs = its.holders[block.holder]?.[3] ?? [];
  if (signs.length) add("signs", h("ul", { class: "signs" }, signs.map(([sign, steps]) => h("li", {}, h("b", {}, sign), ` ${short(way.at(-1 - steps)?.label ?? "", 40)} `, steps ? h("span", { class: "hint" }, t("evidence.steps", steps)) : null))));
  return [h("h3", {}, its.method), h("blockquote", {}, short(block.text, 240)), h("dl", {}, found)];
}

// The elements around a block, the root first, with the names that their author gave them.
function around(its, block) {
  const found = [];
  for (let at = block.holder; at >= 0; at = its.holders[at][2]) {
    const [tag, names] = its.holders[at];
    if (tag) found.unshift({ label: tag + names.split(/\s+/).filter(Boolean).slice(0, 3).map((one) => `.${one}`).join("") });
  }
  return found;
}
