// The view in which wrappers are made: the page, its tag tree, the output, the actions.

import { button, fill, focusOn, h } from "../dom.js";
import { colourOf, fields, foundOf, preview } from "../fields.js";
import { openDialog } from "../files.js";
import { PageFrame } from "../frame.js";
import { pressed } from "../keys.js";
import { lowerPanel } from "../panels/lower.js";
import { outputPanel } from "../panels/output.js";
import { pagesPanel } from "../panels/pages.js";
import { proposalPanel } from "../panels/proposal.js";
import { selectionPanel } from "../panels/selection.js";
import { treePanel } from "../panels/tree.js";
import { on, select, store } from "../store.js";
import { t } from "../strings.js";

export const name = "wrap";

export function view() {
  const frame = new PageFrame({ pick: (node, kind) => select(node, kind), hover: () => {}, key,
    shown: () => { mark(true); chosen(); } }, t("page"));
  const status = h("p", { class: "under", role: "status" });
  const selection = selectionPanel();
  const stage = h("div", { class: "stage" }, frame.element, status);
  // What is above the page grows when something is chosen; the page stays where the pointer is,
  // and what is chosen stays in sight.
  let top = null;
  new ResizeObserver(() => {
    if (!stage.isConnected) return;
    if (top !== null) frame.element.contentWindow?.scrollBy(0, stage.offsetTop - top);
    if (store.selection) frame.reveal(store.selection.node);
    top = stage.offsetTop;
  }).observe(stage);
  let shown = null;

  function key(event) {
    if (event.altKey && (event.key === "ArrowUp" || event.key === "ArrowDown")) {
      event.preventDefault();
      selection.dispatchEvent(new CustomEvent("studio-widen", { detail: event.key === "ArrowUp" ? 1 : -1 }));
    } else if (event.key === "Enter" && store.selection) {
      event.preventDefault();
      focusOn("field-name");
    } else if (event.key === "Escape") select(null);
    else pressed(event);
  }

  async function show() {
    const tree = store.trees.get(store.page);
    if (!store.page) {
      shown = null;
      fill(stage, empty());
    } else if (!tree) {
      shown = null;
      frame.leave();
    } else if (tree && tree !== shown) {
      shown = tree;
      fill(stage, frame.element, status);
      status.textContent = t("page.loading");
      await frame.show(store.page, tree, store.pictures);
      status.textContent = "";
    }
  }

  // Mark what the rules take, in the colour of the field.
  let marked = null;
  function mark(anew = false) {
    if (!shown || shown !== store.trees.get(store.page)) return;
    if (!anew && marked === preview()) return;
    marked = preview();
    const nodes = [];
    const colours = [];
    const records = [];
    for (const { path, element } of fields()) {
      for (const [node] of foundOf(path)) {
        if (node === null) continue;
        if (element.type === "group") records.push(node);
        else { nodes.push(node); colours.push(colourOf(path)); }
      }
    }
    frame.mark("match", nodes, colours);
    frame.mark("record", records);
  }

  function chosen() {
    const its = store.selection;
    if (shown && frame.doc) frame.mark("selection", its && its.page === store.page ? [its.node] : []);
    if (its) frame.reveal(its.node);
  }

  on("tree page", show);
  on("preview state", () => mark());
  on("selection", chosen);
  show();
  const reveal = (node) => frame.reveal(node);
  return h("div", { class: "wrap", onkeydown: (event) => { if (event.altKey && event.key.startsWith("Arrow")) key(event); } },
    treePanel((node) => frame.mark("hover", node === null ? [] : [node])),
    h("div", { class: "middle" }, pagesPanel(), selection, proposalPanel(frame), stage),
    h("div", { class: "side" }, outputPanel(reveal), lowerPanel(reveal)));
}

function empty() {
  return h("div", { class: "empty" }, h("h2", {}, t("empty.title")),
    h("p", {}, t("empty.what")),
    h("ol", {}, ["empty.1", "empty.2", "empty.3"].map((key) => h("li", {}, t(key)))),
    button(t("page.open"), () => openDialog(), { class: "primary", id: "empty-open" }));
}
