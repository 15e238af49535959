// By what a page is judged: the method, a second one beside it, and the pages of its site that are known.

import { button, fill, h, refill } from "../dom.js";
import { inspect, kindOf, shown, word } from "../inspection.js";
import { added, chooser } from "../reading.js";
import { on, store } from "../store.js";
import { t } from "../strings.js";

const KNOWN = ["counts", "open", "files", "alone"];
let methods = [];

export function inspectBar() {
  const choices = h("div", { class: "line", role: "group", "aria-label": t("inspect.by") });
  const files = h("div", { class: "files" });
  const told = h("div", { class: "told" });

  const select = (id, label, options, value, take) => h("label", {}, `${label} `,
    h("select", { id, onchange: (event) => { take(event.target.value); draw(); } },
      options.map(([name, text]) => h("option", { value: name, selected: name === value }, text))));

  function draw() {
    const named = methods.map((its) => [its, its]);
    refill(choices,
      select("inspect-method", t("inspect.method"), named, shown.method || shown.first?.method, (its) => { shown.method = its; inspect(); }),
      select("inspect-second", t("inspect.second"), [["", t("inspect.second.none")], ...named], shown.second, (its) => { shown.second = its; inspect(); }),
      select("inspect-known", t("inspect.known"), KNOWN.map((its) => [its, t(`inspect.known.${its}`)]), shown.known, (its) => {
        shown.known = its;
        if (its !== "files" || shown.files.trim()) inspect();
      }));
    choices.hidden = !store.page;
    files.hidden = shown.known !== "files";
  }

  const names = h("textarea", { id: "inspect-files", rows: 2, spellcheck: "false", placeholder: t("inspect.files.hint"), "aria-label": t("inspect.files"), value: shown.files,
    oninput: () => { shown.files = names.value; } });
  const add = (path) => {
    names.value = added(names.value.split("\n"), path).join("\n");
    shown.files = names.value;
  };
  fill(files, h("div", { class: "line" }, names, button(t("inspect.count"), () => { if (names.value.trim()) inspect(); else names.focus(); }, { class: "primary", id: "inspect-count" })),
    chooser(add, (its) => ["folder", "archive", "page"].includes(its.kind)));

  // What the site is known by, and the colours.
  function tell() {
    const its = shown.first;
    methods = its?.methods ?? methods;
    draw();
    if (!its) { fill(told); return; }
    const counts = new Map();
    for (const block of its.blocks) counts.set(kindOf(block), (counts.get(kindOf(block)) ?? 0) + 1);
    fill(told,
      h("p", { class: "known", id: "inspect-site" }, its.pages ? t("inspect.site", its.site, its.pages, its.addresses) : t("inspect.site.none", its.site),
        its.duplicate ? ` ${t("inspect.duplicate", its.duplicate)}` : "",
        its.confidence === null ? "" : ` ${t("inspect.confidence", its.confidence.toFixed(2))}`, ` ${t("inspect.type", its.type)}`),
      h("ul", { class: "legend", "aria-label": t("inspect.legend") }, [...counts].map(([kind, count]) =>
        h("li", {}, h("span", { class: `swatch kind-${kind}` }), `${word("kind.block", kind)} ${count}`))));
  }

  on("inspecting inspected", tell);
  tell();
  return h("section", { class: "inspect-bar", "aria-label": t("inspect.by") }, choices, files, told);
}
