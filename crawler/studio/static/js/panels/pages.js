// The pages that are open, as tabs; each says whether it fits.

import { button, h, refill, short } from "../dom.js";
import { openDialog } from "../files.js";
import { act, emit, loadPage, on, showPage, store } from "../store.js";
import { t } from "../strings.js";

export function pagesPanel() {
  const element = h("div", { class: "pages" });
  const draw = () => {
    const tabs = store.state.pages.map((its) => {
      const preview = store.previews.get(its.page);
      const state = !preview || !Object.keys(store.state.examples).length ? "" : preview.fits ? "fits" : "misfit";
      const front = its.page === store.page;
      return h("span", { class: `tab ${front ? "front" : ""}` },
        button([state ? h("span", { class: `badge ${state}`, role: "img", "aria-label": t(state), title: t(state) }, state === "fits" ? "✓" : "!") : null,
          short(its.title || its.name, 28)], () => showPage(its.page),
        { "aria-current": front ? "page" : undefined, title: its.url, id: `page-${its.page}` }),
        button("×", () => act("close", { page: its.page }).then(loadPage), { class: "plain", "aria-label": t("page.close", its.title || its.name), id: `close-${its.page}` }));
    });
    refill(element, h("div", { class: "tablist", role: "group", "aria-label": t("pages") }, tabs),
      button("+", () => openDialog(), { "aria-label": t("page.open"), title: t("page.open"), id: "page-open" }),
      h("label", { class: "pictures" }, h("input", { type: "checkbox", id: "pictures", checked: store.pictures,
        onchange: (event) => { store.pictures = event.target.checked; store.trees.delete(store.page); emit("page"); loadPage(); } }), t("pictures")));
    element.querySelector(".front")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  };
  on("state page preview", draw);
  draw();
  return element;
}
