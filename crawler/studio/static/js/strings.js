// The strings of the interface, in the language of the person.

const LANGUAGES = { en: "English", ko: "한국어" };
let strings = {};
let fallback = {};
export let language = "en";

async function load(name) {
  return (await fetch(`/static/strings/${name}.json`)).json();
}

function wanted() {
  try {
    const kept = localStorage.getItem("studio-language");
    if (kept in LANGUAGES) return kept;
  } catch { /* storage may be off */ }
  return navigator.languages.map((its) => its.slice(0, 2)).find((its) => its in LANGUAGES) ?? "en";
}

export async function setLanguage(name = wanted()) {
  fallback = await load("en");
  strings = name === "en" ? fallback : await load(name);
  language = name;
  document.documentElement.lang = name;
  try { localStorage.setItem("studio-language", name); } catch { /* as above */ }
}

// Return a string; {0}, {1} are replaced by the values.
export function t(key, ...values) {
  const text = strings[key] ?? fallback[key] ?? key;
  return text.replace(/\{(\d)\}/g, (_, at) => String(values[at] ?? ""));
}

// Say what the engine says, in the language of the window where it has words for that.
export function said(kind, data, text) {
  const key = `wrong.${kind}`;
  return key in strings ? t(key, ...data) : text;
}

// The same of why work ended early; nothing where it did not.
export const saidError = (work) => (work?.error ? said(work.about[0], work.about.slice(1), work.error) : "");

// The same of a line on a page: what is wrong there, and how many are like it.
export function saidLine([kind, text, data, more]) {
  const its = kind === "wrong-type" ? [...data.slice(0, 2), t(`type.${data[2]}`)] : data;
  const own = said(kind, its, "");
  return own ? `${own}${more ? ` (${t("more", more)})` : ""}` : text;
}

export const languages = () => Object.entries(LANGUAGES);
