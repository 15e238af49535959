// The actions of the project: listed, reordered, switched off, their JavaScript shown and edited.

import { button, fill, h, onEnter, refill, short } from "../dom.js";
import { dialog } from "../dialog.js";
import { fields, hasRecords, preview } from "../fields.js";
import { act, on, store } from "../store.js";
import { t } from "../strings.js";
import { editor } from "./editor.js";

const KINDS = ["load", "follow", "add", "copy", "save", "script"];

// The actions as the project file has them.
const written = () => store.state.actions.map(({ code, ...its }) => its);

export function change(actions, label, what = "") {
  return act("actions", { actions, label, what });
}

const sourceText = (its) => (its.argument === undefined ? its.fixed : t("action.argument.n", its.argument));

function describe(its) {
  if (its.do === "load") return sourceText(its.address);
  if (its.do === "save") return sourceText(its.file);
  if (its.do === "script") return its.rules.length ? its.rules.join(", ") : short(its.script.find((line) => line.trim()) ?? "", 40);
  return its.element + (its.script ? ` (${t("action.ownscript")})` : "");
}

export function actionsPanel() {
  const list = h("ol", { class: "actions", id: "actions" });
  const kind = h("select", { id: "action-kind", "aria-label": t("action.kind") }, KINDS.map((its) => h("option", { value: its, selected: its === "script" }, t(`action.${its}`))));
  const tools = h("div", { class: "line tools" }, kind, button(t("action.new"), () => begin(kind.value), { id: "action-new" }));
  const done = h("div", { class: "done", id: "actions-done" });

  function put(at, action, label) {
    const actions = written();
    if (action === null) actions.splice(at, 1);
    else if (at === actions.length) actions.push(action);
    else actions[at] = action;
    return change(actions, label, t(`action.${(action ?? written()[at]).do}`));
  }

  function move(at, to) {
    const actions = written();
    actions.splice(to, 0, ...actions.splice(at, 1));
    return change(actions, "actions.move");
  }

  function flawsOf(at) {
    return (preview()?.flaws ?? []).filter((its) => its.action === at + 1);
  }

  function row(its, at) {
    const { code, ...plain } = its;
    const last = store.state.actions.length - 1;
    return h("li", { class: its.off ? "off" : "" },
      h("div", { class: "line" },
        h("input", { type: "checkbox", id: `action-on-${at}`, checked: !its.off, "aria-label": t("action.on", at + 1), title: t("action.on", at + 1),
          onchange: (event) => { const { off, ...rest } = plain; put(at, event.target.checked ? rest : { ...rest, off: true }, "actions.switch"); } }),
        h("strong", {}, t(`action.${its.do}`)), h("span", { class: "what" }, short(describe(its), 60)), h("span", { class: "spring" }),
        button("↑", () => move(at, at - 1), { disabled: at === 0, "aria-label": t("up", at + 1), class: "plain", id: `action-up-${at}` }),
        button("↓", () => move(at, at + 1), { disabled: at === last, "aria-label": t("down", at + 1), class: "plain", id: `action-down-${at}` }),
        button(t("edit"), () => edit(plain, at), { class: "plain", id: `action-edit-${at}` }),
        button("×", () => put(at, null, "actions.remove"), { "aria-label": t("action.remove", at + 1), class: "plain", id: `action-remove-${at}` })),
      flawsOf(at).map((flaw) => h("p", { class: "flaw" }, flaw.line ? t("action.flaw", flaw.line, flaw.column, flaw.words) : flaw.words)),
      h("details", {}, h("summary", {}, t("action.code")), h("pre", {}, code)));
  }

  function edit(its, at) {
    if (its.do === "script" || (its.do === "copy" && its.script)) editor(its, at, put);
    else ask(its, at);
  }

  // Ask for what an action that is no script has.
  function ask(its, at) {
    const isCopy = its.do === "copy";
    const named = its.do === "load" ? "address" : "file";
    const value = its[named] ?? { fixed: "" };
    const paths = fields().filter(({ path }) => !isCopy || hasRecords(path));
    const element = h("select", { id: "action-element" }, paths.map(({ path }) => h("option", { value: path, selected: path === its.element }, path)));
    const fixed = h("input", { id: "action-fixed", type: "text", value: value.fixed ?? "", placeholder: its.do === "load" ? "https://…" : "output.xml" });
    const number = h("input", { id: "action-argument", type: "number", min: 0, value: value.argument ?? 2 });
    const isArgument = h("input", { type: "checkbox", id: "action-is-argument", checked: value.argument !== undefined,
      onchange: () => { number.disabled = !isArgument.checked; fixed.disabled = isArgument.checked; } });
    number.disabled = !isArgument.checked;
    fixed.disabled = isArgument.checked;
    const go = async () => {
      const source = isArgument.checked ? { argument: Number(number.value) } : { fixed: fixed.value.trim() };
      const next = its.do === "load" || its.do === "save" ? { ...its, [named]: source } : { ...its, element: element.value };
      if (await put(at, next, at < store.state.actions.length ? "actions.edit" : "actions.add")) box.close();
    };
    for (const input of [fixed, number]) onEnter(input, go);
    const body = its.do === "load" || its.do === "save"
      ? [h("label", { for: "action-fixed" }, t(`action.${its.do}.what`)), fixed,
        h("label", { class: "line" }, isArgument, t("action.argument"), number),
        its.do === "load" ? h("p", { class: "hint" }, t("action.load.hint")) : h("p", { class: "hint" }, t("action.save.hint"))]
      : [h("label", { for: "action-element" }, t("action.element")), element,
        isCopy ? button(t("action.own"), () => { box.close(); editor({ ...its, element: element.value, script: [`function main(node, parent) {`, `  parent.Add(${JSON.stringify(element.value.split("/").at(-1))}, node.value);`, "}"] }, at, put); }, { id: "action-own" }) : null,
        isCopy ? h("p", { class: "hint" }, t("action.copy.hint")) : h("p", { class: "hint" }, t("action.add.hint"))];
    const box = dialog(t(`action.${its.do}`), body, [button(t("ok"), go, { class: "primary", id: "action-ok" })]);
  }

  // Ask which links are followed: a script that asks for their pages.
  function follow(at) {
    const links = fields().filter(({ path, element }) => element.type === "url" && hasRecords(path));
    const choice = h("select", { id: "action-element" }, links.map(({ path }) => h("option", { value: path, selected: path === "next" }, path)));
    const go = async () => {
      const script = ["function main(links) {", "  for (const link of [].concat(links ?? [])) htree.AddUrl(link.value);", "}"];
      if (await put(at, { do: "script", rules: [choice.value], script }, "actions.add")) box.close();
    };
    const box = dialog(t("action.follow"), links.length ? [h("label", { for: "action-element" }, t("action.follow.what")), choice, h("p", { class: "hint" }, t("action.follow.hint"))]
      : h("p", {}, t("action.follow.none")), links.length ? [button(t("ok"), go, { class: "primary", id: "action-ok" })] : []);
  }

  function begin(kind) {
    const at = store.state.actions.length;
    if (kind === "follow") follow(at);
    else if (kind === "script") editor({ do: "script", rules: [], script: ["function main() {", "  ", "}"] }, at, put);
    else ask({ do: kind, ...(kind === "add" || kind === "copy" ? { element: "" } : {}) }, at);
  }

  function draw() {
    refill(list, store.state.actions.length ? store.state.actions.map(row) : h("li", { class: "hint" }, t("actions.none")));
    const { urls = [], saves = [] } = preview() ?? {};
    fill(done, urls.length ? h("p", { class: "hint" }, t("actions.urls", urls.length), " ", short(urls.join(" "), 300)) : null,
      saves.map(([file, xml]) => h("details", {}, h("summary", {}, t("actions.saves", file)), h("pre", {}, short(xml, 20000)))));
  }
  on("state preview page", draw);
  draw();
  return h("div", { class: "actions-panel" }, tools, list, done);
}
