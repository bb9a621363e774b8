// The changes in groups, each as a diff, with the template line of each added line once it is known.

import { VERTICAL, button, icon, make, move, say } from "./dom.js";
import { color } from "./highlight.js";
import { keepOpen, makePlace } from "./path.js";

const CONTEXT = 1; // lines of a template around the one that is open
const VIEWS = { groups: "Groups", sides: "Side by side", whole: "Whole object" };
let view = "groups";

export function makeChanges(document, origins, onPlace, onHint) {
  const { rows, changes, verdict } = document;
  const context = { rows, origins: origins?.origins, templates: origins?.templates, onPlace };
  if (!changes.groups.length) {
    return make("section", { className: "section", id: "changes" }, make("header", {}, make("h2", { textContent: "Changes" })), ...makeEmpty(document, verdict, onPlace, onHint));
  }
  const section = make("section", { className: "section", id: "changes" });
  const count = verdict.operations;
  const show = () => section.replaceChildren(
    make("header", {}, make("h2", { textContent: "Changes" }),
      make("p", { textContent: `${count} patch operation${count === 1 ? "" : "s"}, each with its template line` }),
      ...Object.keys(VIEWS).filter((name) => name !== view).map((name) => button(VIEWS[name], () => { view = name; show(); section.querySelector("header button").focus(); }, `btn ghost view-${name}`))),
    view === "groups" ? makeGroups(changes.groups, context) : make("div", { className: "groups" }, makeDiff(rows.map((_, index) => index), context, VIEWS[view], view === "sides")));
  show();
  return section;
}

function makeGroups(groups, context) {
  return make("div", { className: "groups" }, ...groups.map((group) => {
    const details = make("details", { className: "group", "data-key": group.key },
      make("summary", {}, icon("chevron"), make("span", { className: group.sign === "+" ? "sign" : "sign changes", textContent: group.sign }),
        make("span", { className: "what" }, ...say(group.title)), make("span", { className: "sum", textContent: group.summary }),
        make("span", { className: "from", textContent: describeOrigins(group, context) })));
    const fill = () => { if (!details.querySelector(".diff")) details.append(makeDiff(group.rows, context, group.title.join(""))); };
    keepOpen(details, group.key, "group");
    if (groups.length === 1) details.open = true;
    if (details.open) fill();
    details.firstChild.addEventListener("click", fill);
    details.addEventListener("toggle", () => details.open && fill()); // the search of the browser opens it as well
    return details;
  }));
}

// The templates of a group, with the range of their lines.
function describeOrigins(group, { rows, origins, templates }) {
  if (!origins) return "";
  const lines = new Map();
  let isOwn = false;
  for (const index of group.rows) {
    const [, right, kind, pointer] = rows[index];
    if (right === null || kind === "same") continue;
    const origin = origins[pointer];
    if (!origin) isOwn = true;
    else lines.set(origin[0], [...(lines.get(origin[0]) ?? []), origin[1]]);
  }
  const names = [...lines].map(([index, numbers]) => {
    const [first, last] = [Math.min(...numbers), Math.max(...numbers)];
    return `${shorten(templates[index].name)}:${first === last ? first : `${first}–${last}`}`;
  });
  return names.length ? names.join(", ") : isOwn ? "podgraft" : "";
}

const shorten = (name) => name.replace(/^template /, "");

function makeDiff(indexes, context, name, isSideBySide = false) {
  const diff = make("div", { className: "diff", tabIndex: 0, role: "region", ariaLabel: `Changed lines: ${name}` });
  let previous = "";
  let last = null;
  for (const index of indexes) {
    if (last !== null && index > last + 1) diff.append(make("div", { className: "d gap", ariaHidden: "true" }, make("span", { className: "sg", textContent: "⋮" })));
    last = index;
    const [left, right, kind, pointer] = context.rows[index];
    const isChanged = kind !== "same";
    const origin = context.origins?.[pointer];
    const text = origin ? `${shorten(context.templates[origin[0]].name)}:${origin[1]}` : context.origins ? "podgraft" : "";
    const label = isChanged && right !== null ? text : "";
    const by = label && label !== previous ? [makeLabel(label, origin, context)] : [];
    if (right !== null) previous = label;
    if (isSideBySide) {
      const sides = isChanged ? [...makeSide("del", "−", left), ...makeSide("add", "+", right)] : [...makeSide("", " ", right), ...makeSide("", " ", right)];
      diff.append(make("div", { className: "d sides" }, ...sides, make("span", { className: "by" }, ...by)));
      continue;
    }
    if (isChanged && left !== null) diff.append(makeLine("del", "−", left, []));
    if (right !== null) diff.append(makeLine(isChanged ? "add" : "", isChanged ? "+" : " ", right, by));
  }
  diff.addEventListener("keydown", (event) => {
    const places = [...diff.querySelectorAll(".by .place")];
    if (event.target === diff && event.key === "ArrowDown" && places.length) {
      event.preventDefault();
      places[0].focus();
    } else move(event, places, VERTICAL);
    if (event.key === "Escape") closeSource(diff);
  });
  return diff;
}

function makeLine(name, sign, text, by) {
  return make("div", { className: `d ${name}` }, make("span", { className: "sg", textContent: sign }), make("pre", {}, ...color(text)), make("span", { className: "by" }, ...by));
}

// One side of a row: its sign and its text, empty without a text.
function makeSide(name, sign, text) {
  const isEmpty = text === null;
  return [make("span", { className: isEmpty ? "sg" : `sg ${name}`, textContent: isEmpty ? " " : sign }), make("pre", { className: isEmpty ? "" : name }, ...color(text ?? ""))];
}

function makeLabel(label, origin, context) {
  if (!origin) return make("span", { textContent: label, title: "set by podgraft, not by a template" });
  const element = make("button", { type: "button", className: "place origin", textContent: label, "aria-expanded": "false" });
  element.addEventListener("click", () => openSource(element, context.templates[origin[0]], origin[1], context.onPlace));
  return element;
}

function closeSource(root = document) {
  const source = root.querySelector(".source");
  if (!source) return;
  const label = source.previousElementSibling?.querySelector(".origin");
  source.previousElementSibling?.classList.remove("sel");
  label?.setAttribute("aria-expanded", "false");
  const hadFocus = source.contains(document.activeElement);
  source.remove();
  if (hadFocus) label?.focus();
}

function openSource(label, template, line, onPlace) {
  const wasOpen = label.getAttribute("aria-expanded") === "true";
  closeSource();
  if (wasOpen) return;
  const row = label.closest(".d");
  row.classList.add("sel");
  label.setAttribute("aria-expanded", "true");
  const lines = template.source.split("\n");
  const first = Math.max(0, line - 1 - CONTEXT);
  const shown = lines.slice(first, line + CONTEXT);
  row.after(make("div", { className: "source", id: "source" },
    make("header", {}, make("span", {}, shorten(template.name), `, line ${line}`), make("span", { className: "grow" }),
      template.file ? makePlace({ file: `bundle/${template.file}`, line: template.offset + line, text: `Show in ${template.file}:${template.offset + line}` }, onPlace) : null),
    make("ol", { tabIndex: 0, role: "list", ariaLabel: `Source of ${template.name}` }, ...shown.map((text, index) =>
      make("li", { className: first + index + 1 === line ? "mark" : "" }, make("span", { textContent: first + index + 1 }), make("pre", {}, ...color(text)))))));
}

function makeEmpty(document, verdict, onPlace, onHint) {
  const isDenied = verdict.tone === "deny";
  const hint = verdict.hint;
  const text = isDenied ? "kube-apiserver does not create the object." : verdict.word === "Not injected" && verdict.isPod ? "The pod runs without a sidecar." : "";
  const empty = make("div", { className: "empty" }, make("p", {}, make("b", { textContent: "No changes." }), ` ${text}`));
  if (hint) {
    empty.append(make("p", { className: "do" }, make("span", {}, ...say(hint.sentence)),
      hint.place ? makePlace(hint.place, onPlace) : null, hint.edit ? button(hint.edit.label, () => onHint(hint.edit)) : null));
  }
  const call = document.calls.find((each) => each.response?.response?.allowed === false);
  if (!call) return [empty];
  const message = call.response.response.status?.message ?? "";
  return [empty, make("div", { className: "kubectl" }, make("p", { textContent: "kubectl prints" }),
    make("pre", { textContent: `Error from server (Forbidden): error when creating "pod.yaml": admission webhook "${call.webhook || `${call.route}.podgraft.dev`}" denied the request: ${message}` }))];
}
