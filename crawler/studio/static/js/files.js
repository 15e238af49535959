// Opening pages and projects, and saving under another name.

import { attempt, post } from "./api.js";
import { setView } from "./bar.js";
import { button, fill, h, onEnter, refill } from "./dom.js";
import { dialog } from "./dialog.js";
import { say } from "./notes.js";
import { act, emit, showPage, store } from "./store.js";
import { t } from "./strings.js";

// How many of the pages of an archive are listed at once.
const SHOWN = 200;

async function openPage(parts, box, list) {
  const told = box.querySelector("[role=status]");
  list.setAttribute("aria-busy", "true");
  told.textContent = t("open.busy", parts.name);
  const answer = await act("open", { ...parts, page: 0 });
  told.textContent = "";
  list.removeAttribute("aria-busy");
  if (answer?.choices) {
    const entries = h("ul", { class: "entries" });
    const narrow = (word) => fill(entries, answer.choices.filter(({ url }) => url.toLowerCase().includes(word.toLowerCase())).slice(0, SHOWN)
      .map(({ at, url }) => h("li", {}, button(url, () => openPage({ ...parts, at }, box, list)))));
    const search = h("input", { id: "open-search", type: "search", "aria-label": t("open.search"), placeholder: t("open.search"), oninput: () => narrow(search.value) });
    fill(list, h("p", {}, t("open.which", answer.choices.length)), search, entries);
    narrow("");
    search.focus();
  } else if (answer?.opened) {
    box.close();
    if (store.view === "run") { store.view = "wrap"; emit("view"); }
    await showPage(answer.opened);
    say(t("opened", parts.name));
  }
}

// Show a page of a file or folder in a view; one that is open already is not opened again.
export async function openAt(name, at, url, view) {
  const known = store.state.pages.find((its) => its.name === name && its.url === url);
  const answer = known ? { opened: known.page } : await act("open", { name, at, page: 0 });
  if (answer?.opened) { setView(view); await showPage(answer.opened); }
}

async function openProject(file, box) {
  if (await act("project", { file, page: 0 })) {
    box.close();
    location.reload();
  }
}

async function takeShape(file, box) {
  if (await act("shape", { file })) { box.close(); say(t("shape.taken", file)); }
}

export function openDialog() {
  const list = h("div", { class: "list" });
  const address = h("input", { id: "open-name", type: "text", spellcheck: "false", autocomplete: "off",
    placeholder: "https://shop.example/books", "aria-label": t("open.name") });
  const url = h("input", { id: "open-url", type: "url", placeholder: t("open.url.hint"), "aria-label": t("open.url") });
  const go = () => {
    const name = address.value.trim();
    return /^[^:]+\.h2x$/i.test(name) ? openProject(name, box) : openPage({ name, url: url.value }, box, list);
  };
  const browse = async (name) => {
    const answer = await attempt(() => post({ op: "list", name }));
    if (!answer) return;
    place.textContent = t("open.here", [store.state.folder, name].filter(Boolean).join("/"));
    const up = name ? [{ name: "..", path: name.split("/").slice(0, -1).join("/"), kind: "folder" }] : [];
    refill(list, h("ul", { class: "entries" }, [...up, ...answer.entries].map((entry) =>
      h("li", {}, button(`${entry.name}${entry.kind === "folder" ? "/" : ""}${entry.kind === "shape" ? ` (${t("shape")})` : ""}`, () => {
        if (entry.kind === "folder") browse(entry.path);
        else if (entry.kind === "project") openProject(entry.path, box);
        else if (entry.kind === "shape") takeShape(entry.path, box);
        else openPage({ name: entry.path, url: url.value }, box, list);
      }, { class: `entry ${entry.kind}` })))),
    answer.entries.length ? null : h("p", { class: "hint" }, t("open.empty", store.state.folder)));
  };
  const place = h("h3", {});
  const box = dialog(t("open.title"), [
    h("label", { for: "open-name" }, t("open.name")),
    h("div", { class: "line" }, address, button(t("open.now"), go, { class: "primary", id: "open-go" })),
    h("label", { for: "open-url" }, t("open.url")), url, h("p", { class: "well", role: "status" }),
    place, list]);
  for (const input of [address, url]) onEnter(input, go);
  address.focus();
  browse("");
}

export function saveAs() {
  const name = h("input", { id: "save-name", type: "text", value: store.state.file, spellcheck: "false" });
  const go = async () => {
    if (await act("save", { file: name.value })) { box.close(); say(t("saved", store.state.file)); }
  };
  const dropped = h("p", { class: "hint", role: "status" }, t("pages.drop.hint"));
  const drop = async () => {
    const answer = await attempt(() => post({ op: "drop_pages" }));
    if (answer) dropped.textContent = t("pages.dropped", answer.dropped, answer.left);
  };
  const box = dialog(t("save.as"), [h("label", { for: "save-name" }, t("save.name")), name,
    h("h3", {}, t("pages.kept")), dropped, button(t("pages.drop"), drop, { id: "pages-drop" })],
    [button(t("save"), go, { class: "primary" })]);
  onEnter(name, go);
  name.select();
}
