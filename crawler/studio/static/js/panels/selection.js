// What was clicked, and what it can become: a new field, another example of one, something else.

import { button, h, refill, short } from "../dom.js";
import { fields, foundOf, groups, recordsAround, takenBy } from "../fields.js";
import { say } from "../notes.js";
import { choices, guessName, guessType } from "../picking.js";
import { act, on, select, store } from "../store.js";
import { t } from "../strings.js";

export const TYPES = ["text", "integer", "number", "date", "url"];

function kindText(tree, { node, kind }) {
  if (kind === "text") return t("kind.text");
  const name = tree.names[node];
  return kind === "element" ? t("kind.element", name) : t("kind.attribute", kind.slice(1), name);
}

// What the rule of a field takes in place of a node, which is then not meant.
function wrongFor(path, its) {
  const element = fields().find((one) => one.path === path)?.element;
  if (!element || element.repeat) return [];
  const tree = store.trees.get(store.page);
  const record = recordsAround(its.node).find((one) => path.startsWith(`${one.path}/`))?.record;
  return foundOf(path).filter(([node, attribute]) => node !== null && node !== its.node &&
    (record === undefined ? !path.includes("/") : tree.within(node, record)) &&
    its.kind === (attribute || (tree.isText(node) ? "text" : "element"))).map(([node]) => node);
}

// Take a node for a field on the page in front.
export async function teach(path, its, more = {}) {
  const typeOf = () => fields().find((one) => one.path === path)?.element.type;
  const before = typeOf();
  const answer = await act("teach", { path, nodes: [its.node], kind: its.kind, wrong: wrongFor(path, its), ...more });
  if (answer) say(t(before && before !== typeOf() ? "taught.text" : "taught", path));
  return answer;
}

export function selectionPanel() {
  const element = h("section", { class: "selection", "aria-label": t("selection") });
  let form = {};

  const chosen = () => store.selection;
  const reset = () => {
    const tree = store.trees.get(store.page);
    const its = chosen();
    form = {};
    if (!its || !tree) return;
    const type = guessType(tree.value(its.node, its.kind), its.kind);
    const own = takenBy(its.node, its.kind)[0]?.path.split("/");
    const place = own ? own.slice(0, -1).join("/") : recordsAround(its.node)[0]?.path ?? "";
    const names = new Set(fields().map(({ path }) => path.slice(place ? place.length + 1 : 0)));
    form = { place, name: own?.at(-1) ?? guessName(tree, its, names), type };
  };

  async function addField(event) {
    event?.preventDefault();
    const its = chosen();
    const name = form.name.trim();
    const path = form.place ? `${form.place}/${name}` : name;
    const known = fields().some((one) => one.path === path);
    if (await teach(path, its, known ? {} : { type: form.type })) { if (!known) say(t("added", path)); }
  }

  function widen(step) {
    const tree = store.trees.get(store.page);
    const its = chosen();
    if (step > 0) {
      const parent = tree.parents[its.node];
      if (parent >= 0) { form.from = its; select(parent, "element"); }
    } else {
      const child = tree.kids(its.node).find((one) => tree.textNodes(one).length);
      if (child !== undefined) select(child, tree.isText(child) ? "text" : "element");
    }
  }
  element.addEventListener("studio-widen", (event) => chosen() && widen(event.detail));

  function draw() {
    const tree = store.trees.get(store.page);
    const its = chosen();
    if (!store.page) { refill(element); return; }
    if (!its || !tree) { refill(element, h("p", { class: "hint" }, t("selection.none"))); return; }
    const value = tree.value(its.node, its.kind);
    const options = choices(tree, its);
    const taken = takenBy(its.node, its.kind);
    const type = h("select", { id: "field-type", "aria-label": t("field.type"), onchange: (event) => { form.type = event.target.value; form.touched = true; } },
      TYPES.map((one) => h("option", { value: one, selected: one === form.type }, t(`type.${one}`))));
    const submit = h("button", { type: "submit", class: "primary", id: "field-add" });
    // What depends on the name. The input itself stays: it may be in the middle of a syllable.
    const named = () => {
      const path = form.place ? `${form.place}/${form.name.trim()}` : form.name.trim();
      const known = fields().some((one) => one.path === path);
      type.hidden = known;
      submit.textContent = t(known ? "field.merge" : "field.add");
      submit.disabled = taken.some((one) => one.path === path);
    };
    named();
    refill(element,
      h("div", { class: "crumbs", role: "group", "aria-label": t("selection.way") },
        tree.way(its.node).slice(-6).map((node) => button(short(tree.isText(node) ? t("kind.text") : tree.label(node), 24),
          () => select(node, tree.isText(node) ? "text" : "element"), { class: node === its.node ? "here" : "", "aria-current": node === its.node ? "true" : undefined, title: tree.label(node), id: `crumb-${node}` })),
        button("⤢", () => widen(1), { "aria-label": t("selection.wider"), title: `${t("selection.wider")} (Alt+↑)`, id: "wider" }),
        button("⤡", () => widen(-1), { "aria-label": t("selection.narrower"), title: `${t("selection.narrower")} (Alt+↓)`, id: "narrower" })),
      h("form", { class: "line", onsubmit: addField },
        h("select", { id: "field-kind", "aria-label": t("selection.kind"), onchange: (event) => { const to = options[event.target.value]; select(to.node, to.kind); } },
          options.map((one, at) => h("option", { value: at, selected: at === 0 }, `${kindText(tree, one)}: ${short(tree.value(one.node, one.kind), 50)}`))),
        h("label", { for: "field-name" }, t("field.name")),
        h("input", { id: "field-name", type: "text", value: form.name, list: "field-names", autocomplete: "off", spellcheck: "false", size: 14,
          oninput: (event) => { form.name = event.target.value; form.touched = true; named(); } }),
        h("datalist", { id: "field-names" }, fields().filter((one) => one.element.type !== "group").map((one) => h("option", { value: one.element.name }))),
        groups().length ? [h("label", { for: "field-place" }, t("field.place")),
          h("select", { id: "field-place", onchange: (event) => { form.place = event.target.value; form.touched = true; draw(); } },
            h("option", { value: "" }, t("field.page")), groups().map((one) => h("option", { value: one.path, selected: one.path === form.place }, one.path)))] : null,
        type, submit),
      h("p", { class: "value" }, h("q", {}, short(value, 300) || t("selection.empty")),
        taken.length ? h("span", { class: "hint taken" }, t("selection.taken", taken.map((one) => one.path).join(", "))) : null),
      it(its, taken));
  }

  // The fields that the selection may be: a click makes it an example.
  function it(its, taken) {
    const around = recordsAround(its.node).map((one) => one.path);
    const open = fields().filter(({ path, element }) => element.type !== "group" && !taken.some((one) => one.path === path) &&
      (path.includes("/") ? around.includes(path.slice(0, path.lastIndexOf("/"))) : !around.length));
    return open.length ? h("p", { class: "line is" }, h("span", {}, t("selection.is")), open.slice(0, 12).map(({ path }) =>
      button(path, () => teach(path, its), { class: "plain link", id: `is-${path}` }))) : null;
  }

  on("selection", () => { reset(); draw(); });
  on("state preview", () => { if (!form.touched) reset(); draw(); });
  on("tree page", draw);
  draw();
  return element;
}
