// The view that shows why a page came out as it did.

import { button, fill, h, short } from "../dom.js";
import { openDialog } from "../files.js";
import { PageFrame } from "../frame.js";
import { inspect, kindOf, look, shown } from "../inspection.js";
import { pressed } from "../keys.js";
import { say } from "../notes.js";
import { inspectBar } from "../panels/inspect_bar.js";
import { blocksPanel, labelOf } from "../panels/inspect_blocks.js";
import { metadataPanel } from "../panels/inspect_metadata.js";
import { structurePanel } from "../panels/inspect_structure.js";
import { tablesPanel } from "../panels/inspect_tables.js";
import { pagesPanel } from "../panels/pages.js";
import { on, store } from "../store.js";
import { t } from "../strings.js";
import { tabs } from "../tabs.js";

export const name = "inspect";

export function view() {
  const frames = [pane("page"), pane("inspect.second.page")];
  const status = h("p", { class: "under", role: "status", id: "inspect-status" });
  const stage = h("div", { class: "stage panes" });

  function pane(title) {
    const its = { wanted: null, built: null };
    const showing = () => {
      its.built = its.frame.tree;
      its.frame.doc.addEventListener("scroll", () => scrolled(its), { passive: true });
      mark(its);
    };
    its.frame = new PageFrame({ alone: true, shown: showing, key, pick: (place) => chosen(its, place, "page"), hover: (place) => chosen(its, place?.node, "hover") }, t(title));
    its.caption = h("h3", { class: "caption" });
    its.element = h("div", { class: "pane" }, its.caption, its.frame.element);
    return its;
  }

  const inspectionOf = (its) => (its === frames[0] ? shown.first : shown.other);

  // What was chosen in a pane, as a block of the first one.
  function chosen(its, node, from) {
    const own = inspectionOf(its);
    if (!own || node === undefined || node === null) return;
    let at = own.at(node);
    if (its !== frames[0] && at >= 0) at = own.like(at, shown.first);
    if (at >= 0) look(at, from);
  }

  function key(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") look(-1, "page");
    else if (event.altKey && step && shown.first) {
      event.preventDefault();
      const at = Math.max(0, Math.min(shown.block + step, shown.first.blocks.length - 1));
      look(at, "list");
      const block = shown.first.blocks[at];
      if (block) say(`${labelOf(block)}: ${short(block.text, 120)}`);
    } else pressed(event);
  }

  // Show the page in as many panes as there are methods.
  function show() {
    const tree = store.trees.get(store.page);
    if (!store.page) { fill(stage, empty()); return; }
    const both = shown.second ? frames : frames.slice(0, 1);
    const now = both.map((its) => its.element);
    if (stage.childElementCount !== now.length || stage.firstChild !== now[0]) fill(stage, now);
    for (const its of tree ? both : []) {
      if (its.wanted === tree) mark(its);
      else {
        its.wanted = tree;
        its.frame.show(store.page, tree, store.pictures);
      }
    }
    status.textContent = shown.busy ? t("inspect.busy") : shown.flaw ?? "";
  }

  let leading = null;
  let quiet = 0;
  function scrolled(its) {
    if (!shown.second || (leading && leading !== its)) return;
    leading = its;
    clearTimeout(quiet);
    quiet = setTimeout(() => { leading = null; }, 150);
    const other = frames.find((one) => one !== its).frame.element.contentWindow;
    const { scrollX, scrollY } = its.frame.element.contentWindow;
    other?.scrollTo(scrollX, scrollY);
  }

  // Colour the blocks by their labels; with two methods mark where they differ.
  function mark(its) {
    if (!its.built || its.built !== store.trees.get(store.page)) return;
    const own = inspectionOf(its);
    const other = own === shown.first ? shown.other : shown.first;
    const nodes = [];
    const kinds = [];
    const differing = [];
    own?.blocks.forEach((block, at) => {
      const cover = own.cover(at);
      for (const node of cover) { nodes.push(node); kinds.push(kindOf(block)); }
      if (other && own.differs(at, other)) differing.push(...cover);
    });
    if (isArea && its === frames[0]) its.frame.mark("block", []);
    else its.frame.mark("block", nodes, kinds);
    its.frame.mark("differs", differing);
    its.caption.textContent = own ? t("inspect.caption", own.method, own.kept, own.kept + own.dropped) : "";
    current();
  }

  function current() {
    for (const its of frames) {
      const own = inspectionOf(its);
      if (!its.frame.doc) continue;
      const at = !own || shown.block < 0 ? -1 : own === shown.first ? shown.block : shown.first.like(shown.block, own);
      const cover = at < 0 ? [] : own.cover(at);
      its.frame.mark("hover", cover);
      if (cover.length && !["hover", "page"].includes(shown.from)) its.frame.reveal(cover[0]);
    }
  }

  // Show nodes of the page that a part speaks of.
  function point(nodes) {
    frames[0].frame.mark("selection", nodes);
    if (nodes.length) frames[0].frame.reveal(nodes[0]);
  }

  // Mark the areas of tables, in place of the labels of blocks.
  let isArea = false;
  function areas(nodes, kinds) {
    isArea = nodes.length > 0;
    frames[0].frame.mark("area", nodes, kinds);
    mark(frames[0]);
  }

  // Judge the page in front, unless it is the one that was judged.
  let judged = "";
  let tree = null;
  async function again() {
    if (store.view !== name) return;
    const next = store.trees.get(store.page) ?? null;
    const key = `${store.page} ${store.state.pages.find((its) => its.page === store.page)?.url}`;
    if (next === tree && key === judged) return;
    if (next !== tree) for (const its of frames) its.frame.leave();
    tree = next;
    judged = key;
    point([]);
    areas([], []);
    await inspect();
  }

  on("tree page state view", again);
  on("inspecting inspected", show);
  on("block", current);
  queueMicrotask(again);
  return h("div", { class: "inspect", onkeydown: (event) => { if (event.key === "Escape" || (event.altKey && event.key.startsWith("Arrow"))) key(event); } },
    h("div", { class: "middle" }, pagesPanel(), inspectBar(), stage, status),
    h("div", { class: "side" }, tabs("inspect.tabs", [
      ["inspect.text", blocksPanel()], ["inspect.tables", tablesPanel(point, areas)],
      ["inspect.structure", structurePanel(point)], ["inspect.metadata", metadataPanel(point)]])));
}

function empty() {
  return h("div", { class: "empty" }, h("h2", {}, t("inspect.empty.title")),
    h("ol", {}, ["inspect.empty.1", "inspect.empty.2", "inspect.empty.3"].map((key) => h("li", {}, t(key)))),
    button(t("page.open"), () => openDialog(), { class: "primary", id: "inspect-open" }));
}
