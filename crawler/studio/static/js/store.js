// What the window knows: the state of the project, the pages, and what is chosen.
//
// Topics: "state", "page", "tree", "preview", "selection", "view".

import { attempt, get, post } from "./api.js";
import { TagTree } from "./tagtree.js";

const listeners = new Map();
// After so many milliseconds the window shows that the server works.
const BUSY = 300;

export const store = {
  state: null,
  page: 0,
  trees: new Map(),
  previews: new Map(),
  selection: null,
  pictures: false,
  // Whether the preview of the page in front is still to come.
  later: false,
  view: "wrap",
};

export function on(topic, listener) {
  for (const its of topic.split(" ")) {
    if (!listeners.has(its)) listeners.set(its, new Set());
    listeners.get(its).add(listener);
  }
}

export function emit(...topics) {
  const called = new Set();
  for (const topic of topics) {
    for (const listener of listeners.get(topic) ?? []) {
      if (!called.has(listener)) { called.add(listener); listener(); }
    }
  }
}

// Answers may overtake each other. The newer one has shown more than an older one knows.
const older = (answer) => answer.state && answer.state.revision < store.state?.revision;

// The answer of the server: what has changed.
function take(answer) {
  const topics = [];
  if (older(answer)) return;
  if (answer.state) {
    if (store.state && store.state.file !== answer.state.file && !answer.saved) location.reload();
    store.state = answer.state;
    store.later = Boolean(answer.later);
    const open = new Set(answer.state.pages.map((page) => page.page));
    for (const known of [store.trees, store.previews])
      for (const number of known.keys()) if (!open.has(number)) known.delete(number);
    if (!open.has(store.page)) {
      store.page = answer.state.pages.at(-1)?.page ?? 0;
      store.selection = null;
      topics.push("page", "selection");
    }
    topics.push("state");
  }
  if (answer.preview) {
    store.previews.set(answer.preview.page, answer.preview);
    topics.push("preview");
  }
  emit(...topics);
}

const known = (page) => store.previews.get(page)?.hash ?? "";

// Do an operation; return the answer, or undefined where it failed, which was said then.
export async function act(op, parts = {}) {
  const page = parts.page ?? store.page;
  const message = { op, ...parts, ...(page ? { page, known: known(page) } : {}) };
  const busy = setTimeout(() => { document.body.setAttribute("aria-busy", "true"); }, BUSY);
  const done = () => { clearTimeout(busy); document.body.removeAttribute("aria-busy"); };
  const answer = await attempt(() => post(message));
  if (answer) take(answer);
  // The preview of a large page comes by a call of its own, as does that of a page which came to the
  // front meanwhile.
  if (answer && (answer.later || page !== store.page)) settled = refresh().finally(done);
  else {
    done();
    if (answer) otherPreviews();
  }
  return answer;
}

// Wait until the page in front shows what was done last.
let settled = Promise.resolve();
export const shown = () => settled;

export async function refresh() {
  const page = store.page;
  const path = page ? `/api/page/${page}?known=${known(page)}` : "/api/state";
  const answer = await attempt(() => get(path));
  if (answer) {
    take(answer);
    otherPreviews();
  }
}

// Bring the previews of the pages in the background up to date, one after the other.
let asked = 0;
async function otherPreviews() {
  const mine = ++asked;
  for (const { page } of store.state.pages) {
    if (mine !== asked) return;
    if (page === store.page) continue;
    try {
      const answer = await get(`/api/page/${page}?known=${known(page)}`);
      if (answer.preview && !older(answer)) {
        store.previews.set(page, answer.preview);
        emit("preview");
      }
    } catch { return; }
  }
}

export async function showPage(number) {
  if (number === store.page && store.trees.has(number)) return;
  store.page = number;
  store.selection = null;
  emit("page", "selection");
  await loadPage();
}

// Load what is shown of the page in front.
export async function loadPage() {
  const number = store.page;
  if (!number) return;
  if (!store.trees.has(number)) {
    const answer = await attempt(() => get(`/api/tokens/${number}${store.pictures ? "?pictures=1" : ""}`));
    if (!answer) return;
    store.trees.set(number, new TagTree(answer.tokens));
  }
  emit("tree");
  await refresh();
}

export function select(node, kind) {
  store.selection = node === null ? null : { page: store.page, node, kind };
  emit("selection");
}

// Follow what other windows do.
export function follow() {
  const channel = new BroadcastChannel("studio");
  const hear = (revision) => { if (revision !== store.state?.revision) refresh(); };
  channel.onmessage = (event) => hear(event.data);
  const listen = () => new Promise(() => {
    new EventSource("/api/events").onmessage = (event) => {
      hear(Number(event.data));
      channel.postMessage(Number(event.data));
    };
  });
  // A browser opens six connections to a server at most, so one window listens for all of them.
  if (navigator.locks) navigator.locks.request("studio", listen);
  else listen();
}
