// A dialog above the window, closed by Escape.

import { button, h } from "./dom.js";
import { t } from "./strings.js";

export function dialog(title, body, actions = []) {
  const before = document.activeElement;
  const box = h("dialog", { "aria-label": title },
    h("header", {}, h("h2", {}, title),
      button("×", () => box.close(), { class: "plain", "aria-label": t("close") })),
    h("div", { class: "body" }, body),
    actions.length ? h("footer", {}, actions) : null);
  // What had the focus may have been made anew meanwhile.
  box.addEventListener("close", () => {
    box.remove();
    const next = before.isConnected && before !== document.body ? before : document.getElementById(before.id);
    (next ?? document.getElementById("view")).focus();
  });
  document.body.append(box);
  box.showModal();
  return box;
}
