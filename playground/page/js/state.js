// What the visitor entered: the texts of the input, and the fields.

import { byId } from "./dom.js";

export const FIELDS = ["namespace", "namespace-labels", "cluster", "istio-release", "injector"];
const TEXTS = ["pod", "policy", "webhooks"];

export function readState(files) {
  const options = Object.fromEntries(FIELDS.map((name) => [name, byId(name).value.trim()]).filter(([, value]) => value));
  return { ...Object.fromEntries(TEXTS.map((name) => [name, byId(name).value])), files: { ...files }, options };
}

export function writeState(state) {
  for (const name of TEXTS) byId(name).value = state[name] ?? "";
  for (const name of FIELDS) byId(name).value = state.options?.[name] ?? "";
}

export function onEdit(listener) {
  for (const name of [...TEXTS, ...FIELDS, "bundle"]) byId(name).addEventListener("input", listener);
}
