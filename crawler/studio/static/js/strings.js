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

export const languages = () => Object.entries(LANGUAGES);
