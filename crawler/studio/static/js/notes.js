// Notes at the edge of the window: what went wrong, and what to do.

import { button, h } from "./dom.js";
import { t } from "./strings.js";

export function note(text, kind = "error") {
  const area = document.getElementById("notes");
  const box = h("div", { class: `note ${kind}` }, h("p", {}, text),
    button("×", () => box.remove(), { "aria-label": t("close"), class: "plain" }));
  area.append(box);
  while (area.children.length > 3) area.firstChild.remove();
  setTimeout(() => box.remove(), kind === "error" ? 20000 : 6000);
}

export function say(text) {
  document.getElementById("live").textContent = text;
}
