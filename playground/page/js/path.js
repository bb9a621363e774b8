// The path of the decision: a line with a node for each step of each webhook.

import { VERTICAL, icon, make, move, say } from "./dom.js";

const NODES = { graft: "check", left: "dash", deny: "cross", warn: "dash" };
const ENDS = { graft: "leaf", left: "bars", deny: "cross", warn: "bars" };
const opened = new Set(); // rows that the visitor opened, by the route and the name of the step

export function makeDecision({ paths }, onPlace) {
  const called = paths.filter((path) => path.route);
  const many = paths.length > 1;
  const section = make("section", { className: "section", id: "decision" },
    make("header", {}, make("h2", { textContent: "Decision" }), make("p", { textContent: describe(called) })),
    ...paths.flatMap((path, index) => makePart(path, index, many, onPlace)));
  section.addEventListener("keydown", (event) => {
    move(event, [...section.querySelectorAll(".path > li > .name > button")], VERTICAL);
    const row = event.target.closest(".path > li");
    if (event.key !== "g" || !row || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault(); // or the editor receives the letter
    row.querySelector(".place")?.click();
  });
  return section;
}

function describe(called) {
  if (!called.length) return "no webhook is called";
  const names = called.length === 1 ? `1 webhook: /${called[0].route}` : `${called.length} calls of webhooks`;
  return `${names}; the first check that decides wins`;
}

function makePart(path, index, many, onPlace) {
  const list = makeList(path, index, onPlace);
  if (!many) return [list];
  if (!path.isQuiet) return [make("h3", { className: "route" }, ...say(path.title)), list];
  const details = make("details", { className: "quiet-path" },
    make("summary", {}, icon("chevron"), make("span", {}, ...say(path.title)), path.summary), list);
  keepOpen(details, `path ${index}`, "open");
  return [details];
}

function makeList(path, index, onPlace) {
  const settled = path.isDeciding && path.tone !== "left" ? "settled" : "";
  const stopped = path.isDeciding && path.tone === "left" ? "stopped" : "";
  const list = make("ol", { className: `path ${settled}${stopped}`, "data-tone": path.isDeciding ? path.tone : "left" });
  list.append(...path.rows.map((row) => makeRow(row, path, index, onPlace)));
  return list;
}

function makeRow(row, path, index, onPlace) {
  const decides = row.state.includes("decides");
  const item = make("li", { className: row.state });
  if (decides) item.setAttribute("aria-current", "step");
  item.append(makeNode(row, path), makeName(row, item, decides, `${index} ${row.name} ${row.state}`),
    make("div", { className: "found" }, ...makeFound(row.found)),
    make("span", { className: "at" }, ...row.places.map((place) => makePlace(place, onPlace))));
  return item;
}

function makeNode(row, path) {
  const node = make("span", { className: "node", ariaHidden: "true" });
  if (row.state.includes("decides")) node.append(icon(NODES[path.tone]));
  else if (row.state === "end") node.append(icon(ENDS[path.isDeciding ? path.tone : "left"]));
  return node;
}

function makeFound(found) {
  if (found.length === 1) return say(found[0]);
  return [make("ul", {}, ...found.map((sentence) => make("li", {}, ...say(sentence))))];
}

// The name opens what the step reads, or the steps that the row stands for.
function makeName(row, item, decides, key) {
  const hasInput = row.object || row.configuration || row.steps.length;
  const title = hasInput ? make("button", { type: "button", "aria-expanded": "false" }, ...say(row.title)) : make("span", {}, ...say(row.title));
  const name = make("span", { className: "name" }, title, decides ? make("span", { className: "tag", textContent: "decides" }) : null);
  if (!hasInput) return name;
  let detail = null;
  const toggle = (isOpen) => {
    title.setAttribute("aria-expanded", String(isOpen));
    detail?.remove();
    detail = isOpen ? makeDetail(row) : null;
    if (detail) item.append(detail);
    if (isOpen) opened.add(key);
    else opened.delete(key);
  };
  title.addEventListener("click", () => toggle(title.getAttribute("aria-expanded") !== "true"));
  if (opened.has(key)) queueMicrotask(() => toggle(true));
  return name;
}

function makeDetail(row) {
  if (row.steps.length) {
    return make("ul", { className: "nested" }, ...row.steps.map((step) =>
      make("li", {}, make("span", {}, ...say(step.title)), make("span", {}, ...makeFound(step.found)))));
  }
  const parts = [["In the object", row.object], ["In the configuration", row.configuration]].filter(([, value]) => value);
  return make("dl", { className: "input" }, ...parts.map(([term, value]) =>
    make("div", {}, make("dt", { textContent: term }), make("dd", { textContent: value, tabIndex: 0 }))));
}

export function makePlace(place, onPlace) {
  return make("button", { type: "button", className: "place", textContent: place.text, onclick: () => onPlace(place) });
}

export function keepOpen(details, key, name = "open") {
  details.open = opened.has(`${name} ${key}`);
  details.addEventListener("toggle", () => (details.open ? opened.add(`${name} ${key}`) : opened.delete(`${name} ${key}`)));
}

// While Python loads and no result is recorded: gray rows.
export function makePlaceholder() {
  const rows = Array.from({ length: 5 }, () => make("li", { className: "continues" }, make("span", { className: "node" }), make("span", { className: "name" }), make("span", { className: "found" })));
  return make("section", { className: "section", ariaHidden: "true" }, make("ol", { className: "path placeholder", "data-tone": "left" }, ...rows));
}

