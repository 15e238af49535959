// Talking with the server.

import { note } from "./notes.js";
import { said, t } from "./strings.js";

async function read(response) {
  let answer = {};
  try { answer = await response.json(); } catch { /* no JSON: said below */ }
  if (!response.ok) throw new Error(said(answer.kind, answer.data, answer.error) ?? t("error.refused", response.status));
  return answer;
}

export async function get(path) {
  return read(await fetch(path, { credentials: "same-origin" }));
}

export async function post(message) {
  return read(await fetch("/api/do", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    credentials: "same-origin",
    body: JSON.stringify(message),
  }));
}

// What is wrong, where the server is gone too.
export const why = (error) => (error instanceof TypeError ? `${t("error.server")} (${error.message})` : error.message);

// Do something, and say what is wrong where it fails.
export async function attempt(work) {
  try {
    return await work();
  } catch (error) {
    note(why(error));
    return undefined;
  }
}
