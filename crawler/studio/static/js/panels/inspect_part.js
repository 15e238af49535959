// A tab of what is inspected that is asked for when it is looked at.

import { why } from "../api.js";
import { fill, h } from "../dom.js";
import { ask, shown, unjudged } from "../inspection.js";
import { on } from "../store.js";
import { t } from "../strings.js";

// `part` is the name of what the server gives, `draw(answer)` returns the elements that show it.
export function partPanel(part, draw, leave = () => {}) {
  const body = h("div", { class: "part", id: `inspect-${part}` });
  let known = null;
  let seen = false;

  const show = async () => {
    if (!seen || !shown.first) { fill(body, h("p", { class: "hint" }, unjudged())); return; }
    if (known === shown.first) return;
    const first = known = shown.first;
    fill(body, h("p", { class: "hint", role: "status" }, t("inspect.busy")));
    try {
      const answer = await ask(part);
      if (first === shown.first) fill(body, draw(answer));
    } catch (error) { if (first === shown.first) fill(body, h("p", { class: "flaw", role: "alert" }, why(error))); }
  };

  // Hidden tabs take no room: they are asked for when they get some.
  new ResizeObserver(() => {
    const now = body.offsetParent !== null;
    if (seen && !now) leave();
    if (now === seen) return;
    seen = now;
    show();
  }).observe(body);
  on("inspecting inspected", () => { known = null; show(); });
  return { body, again: () => { known = null; show(); } };
}
