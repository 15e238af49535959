// What is read in the background for a view: the names that are asked for, progress, the end.

import { get, post, why } from "./api.js";
import { button, h, onEnter, refill } from "./dom.js";
import { store } from "./store.js";
import { saidError, t } from "./strings.js";

const POLL = 300;
const LATER = 2000;
const SHOWN = 60;

// Names with one more: in place of those that contain it, or that it contains.
export const added = (names, path) => [...names.filter((its) => its !== path && !path.startsWith(`${its}/`) && !its.startsWith(`${path}/`)), path].filter((its) => its.trim());

// Folders and files to choose from; `take(path)` is called for a file, or the folder in which one is.
export function chooser(take, wanted = () => true) {
  const element = h("div", { class: "line chooser" });
  const browse = async (name) => {
    let entries = [];
    try { entries = (await post({ op: "list", name })).entries.filter(wanted).slice(0, SHOWN); } catch { /* the list is a help, no more */ }
    if (entries.some((its) => its.kind === "page")) entries.unshift({ name: t("run.folder"), path: name || ".", kind: "" });
    refill(element, h("span", {}, t("run.here")),
      name ? button("..", () => { const up = name.split("/").slice(0, -1).join("/"); take(up); browse(up); }, { class: "plain entry", "aria-label": t("reading.up") }) : null,
      entries.map((its) => button(`${its.name}${its.kind === "folder" ? "/" : ""}`, () => { take(its.path); if (its.kind === "folder") browse(its.path); }, { class: "plain entry" })),
      entries.length || name ? null : h("span", {}, t("reading.none", store.state.folder)));
  };
  browse("");
  return element;
}

// `inputs` are the parts of the message with their labels and hints; `show(found)` draws, and
// `status(found)` says how far it is.
export function reading({ view, inputs, wanted, show, status }) {
  let found = null;
  let timer = 0;
  const fields = inputs.map(([part, key]) => onEnter(h("input", { id: `${view}-${part}`, type: "text", spellcheck: "false", autocomplete: "off",
    "aria-label": t(key), placeholder: t(`${part === "name" ? view + ".name" : key}.hint`) }), () => start()));
  const progress = h("progress", { "aria-label": t("reading.progress") });
  const line = h("span", { id: `${view}-status`, role: "status" });
  const flaw = h("p", { class: "flaw", role: "alert", id: `${view}-flaw` });
  const controls = h("div", { class: "line" });

  async function start(more = {}) {
    const message = Object.fromEntries(inputs.map(([part], at) => [part, fields[at].value.trim()]));
    try {
      const answer = await post({ op: `read_${view}`, ...message, ...more });
      found = null;
      take(answer.reading);
    } catch (error) { line.textContent = ""; flaw.textContent = why(error); }
  }

  function take(next) {
    clearTimeout(timer);
    if (next) {
      const isNew = next.revision !== found?.revision;
      if (!found) inputs.forEach(([part], at) => { fields[at].value ||= next[part] ?? ""; });
      found = { ...found, ...next };
      if (next.running) timer = setTimeout(poll, POLL);
      draw();
      if (isNew || !next.running) show(found, isNew);
    } else draw();
  }

  async function poll() {
    try { take((await get(`/api/reading/${view}?known=${found?.revision ?? ""}`)).reading); } catch { timer = setTimeout(poll, LATER); }
  }

  function draw() {
    refill(controls, found?.running ? button(t("reading.stop"), () => post({ op: "stop", view }), { id: `${view}-stop` })
      : button(t("reading.start"), () => start(), { class: "primary", id: `${view}-start` }), found?.running ? progress : null);
    const words = found ? status(found) : "";
    if (line.textContent !== words) line.textContent = words;
    const wrong = saidError(found);
    if (flaw.textContent !== wrong) flaw.textContent = wrong;
  }

  draw();
  poll();
  const element = h("div", { class: "asked" }, inputs.map(([, key], at) => [h("label", { for: fields[at].id }, t(key)), fields[at],
    at ? null : chooser((path) => { fields[0].value = path; fields[0].focus(); }, wanted)]), controls, line, flaw);
  return { element, start };
}

export function emptyState(view, steps) {
  return h("div", { class: "empty", id: `${view}-empty` }, h("h2", {}, t(`${view}.empty.title`)),
    h("ol", {}, steps.map((key) => h("li", {}, t(`${view}.empty.${key}`)))));
}
