// A command line that can be copied.

import { button, h } from "./dom.js";
import { say } from "./notes.js";
import { t } from "./strings.js";

export function commandLine(id, command) {
  return h("div", { class: "line" }, h("code", { id }, command),
    button(t("copy"), async () => {
      try { await navigator.clipboard.writeText(command); say(t("copied")); }
      catch { getSelection().selectAllChildren(document.getElementById(id)); }
    }, { class: "plain", "aria-label": t("copy.command") }));
}
