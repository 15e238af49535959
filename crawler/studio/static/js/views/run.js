// The view in which the project is run over many pages.

import { attempt, get, post } from "../api.js";
import { commandLine } from "../command.js";
import { button, fill, h, refill, short } from "../dom.js";
import { openAt } from "../files.js";
import { say } from "../notes.js";
import { added, chooser } from "../reading.js";
import { on, store } from "../store.js";
import { saidError, saidLine, t } from "../strings.js";
import { RowList } from "../virtual.js";

export const name = "run";

const FORMS = ["csv", "jsonl", "xlsx", "xml"];
const POLL = 300;
const kept = { names: "", args: "", form: "csv" };

export function view() {
  let run = null;
  let rows = [];
  let shown = [];
  let sort = { column: -1, down: false };
  let wanted = "";
  let timer = 0;

  const names = h("textarea", { id: "run-names", rows: 3, spellcheck: "false", placeholder: t("run.names.hint"), "aria-label": t("run.names"), value: kept.names,
    oninput: (event) => { kept.names = event.target.value; later(); } });
  const args = h("textarea", { id: "run-args", rows: 2, spellcheck: "false", value: kept.args, "aria-label": t("run.args"), placeholder: t("run.args"),
    oninput: (event) => { kept.args = event.target.value; later(); } });
  const progress = h("progress", { id: "run-progress", "aria-label": t("run.progress"), hidden: true });
  const counts = h("span", { id: "run-counts", role: "status" });
  const search = h("input", { id: "run-search", type: "search", placeholder: t("run.search"), "aria-label": t("run.search"), oninput: () => { wanted = search.value.toLowerCase(); arrange(); } });
  const head = h("div", { class: "cells head", id: "results-head", role: "row" });
  const list = new RowList({ height: 26, row, label: t("run.results"), role: "grid", key, select: tell });
  list.element.id = "results";
  list.element.setAttribute("aria-owns", "results-head");
  const reason = h("p", { class: "reason", id: "run-reason", role: "status" });
  list.element.addEventListener("scroll", () => { head.scrollLeft = list.element.scrollLeft; });
  const exports = h("div", { class: "line", id: "run-exports" });
  const top = h("div", { class: "line top" }, search, exports);
  const commands = h("div", { class: "commands", id: "run-commands" });
  const empty = h("p", { class: "hint" }, t("run.none"));

  const words = (text) => text.split("\n").map((its) => its.trim()).filter(Boolean);
  const given = () => ({ names: words(names.value), args: words(args.value) });

  async function start() {
    const answer = await attempt(() => post({ op: "run", ...given() }));
    if (!answer) return;
    rows = [];
    sort = { column: -1, down: false };
    take(answer.reading);
  }

  function take(next) {
    run = next;
    if (!next) { draw(); return; }
    for (const its of next.rows) its[4] = its[4].map(saidLine).join("; ");
    if (next.start === rows.length) rows.push(...next.rows);
    draw();
    clearTimeout(timer);
    if (next.running || next.more) timer = setTimeout(poll, next.more ? 0 : POLL);
    else say(t("run.done", next.counts.fit, next.counts.misfit, next.counts.unreadable));
  }

  async function poll() {
    try { take((await get(`/api/reading/run?known=${rows.length}`)).reading); } catch { timer = setTimeout(poll, 2000); }
  }

  // Of a long address the end is seen, which tells pages apart.
  const address = (url) => h("span", { role: "gridcell", class: "cell address" }, h("bdi", {}, url));

  let delay = 0;
  function later() {
    clearTimeout(delay);
    delay = setTimeout(drawCommands, 250);
  }

  async function drawCommands() {
    let answer;
    try { answer = await post({ op: "commands", ...given(), form: kept.form }); } catch { return; }
    fill(commands, ["wrap", "crawl"].filter((its) => answer.commands[its]).map((its) => commandLine(`command-${its}`, answer.commands[its])),
    store.state.saved ? null : h("p", { class: "hint" }, t("run.unsaved")));
  }

  // The rows that are searched for, in the order of the table: what does not fit comes first.
  function arrange() {
    shown = wanted ? rows.filter((its) => `${its[5].join("\t")}\t${its[4]}`.toLowerCase().includes(wanted)) : rows.slice();
    const { column, down } = sort;
    const order = new Intl.Collator(undefined, { numeric: true }).compare;
    if (column < 0) {
      const wrong = shown.filter((its) => !its[3]);
      const flawed = shown.filter((its) => its[3] && its[4]);
      shown = [...wrong, ...flawed, ...shown.filter((its) => its[3] && !its[4])];
    } else shown.sort((one, other) => (down ? -1 : 1) * order(one[5][column] ?? "", other[5][column] ?? ""));
    list.set(shown.length);
  }

  function row(at) {
    const [, number, url, fits, line, cells] = shown[at];
    return h("div", { class: `row cells ${fits ? "" : "misfit"}`, role: "row", "aria-rowindex": at + 2, onclick: () => { list.go(at); tell(at); }, ondblclick: () => open(at), title: line || url },
      h("span", { role: "gridcell", class: "cell state", "aria-label": t(fits ? (line ? "run.flawed" : "fits") : "misfit") }, fits ? (line ? "⚠" : "✓") : "✗"),
      fits ? cells.map((cell, column) => column ? h("span", { role: "gridcell", class: "cell" }, short(cell, 200)) : address(cell))
        : [address(url), h("span", { role: "gridcell", class: "cell long" }, line)],
      number < 0 ? null : h("span", { role: "gridcell" }, button(t("run.open"), () => open(at), { class: "plain", tabindex: -1 })));
  }

  // What is wrong with the row in front.
  function tell(at) {
    reason.textContent = shown[at]?.[4] ?? "";
  }

  function key(event, at) {
    if (event.key === "Enter" && shown[at]) { event.preventDefault(); open(at); }
  }

  // Open the page of a row in a pane, to see why.
  async function open(at) {
    const [source, number] = shown[at];
    if (number < 0) return;
    await openAt(source, number, shown[at][2], "wrap");
  }

  function draw() {
    const has = run && (rows.length || run.running || run.error);
    progress.hidden = !run?.running;
    const { fit = 0, misfit = 0, unreadable = 0 } = run?.counts ?? {};
    counts.textContent = run ? `${t("run.counts", fit + misfit + unreadable, fit, misfit, unreadable)}${run.error ? ` – ${saidError(run)}` : ""}` : "";
    refill(controls, run?.running ? button(t("run.stop"), () => post({ op: "stop", view: "run" }), { id: "run-stop" })
      : button(t("run.start"), start, { class: "primary", id: "run-start" }), progress, counts);
    refill(head, run ? [h("span", { role: "columnheader", class: "cell state" }, button("!", () => { sort = { column: -1, down: false }; draw(); }, { class: "plain", title: t("run.flaws.first"), "aria-label": t("run.flaws.first") })),
      run.columns.map((column, at) => h("span", { role: "columnheader", class: "cell", "aria-sort": sort.column === at ? (sort.down ? "descending" : "ascending") : "none" },
        button(`${column}${sort.column === at ? (sort.down ? " ↓" : " ↑") : ""}`, () => { sort = { column: at, down: sort.column === at && !sort.down }; draw(); }, { class: "plain", id: `sort-${at}` })))] : null);
    fill(exports, run && fit ? [h("span", {}, t("run.export")), FORMS.map((form) => h("a", { class: "button", href: `/api/results.${form}`, download: "", id: `export-${form}` }, t(`form.${form}`)))] : null);
    empty.hidden = Boolean(has);
    for (const its of [list.element, head, top]) its.hidden = !has;
    arrange();
    tell(list.current);
  }

  const controls = h("div", { class: "line" });
  const here = h("div", {}, chooser((path) => { names.value = added(words(names.value), path).join("\n"); kept.names = names.value; later(); }, (its) => its.kind !== "project"));
  draw();
  drawCommands();
  poll();
  on("state", later);
  return h("div", { class: "run" },
    h("section", { class: "settings", "aria-label": t("run.what") }, h("h2", {}, t("run.names")), names, here, args, controls,
      h("h3", {}, t("run.commands")), commands,
      h("h3", {}, t("run.object")), h("p", { class: "hint" }, t("run.object.hint")),
      h("div", { class: "line" }, h("a", { class: "button", href: "/api/page-object.zip", download: "", id: "export-object" }, t("run.object.get")))),
    h("section", { class: "results", "aria-label": t("run.results") }, top, head, list.element, reason, empty));
}
