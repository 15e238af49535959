// Keys that work everywhere in the window, in the frame of the page too.

import { redo, save, setView, undo } from "./bar.js";
import { dialog } from "./dialog.js";
import { focusOn, h } from "./dom.js";
import { openDialog } from "./files.js";
import { showPage, store } from "./store.js";
import { t } from "./strings.js";

const nextPage = (step) => {
  const pages = store.state.pages.map((its) => its.page);
  if (pages.length > 1) showPage(pages[(pages.indexOf(store.page) + step + pages.length) % pages.length]);
};

const KEYS = [
  ["Ctrl+Z", "undo", undo],
  ["Ctrl+Shift+Z", "redo", redo],
  ["Ctrl+Y", "redo", redo],
  ["Ctrl+S", "save", save],
  ["Ctrl+O", "open", () => openDialog()],
  ["Alt+T", "keys.tree", () => focusOn("tag-tree")],
  ["Alt+S", "tree.find", () => focusOn("tree-find")],
  ["Alt+F", "keys.fields", () => focusOn("fields")],
  ["Alt+N", "keys.name", () => focusOn("field-name")],
  ["Alt+B", "keys.blocks", () => focusOn("inspect-blocks")],
  ["Alt+PageDown", "keys.next", () => nextPage(1)],
  ["Alt+PageUp", "keys.previous", () => nextPage(-1)],
  ["F1", "help", () => help()],
];

const OTHERS = [["↑ ↓ ← →", "keys.move"], ["Enter", "keys.enter"], ["Alt+↑ Alt+↓", "keys.widen"], ["Alt+↑ Alt+↓", "keys.block"], ["Esc", "keys.escape"]];

// The letter of a key, also where the keyboard is set to Hangul or Alt makes another sign of it.
const letter = ({ key, code }) => (/^Key[A-Z]$/.test(code) && !/^[a-z]$/i.test(key) ? code.slice(3) : key.length === 1 ? key.toUpperCase() : key);

export function pressed(event) {
  const name = `${event.ctrlKey || event.metaKey ? "Ctrl+" : ""}${event.altKey ? "Alt+" : ""}${event.shiftKey ? "Shift+" : ""}${letter(event)}`;
  const isText = event.target.closest?.("input, textarea, [contenteditable]");
  const known = KEYS.find(([key]) => key === name);
  // In a text, undo is that of the text.
  if (!known || (isText && /^Ctrl\+(Z|Shift\+Z|Y)$/.test(name))) return false;
  if (document.querySelector("dialog[open]")) return false;
  event.preventDefault();
  known[2]();
  return true;
}

// Listen to keys; each of the views has a number.
export function listen(views) {
  views.forEach(({ name }, at) => KEYS.push([`Alt+${at + 1}`, `view.${name}`, () => setView(name)]));
  document.addEventListener("keydown", pressed);
}

export function help() {
  const row = (key, what) => h("tr", {}, h("th", { scope: "row" }, h("kbd", {}, key)), h("td", {}, t(what)));
  dialog(t("help"), [
    h("ol", {}, ["help.1", "help.2", "help.3", "help.4", "help.5"].map((key) => h("li", {}, t(key)))),
    h("h3", {}, t("keys")),
    h("table", { class: "keys" }, KEYS.map(([key, what]) => row(key, what)), OTHERS.map(([key, what]) => row(key, what)))]);
}
