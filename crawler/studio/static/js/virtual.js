// A list of any length of which only the rows in sight are made.

import { h } from "./dom.js";

const MORE = 8;

export class RowList {
  // `row(at)` makes the row of a number; rows have one height.
  constructor({ height, row, label, role = "list", key, select }) {
    this.height = height;
    this.row = row;
    this.count = 0;
    this.current = -1;
    this.made = new Map();
    this.space = h("div", { class: "rows", role: "presentation" });
    this.element = h("div", { class: "row-list", role, tabindex: 0, "aria-label": label }, this.space);
    this.element.addEventListener("scroll", () => this.#show());
    new ResizeObserver(() => this.#show()).observe(this.element);
    this.element.addEventListener("keydown", (event) => {
      const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15, Home: -this.count, End: this.count };
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      if (event.key in steps) {
        event.preventDefault();
        this.go(this.current + steps[event.key]);
        select?.(this.current, event);
      } else key?.(event, this.current);
    });
  }

  // Show so many rows anew.
  set(count) {
    this.count = count;
    this.current = Math.min(this.current, count - 1);
    this.space.style.height = `${count * this.height}px`;
    this.#clear();
    this.#show();
  }

  go(at) {
    const old = this.current;
    this.current = Math.max(0, Math.min(at, this.count - 1));
    const top = this.current * this.height;
    const { scrollTop, clientHeight } = this.element;
    if (top < scrollTop) this.element.scrollTop = top;
    else if (top + this.height > scrollTop + clientHeight) this.element.scrollTop = top + this.height - clientHeight;
    for (const its of [old, this.current]) this.#drop(its);
    this.#show();
  }

  #drop(at) {
    this.made.get(at)?.remove();
    this.made.delete(at);
  }

  #clear() {
    this.space.replaceChildren();
    this.made.clear();
  }

  #show() {
    const { scrollTop, clientHeight } = this.element;
    const first = Math.max(0, Math.floor(scrollTop / this.height) - MORE);
    const last = Math.min(this.count, Math.ceil((scrollTop + clientHeight) / this.height) + MORE);
    for (const at of [...this.made.keys()]) if (at < first || at >= last) this.#drop(at);
    for (let at = first; at < last; at++) {
      if (this.made.has(at)) continue;
      const row = this.row(at, at === this.current);
      row.style.top = `${at * this.height}px`;
      row.style.height = `${this.height}px`;
      if (at === this.current) {
        row.classList.add("current");
        row.id ||= `row-${Math.random().toString(36).slice(2)}`;
        this.element.setAttribute("aria-activedescendant", row.id);
      }
      this.made.set(at, row);
      this.space.append(row);
    }
  }
}
