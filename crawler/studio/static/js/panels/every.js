// What each rule picks on every open page, at once.

import { button, h, refill, short } from "../dom.js";
import { fields } from "../fields.js";
import { on, select, showPage, store } from "../store.js";
import { t } from "../strings.js";

export function everyPanel(reveal) {
  const table = h("table", { class: "every", id: "every-page" });

  function cell(page, path, element) {
    const found = store.previews.get(page)?.found[path] ?? [];
    if (!found.length) return h("td", { class: "nothing" }, "–");
    const [node, attribute, value, confidence] = found[0];
    const text = element.type === "group" ? t("records", found.length) : `${short(value, 30)}${found.length > 1 ? ` (${found.length})` : ""}`;
    return h("td", {}, button(text, async () => {
      await showPage(page);
      const tree = store.trees.get(page);
      if (node !== null && tree) { select(node, attribute || (tree.isText(node) ? "text" : "element")); reveal(node); }
    }, { class: `link ${confidence < 0.6 ? "unsure" : ""}`, title: t("confidence", confidence) }));
  }

  function draw() {
    const all = fields();
    refill(table, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("page")), all.map(({ path }) => h("th", { scope: "col" }, path)))),
      h("tbody", {}, store.state.pages.map((its) => h("tr", { class: its.page === store.page ? "front" : "" },
        h("th", { scope: "row" }, button(short(its.title || its.name, 24), () => showPage(its.page), { class: "link" })),
        all.map(({ path, element }) => cell(its.page, path, element))))));
  }
  on("state preview page", draw);
  draw();
  return h("div", { class: "scroll" }, table);
}
