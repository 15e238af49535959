// The view of the history of a crawl or harvest: its runs, and its pages over time.

import { button, fill, h, refill } from "../dom.js";
import { plot, table } from "../plot.js";
import { emptyState, reading } from "../reading.js";
import { t } from "../strings.js";

export const name = "history";

export function view() {
  const read = reading({
    view: name, inputs: [["name", "reading.name"]], show,
    wanted: (its) => ["folder", "archive"].includes(its.kind),
    status: (its) => t("reading.read", its.read.toLocaleString(), its.seconds),
  });
  const sites = h("div", { class: "facts" });
  const body = h("div", { class: "past" });
  const empty = emptyState(name, [1, 2]);
  let drawn = "";

  function show(found) {
    const { plots = [], rows = [], runs = [] } = found;
    empty.hidden = Boolean(found.plots && !found.error);
    const now = JSON.stringify([plots, rows, runs, found.running]);
    if (now === drawn) return;
    drawn = now;
    const head = (columns) => columns.map((its) => t(`column.${its}`));
    refill(sites, found.sites.length > 1 ? [h("label", { for: "history-site" }, t("site.choose")),
      h("select", { id: "history-site", disabled: found.running, onchange: (event) => read.start({ site: event.target.value }) },
        found.sites.map((site) => h("option", { value: site, selected: site === found.site }, site)))] : null);
    const choice = (site) => (found.sites.length > 1 ? button(site, () => read.start({ site }), { class: "plain", "aria-current": site === found.site ? "true" : undefined }) : site);
    fill(body,
      plots.length ? h("div", { class: "plots" }, plots.map(plot)) : found.error || found.running || !found.plots ? null : h("p", { class: "hint" }, t("history.none")),
      rows.length ? [h("h2", {}, rows.length < found.sites.length ? t("history.sites.first", rows.length, found.sites.length) : t("history.sites")), h("div", { class: "wide", role: "region", tabindex: 0, "aria-label": t("history.sites") }, table(head(found.columns), rows.map(([site, ...cells]) => [choice(site), ...cells]), { id: "history-sites" }))] : null,
      runs.length ? [h("h2", {}, runs.length < found.in_all ? t("history.runs.last", runs.length, found.in_all) : t("history.runs")),
        h("div", { class: "wide", role: "region", tabindex: 0, "aria-label": t("history.runs") }, table(head(found.run_columns), runs, { id: "history-runs" }))] : null);
  }

  return h("div", { class: "run history-view" },
    h("section", { class: "settings", "aria-label": t("view.history") }, h("h2", {}, t("view.history")), read.element, sites),
    h("section", { class: "results scroll", "aria-label": t("history.runs"), tabindex: 0 }, empty, body));
}
