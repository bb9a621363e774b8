// The verdict: one word, one sentence, one color, one icon. It also shows each state without a result.

import { byId, make, say, showSegments } from "./dom.js";

const ANNOUNCEMENT = 1000; // milliseconds between two announcements
let timer = 0;
let last = 0;

export function showVerdict({ tone, icon: name, word, reason, subject = [], facts = [] }) {
  for (const id of ["verdict", "frame"]) byId(id).dataset.tone = tone;
  byId("badge").setAttribute("href", `#i-${name}`);
  byId("word").textContent = word;
  byId("reason").replaceChildren(...reason);
  byId("subject").replaceChildren(...subject);
  byId("facts").replaceChildren(...facts);
  byId("recorded").hidden = true;
  document.title = [word, byId("subject").querySelector("code")?.textContent, "podgraft playground"].filter(Boolean).join(" · ");
  announce(`${word}. ${byId("reason").textContent}`);
}

function announce(text) {
  clearTimeout(timer);
  const wait = Math.max(0, last + ANNOUNCEMENT - Date.now());
  timer = setTimeout(() => {
    last = Date.now();
    if (byId("status").textContent !== text) byId("status").textContent = text;
  }, wait);
}

export function showDocument({ verdict, changes }, warnings) {
  const place = verdict.namespace ? `${verdict.kind} in namespace ${verdict.namespace}` : verdict.kind;
  showVerdict({ ...verdict, reason: say(verdict.reason), subject: [make("code", { textContent: verdict.name }), place], facts: makeFacts(verdict, changes, warnings) });
}

function makeFacts(verdict, { facts, others }, warnings) {
  const items = facts.map(([sign, name, text]) => make("li", {},
    make("span", { className: sign === "+" ? "sign" : "sign changes", textContent: sign }), make("b", { textContent: name }), text));
  if (others) items.push(make("li", { textContent: `${facts.length ? "and " : ""}${others} ${others === 1 ? "label or annotation" : "labels and annotations"}` }));
  if (!items.length) items.push(make("li", {}, make("b", { textContent: verdict.tone === "deny" ? "kube-apiserver does not create the object." : "The object stays as it is." })));
  for (const warning of [...verdict.warnings, ...warnings]) items.push(make("li", { className: "warning" }, make("b", { textContent: "Warning" }), warning));
  return items;
}

// The objects of an input with several, and which of them the page shows.
export function showObjects(documents, selected, onSelect) {
  const list = byId("objects");
  list.hidden = documents.length < 2;
  if (list.hidden) return list.replaceChildren();
  showSegments(list, documents.map(({ verdict }) => `${verdict.name}: ${verdict.word.toLowerCase()}`), selected, onSelect,
    (index) => [make("span", { className: "dot", "data-tone": documents[index].verdict.tone })]);
}

// What replaces the verdict while there is no current result.
export const STATES = {
  loading: { tone: "warn", icon: "clock", word: "Loading…", reason: ["The result follows when Python is ready."] },
  waiting: { tone: "warn", icon: "clock", word: "Waiting for Python", reason: ["The result below is that of the recorded input."] },
  evaluating: { tone: "warn", icon: "clock", word: "Evaluating…", reason: ["The result below is that of the previous input."] },
  slow: { tone: "warn", icon: "clock", word: "Still evaluating", reason: ["The result below is that of the previous input."] },
  stopped: { tone: "warn", icon: "square", word: "Stopped", reason: ["The evaluation was stopped. Edit the input, or evaluate it again."] },
  empty: { tone: "deny", icon: "alert", word: "No result", reason: ["Paste a pod or a workload."] },
  failed: { tone: "deny", icon: "alert", word: "podgraft failed", reason: ["The error is in podgraft, not in your input. Report it, or run the input on your machine."] },
  start: { tone: "deny", icon: "alert", word: "podgraft does not start", reason: ["Reload the page, or use a current browser."] },
};

