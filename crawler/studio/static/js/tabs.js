// Tabs of which one is shown, moved between by the arrow keys.

import { h } from "./dom.js";
import { t } from "./strings.js";

export function tabs(name, parts) {
  const strip = h("div", { role: "tablist", class: "strip", "aria-label": t(name) });
  const bodies = h("div", { class: "bodies" });
  const made = parts.map(([key, body], at) => {
    const tab = h("button", { type: "button", role: "tab", id: `tab-${key}`, onclick: () => show(at) }, t(key));
    strip.append(tab);
    bodies.append(h("div", { role: "tabpanel", "aria-labelledby": tab.id }, body));
    return tab;
  });
  strip.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = (made.indexOf(document.activeElement) + step + made.length) % made.length;
    show(next);
    made[next].focus();
  });
  function show(number) {
    made.forEach((tab, at) => {
      tab.setAttribute("aria-selected", String(at === number));
      tab.tabIndex = at === number ? 0 : -1;
      bodies.children[at].hidden = at !== number;
    });
  }
  show(0);
  return h("section", { class: "panel tabbed", "aria-label": t(name) }, strip, bodies);
}
