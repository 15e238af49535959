// The list that a click may mean: its records are outlined, its fields confirmed one by one.

import { attempt, post } from "../api.js";
import { button, focusOn, h, onEnter, refill, short } from "../dom.js";
import { fields, recordsAround } from "../fields.js";
import { say } from "../notes.js";
import { act, on, store } from "../store.js";
import { t } from "../strings.js";
import { TYPES } from "./selection.js";

export function proposalPanel(frame) {
  const element = h("section", { class: "proposal", "aria-label": t("proposal") });
  let proposal = null;
  let clicks = [];
  let open = false;
  let refused = false;
  let at = 0;
  let asked = 0;

  function leave() {
    proposal = null;
    open = false;
    frame.mark("proposed", []);
    refill(element);
  }

  function freeName() {
    const taken = new Set(fields().map((its) => its.path));
    let name = "record";
    for (let number = 2; taken.has(name); number++) name = `record${number}`;
    return name;
  }

  async function ask() {
    const mine = ++asked;
    const answer = await attempt(() => post({ op: "propose", of: store.page, nodes: clicks, at }));
    if (mine !== asked || !answer) return;
    if (!answer.proposal && clicks.length > 1) {
      // Two clicks that are of no list are two clicks of their own.
      clicks = clicks.slice(-1);
      await ask();
      return;
    }
    if (!answer.proposal) { leave(); return; }
    proposal = { ...answer.proposal, name: proposal?.name ?? freeName(),
      fields: answer.proposal.fields.map((its) => ({ ...its, on: its.share >= 0.6 })), next: answer.proposal.next_link !== null };
    frame.mark("proposed", proposal.records);
    draw();
  }

  async function take() {
    const chosen = proposal.fields.filter((its) => its.on);
    const answer = await act("teach_records", { path: proposal.name.trim(), nodes: proposal.records, whole: true,
      fields: chosen.map(({ name, kind, type, nodes }) => ({ name: name.trim(), kind, type, nodes })),
      ...(proposal.next && proposal.next_link !== null ? { next: proposal.next_link } : {}) });
    if (answer) { say(t("list.taken", proposal.name, proposal.records.length)); clicks = []; leave(); focusOn("fields"); }
  }

  function row(its, number) {
    return h("tr", {}, h("td", {}, h("input", { type: "checkbox", id: `list-on-${number}`, checked: its.on, "aria-label": t("list.field", its.name),
      onchange: (event) => { its.on = event.target.checked; } })),
    h("td", {}, onEnter(h("input", { type: "text", id: `list-name-${number}`, value: its.name, size: 12, "aria-label": t("list.rename", its.name), oninput: (event) => { its.name = event.target.value; } }), take)),
    h("td", {}, h("select", { id: `list-type-${number}`, "aria-label": t("list.type", its.name), onchange: (event) => { its.type = event.target.value; } },
      TYPES.map((type) => h("option", { value: type, selected: type === its.type }, t(`type.${type}`))))),
    h("td", { class: "samples" }, its.values.map((value) => short(value, 40)).join(" · ")),
    h("td", {}, its.share < 1 ? `${Math.round(its.share * 100)} %` : ""));
  }

  function draw() {
    const head = h("div", { class: "line" }, h("strong", {}, t("list.found", proposal.records.length)),
      open ? null : button(t("list.take"), () => { open = true; draw(); focusOn("list-name"); }, { class: "primary", id: "list-open" }),
      button(t("list.other"), () => { at += 1; ask(); }, { id: "list-other", title: t("list.other.hint") }),
      button(t("list.none"), () => { refused = true; leave(); }, { id: "list-none" }));
    refill(element, head, open ? h("div", { class: "confirm" },
      h("div", { class: "line" }, h("label", { for: "list-name" }, t("list.name")),
        onEnter(h("input", { id: "list-name", type: "text", value: proposal.name, oninput: (event) => { proposal.name = event.target.value; } }), take),
        button(t("list.confirm"), take, { class: "primary", id: "list-confirm" })),
      h("table", {}, h("tbody", {}, proposal.fields.map(row))),
      proposal.next_link === null ? null : h("label", { class: "line" }, h("input", { type: "checkbox", id: "list-next", checked: proposal.next,
        onchange: (event) => { proposal.next = event.target.checked; } }), t("list.next", short(nextText(), 60)))) : null);
  }

  function nextText() {
    const tree = store.trees.get(store.page);
    return `${tree?.value(proposal.next_link) ?? ""} ${tree?.value(proposal.next_link, "@href") ?? ""}`;
  }

  on("page", () => { clicks = []; refused = false; leave(); });
  on("selection", () => {
    const its = store.selection;
    const tree = store.trees.get(store.page);
    if (!its || !tree) { clicks = []; leave(); return; }
    // A click within the list that is proposed, or within one that is known, is about its fields.
    if (recordsAround(its.node).length) { leave(); return; }
    const inside = proposal?.records.some((record) => tree.within(its.node, record));
    if (inside || (refused && clicks.length)) return;
    clicks = [...clicks.slice(-1), its.node];
    at = 0;
    ask();
  });
  return element;
}
