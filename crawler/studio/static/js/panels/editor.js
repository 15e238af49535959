// The editor of a script: its JavaScript with line numbers, the nodes that main gets, what it did.

import { button, fill, h, onEnter } from "../dom.js";
import { dialog } from "../dialog.js";
import { fields, hasRecords, preview } from "../fields.js";
import { act, shown, store } from "../store.js";
import { t } from "../strings.js";

// Edit a script, or the script of a copy; `put(at, action, label)` keeps it.
export function editor(action, at, put) {
  const text = h("textarea", { id: "script-text", spellcheck: "false", rows: 14, "aria-label": t("script.text"), value: action.script.join("\n") });
  const lines = h("div", { class: "gutter", "aria-hidden": "true" });
  const told = h("div", { class: "told", id: "script-told", role: "status" });
  const chosen = new Set(action.rules ?? []);
  let number = at;

  function drawLines(bad = 0) {
    const count = text.value.split("\n").length;
    fill(lines, Array.from({ length: count }, (_, its) => h("div", { class: its + 1 === bad ? "bad" : "" }, String(its + 1))));
  }

  function go(line, column) {
    const before = text.value.split("\n").slice(0, line - 1);
    const place = before.reduce((sum, its) => sum + its.length + 1, 0) + column - 1;
    text.focus();
    text.setSelectionRange(place, Math.min(place + 1, text.value.length));
  }

  async function run() {
    const next = { ...action, script: text.value.split("\n"), ...(action.do === "script" ? { rules: fields().map((its) => its.path).filter((path) => chosen.has(path)) } : {}) };
    const isNew = number >= store.state.actions.length;
    const answer = await put(number, next, isNew ? "actions.add" : "actions.edit");
    if (!answer) return false;
    await shown();
    action = next;
    const flaw = preview()?.flaws.find((its) => its.action === number + 1);
    drawLines(flaw?.line ?? 0);
    const debug = preview()?.debug ?? [];
    fill(told,
      flaw ? button(flaw.line ? t("action.flaw", flaw.line, flaw.column, flaw.words) : flaw.words, () => flaw.line && go(flaw.line, flaw.column), { class: "flaw", id: "script-flaw" })
        : h("p", { class: "well" }, store.page ? t("script.well") : t("script.nopage")),
      debug.length ? [h("h3", {}, t("script.debug")), h("pre", { id: "script-debug" }, debug.join("\n"))] : null);
    if (flaw?.line) go(flaw.line, flaw.column);
    return !flaw;
  }

  async function element() {
    const path = name.value.trim();
    if (path && await act("add", { path, type: kind.value })) { name.value = ""; drawNodes(); }
  }

  const nodes = h("div", { class: "line nodes" });
  const drawNodes = () => fill(nodes, action.do !== "script" ? h("p", { class: "hint" }, t("action.copy.hint"))
    : [h("span", {}, t("script.nodes")), fields().filter((its) => hasRecords(its.path)).map(({ path }) =>
      h("label", {}, h("input", { type: "checkbox", checked: chosen.has(path), onchange: (event) => { if (event.target.checked) chosen.add(path); else chosen.delete(path); } }), path))]);
  drawNodes();
  const name = h("input", { id: "script-element", type: "text", size: 12, placeholder: t("script.element.hint"), "aria-label": t("script.element") });
  onEnter(name, element);
  const kind = h("select", { "aria-label": t("field.type") }, ["text", "integer", "number", "date", "url"].map((its) => h("option", { value: its }, t(`type.${its}`))));
  text.addEventListener("input", () => drawLines());
  text.addEventListener("scroll", () => { lines.scrollTop = text.scrollTop; });
  text.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === "Enter") { event.preventDefault(); run(); }
  });
  drawLines();
  const box = dialog(t("script.title"), [nodes,
    h("div", { class: "line" }, h("span", {}, t("script.element")), name, kind, button(t("script.element.add"), element, { id: "script-element-add" })),
    h("div", { class: "code" }, lines, text), told,
    h("details", {}, h("summary", {}, t("script.help")), h("pre", {}, t("script.objects")))],
  [button(`${t("script.run")} (Ctrl+Enter)`, run, { id: "script-run" }), button(t("ok"), async () => { if (await run()) box.close(); }, { class: "primary", id: "script-ok" })]);
  box.classList.add("wide");
  text.focus();
}
