// Notes at the edge of the window: what went wrong, and what to do.

import { button, h } from "./dom.js";
import { t } from "./strings.js";

export function note(text, kind = "error") {
  // What is said of a dialog is said in it: all else is out of reach until it is closed.
  const inner = document.querySelector("dialog[open] .body");
  const area = inner ?? document.getElementById("notes");
  for (const old of inner?.querySelectorAll(".note") ?? []) old.remove();
  const box = h("div", { class: `note ${kind}`, role: inner ? "alert" : null }, h("p", {}, text),
    button("×", () => box.remove(), { "aria-label": t("close"), class: "plain" }));
  area.append(box);
  while (!inner && area.children.length > 3) area.firstChild.remove();
  setTimeout(() => box.remove(), kind === "error" ? 20000 : 6000);
}

export function say(text) {
  document.getElementById("live").textContent = text;
}
