// The view of a site: its frequency curve, its most frequent blocks, and the pages they stand on.

import { attempt, get } from "../api.js";
import { fill, h, refill, button, short } from "../dom.js";
import { openAt } from "../files.js";
import { note } from "../notes.js";
import { plot } from "../plot.js";
import { emptyState, reading } from "../reading.js";
import { t } from "../strings.js";
import { RowList } from "../virtual.js";

export const name = "site";

const COLUMNS = ["block", "on", "astext", "share"];
// The places of a row that the server gives.
const KEY = 0;
const TEXT = 1;
const PAGES = 2;
const AS_TEXT = 3;

export function view() {
  let found = null;
  let shown = [];
  let chosen = null;
  let pages = [];
  let sort = { column: 1, down: true };
  const number = (its) => its.toLocaleString();

  const read = reading({
    view: name, inputs: [["name", "reading.name"], ["pages", "site.pages"]], show,
    wanted: (its) => ["folder", "archive", "page"].includes(its.kind),
    status: (its) => [its.running ? t(`site.stage.${its.stage}`, number(its.read)) : t("reading.read", number(its.read), its.seconds),
      its.skipped ? t("site.skipped", number(its.skipped), Object.keys(its.reasons).join(", ")) : "", ...its.notes].filter(Boolean).join(" · "),
  });
  const facts = h("div", { class: "facts" });
  const curve = h("div", { class: "curve" });
  const search = h("input", { id: "site-search", type: "search", placeholder: t("site.search"), "aria-label": t("site.search"), oninput: arrange });
  const count = h("span", { class: "hint", role: "status", id: "site-count" });
  const head = h("div", { class: "cells head", id: "site-head", role: "row" });
  const list = new RowList({ height: 26, row, label: t("site.blocks"), role: "grid", key: enter(choose), select: () => {} });
  list.element.id = "site-blocks";
  list.element.setAttribute("aria-owns", "site-head");
  const pageHead = h("p", { class: "hint", role: "status", id: "site-pages-head" });
  const pageList = new RowList({ height: 26, row: pageRow, label: t("site.pagesof"), role: "listbox", key: enter(open) });
  pageList.element.id = "site-pages-list";
  const empty = emptyState(name, [1, 2, 3]);
  const body = h("div", { class: "site-body" },
    curve,
    h("section", { class: "results", "aria-label": t("site.blocks") }, h("div", { class: "line top" }, h("h2", {}, t("site.blocks")), search, count), head, list.element),
    h("section", { class: "results pages-of", "aria-label": t("site.pagesof") }, h("div", { class: "line top" }, h("h2", {}, t("site.pagesof"))), pageHead, pageList.element));

  function enter(work) {
    return (event, at) => { if (event.key === "Enter" && at >= 0) { event.preventDefault(); work(at); } };
  }

  function show(next, isNew) {
    const before = found;
    found = next;
    empty.hidden = Boolean(next.summary);
    body.hidden = !next.summary;
    if (next.site !== before?.site || next.name !== before?.name) {
      chosen = null;
      list.current = -1;
      drawPages(null);
    }
    drawFacts();
    if (!next.summary || !isNew) return;
    // The curve stays as it is while texts come in: its table may be open.
    if (JSON.stringify(next.summary) !== JSON.stringify(before?.summary)) fill(curve, plot(next.summary.plot));
    arrange();
  }

  function drawFacts() {
    const its = found.summary;
    const adaptive = its?.thresholds.find((one) => one.of === "blocks");
    const line = (key, value) => [h("dt", {}, t(key)), h("dd", {}, number(value))];
    refill(facts,
      found.sites.length > 1 ? [h("label", { for: "site-choose" }, t("site.choose")),
        h("select", { id: "site-choose", disabled: found.running, onchange: (event) => read.start({ site: event.target.value }) },
          found.sites.map((site) => h("option", { value: site, selected: site === found.site }, site)))] : null,
      its ? [found.sites.length > 1 ? null : h("p", {}, h("strong", {}, found.site)),
        h("dl", {}, line("site.pagesseen", its.seen), line("site.distinct", its.pages), line("site.near", its.near), line("site.recurring", its.recurring), line("site.single", its.single)),
        h("h3", {}, t("site.thresholds")),
        h("ul", {}, its.thresholds.map((one) => h("li", {}, t(one.keeps === null ? "site.threshold.all" : "site.threshold", one.of === "blocks" ? one.method : t("site.paper", one.method), t(`series.${one.of}`), number(one.keeps ?? 0))))),
        its.thresholds.some((one) => one.of !== "blocks") ? null : h("p", { class: "hint" }, t("site.nopaper")),
        found.sources ? null : h("p", { class: "hint", id: "site-notexts" }, t("site.notexts"))] : null);
    limit = adaptive?.keeps ?? Infinity;
  }
  let limit = Infinity;

  // The blocks that are searched for, in the order of the table.
  function arrange() {
    if (!found?.rows) return;
    const wanted = search.value.toLowerCase();
    shown = found.rows.filter((its) => !wanted || (its[TEXT] ?? "").toLowerCase().includes(wanted));
    const value = [(its) => its[TEXT] ?? "", (its) => its[PAGES], (its) => its[AS_TEXT], (its) => its[PAGES]][sort.column];
    const order = new Intl.Collator().compare;
    const by = sort.column ? (one, other) => value(one) - value(other) : (one, other) => order(value(one), value(other));
    shown.sort((one, other) => (sort.down ? -by(one, other) : by(one, other)));
    refill(head, COLUMNS.map((column, at) => h("span", { role: "columnheader", class: `cell ${at ? "figure" : "long"}`, "aria-sort": sort.column === at ? (sort.down ? "descending" : "ascending") : "none" },
      button(`${t(`site.${column}`)}${sort.column === at ? (sort.down ? " ↓" : " ↑") : ""}`, () => { sort = { column: at, down: sort.column === at ? !sort.down : at > 0 }; arrange(); }, { class: "plain", id: `site-sort-${column}` }))));
    count.textContent = t("site.shown", number(shown.length), number(found.summary.recurring));
    list.set(shown.length);
    const at = shown.findIndex((its) => its[KEY] === chosen);
    if (at >= 0) list.current = at;
  }

  function row(at) {
    const [key, text, on, asText] = shown[at];
    const cells = [number(on), number(asText), `${Math.round(100 * on / found.summary.pages)} %`];
    return h("div", { class: `row cells ${key === chosen ? "selected" : ""}`, role: "row", "aria-rowindex": at + 2, "aria-selected": String(key === chosen), onclick: () => { list.go(at); choose(at); } },
      h("span", { role: "gridcell", class: "cell long", title: text ?? "" }, text === null ? h("em", { class: "hint" }, t("site.unknown", key)) : short(text, 300)),
      cells.map((its, column) => h("span", { role: "gridcell", class: `cell figure ${column === 1 && asText > limit ? "frequent" : ""}`, title: column === 1 && asText > limit ? t("site.frequent") : undefined }, its)));
  }

  async function choose(at) {
    chosen = shown[at][KEY];
    list.set(shown.length);
    const answer = await attempt(() => get(`/api/site/${chosen}`));
    if (answer?.block === chosen) drawPages(answer);
  }

  function drawPages(answer) {
    pages = answer?.pages ?? [];
    pageHead.textContent = !answer ? t("site.pagesof.none") : answer.number > pages.length ? t("site.pagesof.first", number(answer.number), number(pages.length)) : t("site.pagesof.n", number(answer.number));
    pageList.element.scrollTop = 0;
    pageList.set(pages.length);
  }

  function pageRow(at) {
    const [url, source] = pages[at];
    return h("div", { class: `row ${source === null ? "away" : ""}`, role: "option", "aria-selected": "false", title: source === null ? t("site.nopage") : url, onclick: () => { pageList.go(at); open(at); } }, h("span", { class: "address" }, url));
  }

  async function open(at) {
    const [url, source, place] = pages[at];
    if (source === null) { note(t("site.nopage")); return; }
    await openAt(source, place, url, "inspect");
  }

  body.hidden = true;
  drawPages(null);
  return h("div", { class: "run site" },
    h("section", { class: "settings", "aria-label": t("view.site") }, h("h2", {}, t("view.site")), read.element, facts), h("div", { class: "results" }, empty, body));
}
