// The application: the bar, the views, the keys.
//
// A view is a module of `views/` that exports `name` and `view()`, which returns its element; it is
// listed in VIEWS. What it shows it keeps up to date by the topics of `store.js`.

import { button, fill, h } from "./dom.js";
import { bar } from "./bar.js";
import { listen } from "./keys.js";
import { emit, follow, loadPage, on, refresh, store } from "./store.js";
import { setLanguage, t } from "./strings.js";
import * as history from "./views/history.js";
import * as inspect from "./views/inspect.js";
import * as run from "./views/run.js";
import * as site from "./views/site.js";
import * as wrap from "./views/wrap.js";

const VIEWS = [wrap, run, inspect, site, history];

const made = new Map();

function show() {
  const name = store.view;
  const module = VIEWS.find((its) => its.name === name) ?? VIEWS[0];
  if (!made.has(module.name)) made.set(module.name, module.view());
  const view = document.getElementById("view");
  if (view.firstChild !== made.get(module.name)) {
    const had = view.contains(document.activeElement);
    fill(view, made.get(module.name));
    if (had) view.focus();
  }
  document.title = `${store.state.saved ? "" : "• "}${store.state.file} – ${t("studio")}`;
}

async function start() {
  await setLanguage();
  await refresh();
  if (!store.state) {
    fill(document.getElementById("view"), h("p", { class: "empty" }, t("error.server"), " ",
      button(t("again"), () => location.reload())));
    return;
  }
  store.page = store.state.pages[0]?.page ?? 0;
  bar(document.getElementById("bar"), VIEWS);
  on("view state", show);
  show();
  listen(VIEWS);
  emit("page", "selection");
  await loadPage();
  follow();
}

// In another language everything is made anew; nothing is lost by that.
document.addEventListener("studio-language", async (event) => {
  await setLanguage(event.detail);
  location.reload();
});
start();
