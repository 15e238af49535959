// The bar at the top: the file, undo and redo, the views, the language.

import { attempt, post } from "./api.js";
import { dialog } from "./dialog.js";
import { button, h, refill } from "./dom.js";
import { openDialog, saveAs } from "./files.js";
import { help } from "./keys.js";
import { say } from "./notes.js";
import { act, emit, on, store } from "./store.js";
import { language, languages, t } from "./strings.js";

export const label = (its) => (its ? t(its[0], ...its.slice(1)) : "");

export async function undo() {
  const what = label(store.state.undo && store.state.undo);
  if (store.state.undo && await act("undo")) say(t("undone", what));
}

export async function redo() {
  const what = label(store.state.redo);
  if (store.state.redo && await act("redo")) say(t("redone", what));
}

// All steps of the project, each to go back to.
export async function history() {
  const answer = await attempt(() => post({ op: "history" }));
  if (!answer) return;
  const list = h("ol", { class: "entries history" }, answer.history.map((step, at) => h("li", {},
    button(label(step), async () => { if (await act("go", { at })) box.close(); }, { "aria-current": at === answer.at ? "step" : undefined, class: at > answer.at ? "undone" : "" }))));
  const box = dialog(t("history"), list);
  list.querySelector("[aria-current]")?.focus();
}

export async function save() {
  if (await act("save")) say(t("saved", store.state.file));
}

export function setView(name) {
  store.view = name;
  emit("view");
}

let following = false;

export function bar(element, views) {
  const draw = () => {
    const { file, saved, undo: last, redo: next } = store.state;
    refill(element,
      h("strong", { class: "brand" }, t("studio")),
      h("span", { class: "file", title: store.state.folder },
        file, h("span", { class: saved ? "dot saved" : "dot", role: "img", title: t(saved ? "file.saved" : "file.unsaved"), "aria-label": t(saved ? "file.saved" : "file.unsaved") }, saved ? "✓" : "●")),
      button(t("save"), save, { title: `${t("save")} (Ctrl+S)`, class: saved ? "" : "primary", id: "bar-save" }),
      button(t("save.as"), saveAs, { id: "bar-save-as" }),
      button(t("undo"), undo, { disabled: !last, title: last ? `${label(last)} (Ctrl+Z)` : t("undo.none"), id: "bar-undo" }),
      button(t("redo"), redo, { disabled: !next, title: next ? `${label(next)} (Ctrl+Shift+Z)` : t("redo.none"), id: "bar-redo" }),
      button(t("history"), history, { id: "bar-history" }),
      h("nav", { "aria-label": t("views"), class: "tabs" }, views.map((its) =>
        button(t(`view.${its.name}`), () => setView(its.name),
          { "aria-current": store.view === its.name ? "page" : undefined, id: `view-${its.name}` }))),
      h("span", { class: "spring" }),
      button(t("open"), () => openDialog(), { title: `${t("open")} (Ctrl+O)`, id: "bar-open" }),
      button("?", help, { "aria-label": t("help"), title: t("help") }),
      h("select", { "aria-label": t("language"), id: "language",
        onchange: (event) => document.dispatchEvent(new CustomEvent("studio-language", { detail: event.target.value })) },
        languages().map(([name, text]) => h("option", { value: name, selected: name === language }, text))));
  };
  bar.draw = draw;
  let told = label(store.state.undo);
  // Say what was done, for those who do not see it.
  const tell = () => {
    const next = label(store.state.undo);
    if (next && next !== told) say(next);
    told = next;
  };
  if (!following) {
    on("state", tell);
    on("state view", () => bar.draw());
  }
  following = true;
  draw();
}
