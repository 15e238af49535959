// Making elements. Text is always text: nothing is parsed as HTML.

export function h(name, props, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "value" || key === "checked" || key === "disabled" || key === "selected")
      element[key] = value;
    else if (key === "dataset") Object.assign(element.dataset, value);
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  add(element, children);
  return element;
}

function add(element, children) {
  for (const child of children) {
    if (Array.isArray(child)) add(element, child);
    else if (child !== undefined && child !== null && child !== false) element.append(child);
  }
}

export function fill(element, ...children) {
  element.replaceChildren();
  add(element, children);
  return element;
}

// Fill an element anew, and leave the focus and the text cursor on the control of the same id, or on
// the element where that control is gone, so that the next Tab goes on from there.
export function refill(element, ...children) {
  const active = document.activeElement;
  const had = element !== active && element.contains(active);
  const id = had ? active.id : "";
  const place = id && "selectionStart" in active ? [active.selectionStart, active.selectionEnd] : null;
  const scroll = element.scrollTop;
  fill(element, ...children);
  const next = id && document.getElementById(id);
  if (next && element.contains(next)) {
    next.focus({ preventScroll: true });
    if (place && place[0] !== null) try { next.setSelectionRange(...place); } catch { /* no text */ }
  }
  element.scrollTop = scroll;
  if (had && !element.contains(document.activeElement)) {
    if (!element.hasAttribute("tabindex")) element.tabIndex = -1;
    element.focus({ preventScroll: true });
  }
}

// Do something when Enter is pressed, but not when it ends a syllable of an input method.
export function onEnter(input, action) {
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    action();
  });
  return input;
}

// Go to a control; the text in it is selected, for the next key to replace it.
export function focusOn(id) {
  const its = document.getElementById(id);
  its?.focus();
  its?.select?.();
}

export function button(label, action, props) {
  return h("button", { type: "button", onclick: action, ...props }, label);
}

export function short(text, most = 80) {
  const value = String(text ?? "");
  return value.length > most ? value.slice(0, most - 1) + "…" : value;
}
