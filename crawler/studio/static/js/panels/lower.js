// Below the fields: the output tree, the same as XML, and the actions.

import { h } from "../dom.js";
import { preview } from "../fields.js";
import { on } from "../store.js";
import { t } from "../strings.js";
import { tabs } from "../tabs.js";
import { actionsPanel } from "./actions.js";
import { everyPanel } from "./every.js";
import { resultPanel } from "./result.js";

export function lowerPanel(reveal) {
  const xml = h("pre", { class: "xml", tabindex: 0, "aria-label": t("xml") });
  const draw = () => { xml.textContent = (preview()?.xml ?? "").slice(0, 200000); };
  on("preview page", draw);
  draw();
  return tabs("result.tabs", [["result", resultPanel(reveal)], ["everypage", everyPanel(reveal)], ["xml", xml], ["actions", actionsPanel()]]);
}
