// The result as elements: the decision, the compared objects, patches, responses, and problems.

import { byId, make } from "./dom.js";
import { readTrace } from "./trace.js";

const OUTCOMES = {
  passes: "· continues", injects: "✓ injects", changes: "✓ changes", stops: "✗ stops", denies: "✗ denies", fails: "! fails",
};

export function showDecision(documents) {
  const isOpen = byId("open-steps")?.getAttribute("aria-pressed") === "true";
  byId("panel-why").replaceChildren(...(documents.length ? [openButton()] : []), ...documents.flatMap((document) => decision(readTrace(document))));
  if (isOpen) byId("open-steps")?.click();
}

// Opens all steps, or only those that decide.
function openButton() {
  const button = make("button", { type: "button", id: "open-steps", "aria-pressed": "false", textContent: "Open all steps" });
  button.addEventListener("click", () => {
    const isOpen = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(isOpen));
    for (const each of document.querySelectorAll("details.step")) each.open = isOpen || each.parentElement.classList.contains("decides");
  });
  return button;
}

function decision(trace) {
  return [
    make("h3", { textContent: trace.subject }),
    ...trace.stages.map((stage) =>
      make("details", { open: true }, make("summary", { textContent: stage.name }),
        make("ol", { className: "steps" }, ...stage.steps.map((each) => step(each, stage.object.startsWith("Pod/")))))),
    make("p", { className: "conclusion", textContent: trace.conclusion }),
    sidecars(trace.sidecars),
    ...trace.warnings.map((warning) => make("p", { className: "notice", textContent: `warning: ${warning}` })),
  ];
}

// A line for each step, which opens to its input; the deciding step is open.
function step(each, isPod) {
  const classes = [each.isDeciding ? "decides" : "", each.reached ? "" : "unreached"].filter(Boolean).join(" ");
  const outcome = OUTCOMES[each.outcome] ?? each.outcome;
  const rows = [["asked", each.question], [isPod ? "in the pod" : "in the object", each.object], ["in the configuration", each.configuration],
    ["observed", each.observed], ["effect", outcome], ["reason", each.isDeciding ? each.reason : ""]];
  const notes = [each.isDeciding ? " ◀ decides" : "", each.reached ? "" : " (not reached)"].join("");
  return make("li", { className: classes }, make("details", { className: "step", open: each.isDeciding },
    make("summary", {}, `${outcome.split(" ")[0]} `, make("span", { className: "step-name", textContent: each.name }),
      make("span", { className: "observed", textContent: ` ${each.observed}` }), notes),
    make("dl", {}, ...rows.filter(([, value]) => value).flatMap(([name, value]) =>
      [make("dt", { textContent: name }), make("dd", { className: value.includes("\n") ? "lines" : "", textContent: value })]))));
}

function sidecars(added) {
  if (!added) return null;
  const rows = [["templates", added.templates], ["image", [added.image]], ["init containers", added.initContainers],
    ["containers", added.containers], ["volumes", added.volumes]];
  return make("dl", { className: "steps" }, ...rows.filter(([, values]) => values?.some(Boolean)).flatMap(([name, values]) =>
    [make("dt", { textContent: name }), make("dd", { textContent: values.join(", ") })]));
}

// Objects before and after, with the template line of each added line once it is known.
export function showObjects(documents, origins, onOpen) {
  const parts = documents.flatMap((document, index) => {
    if (!document.rows.length) return [make("p", { textContent: `${document.trace.subject}: no webhook is called.` })];
    return [
      make("h3", { textContent: document.trace.subject }),
      table(document.rows, origins?.documents[index], origins?.templates, onOpen),
    ];
  });
  byId("panel-after").replaceChildren(...parts, make("div", { id: "source", hidden: true }));
}

function table(rows, origins, templates, onOpen) {
  let previous = "";
  const body = rows.map(([left, right, kind, pointer]) => {
    const by = make("td", { className: "by" });
    const isNew = right !== null && kind !== "same";
    const origin = isNew ? origins?.[pointer] : undefined;
    const label = origin ? `${templates[origin[0]].name}:${origin[1]}` : isNew && origins ? "podgraft" : "";
    const row = make("tr", { className: kind },
      make("td", { className: "code before", textContent: left === null ? "" : `${kind === "same" ? " " : "-"} ${left}` }),
      make("td", { className: "code after", textContent: right === null ? "" : `${kind === "same" ? " " : "+"} ${right}` }), by);
    if (label && label !== previous) {
      if (origin) by.append(make("button", { type: "button", className: "origin", textContent: label, onclick: () => onOpen(templates[origin[0]], origin[1], row) }));
      else by.append(make("span", { textContent: label, title: "set by the injector itself, not by a template" }));
    }
    if (origin) row.querySelector(".after").addEventListener("click", () => onOpen(templates[origin[0]], origin[1], row));
    previous = label;
    return row;
  });
  return make("table", { className: "diff" },
    make("colgroup", {}, make("col", { className: "before" }), make("col"), make("col", { className: "by" })),
    make("thead", {}, make("tr", {}, make("th", { scope: "col", className: "before", textContent: "Before" }),
      make("th", { scope: "col", textContent: "After" }), make("th", { scope: "col", textContent: "Added by" }))),
    make("tbody", {}, ...body));
}

export function showSource(template, line, row, onBundle) {
  for (const each of document.querySelectorAll("tr.current")) each.classList.remove("current");
  row.classList.add("current");
  const panel = byId("source");
  const place = template.file ? `, bundle/${template.file} line ${template.offset + line}` : "";
  const lines = template.source.split("\n").map((text, index) => {
    const number = `${String(index + 1).padStart(4)}  ${text}\n`;
    return index + 1 === line ? make("mark", { className: "mark", textContent: number }) : number;
  });
  const source = make("pre", { className: "source", tabIndex: 0, role: "region", ariaLabel: `Source of ${template.name}` }, ...lines);
  panel.replaceChildren(make("h3", { textContent: `${template.name}, line ${line}${place}` }), source);
  if (template.file) {
    panel.append(make("button", { type: "button", textContent: "Show in the bundle", onclick: () => onBundle(template.file, template.offset + line) }));
  }
  panel.hidden = false;
  row.closest("table").after(panel);
  row.after(make("tr", { className: "opened" }, make("td", { colSpan: 3 }, panel)));
  for (const each of document.querySelectorAll("tr.opened")) if (!each.contains(panel)) each.remove();
  const mark = source.querySelector(".mark");
  if (mark) source.scrollTop = mark.offsetTop - source.offsetTop - source.clientHeight / 2;
}

export function showPatches(documents) {
  const calls = documents.flatMap((document) => document.calls);
  byId("panel-patch").replaceChildren(...calls.flatMap((call) => [
    make("h3", { textContent: `/${call.route}, ${call.object}: ${call.patch ? `${call.patch.length} operations` : "no patch"}` }),
    call.patch ? code(`[\n${call.patch.map((operation) => `  ${JSON.stringify(operation)}`).join(",\n")}\n]`, "Patch") : null,
  ].filter(Boolean)), ...(calls.length || !documents.length ? [] : [make("p", { textContent: "No webhook is called." })]));
}

export function showResponses(documents) {
  const calls = documents.flatMap((document) => document.calls);
  byId("panel-response").replaceChildren(...calls.flatMap((call) => {
    const response = call.response?.response;
    if (!response) return [make("h3", { textContent: `/${call.route}, ${call.object}: the review fails` })];
    const audit = Object.entries(response.auditAnnotations ?? {});
    return [
      make("h3", { textContent: `/${call.route}, ${call.object}: ${response.allowed ? "allowed" : "denied"}` }),
      ...(response.warnings ?? []).map((warning) => make("p", { className: "notice", textContent: `warning: ${warning}` })),
      make("h4", { textContent: "Audit annotations" }),
      make("dl", { className: "steps" }, ...audit.flatMap(([name, value]) => [make("dt", { textContent: name }), make("dd", { textContent: value })])),
      make("h4", { textContent: "AdmissionReview" }),
      code(JSON.stringify(call.response, null, 2), "AdmissionReview"),
    ];
  }), ...(calls.length || !documents.length ? [] : [make("p", { textContent: "No webhook is called." })]));
}

export function showProblems(errors, onPlace) {
  const lines = errors.split("\n").filter(Boolean);
  byId("panel-problems").replaceChildren(
    ...(lines.length ? [code(errors, "Problems")] : [make("p", { textContent: "No errors and no warnings." })]));
  byId("tab-problems").textContent = lines.length ? `Problems (${lines.filter((line) => /^(error|warning|Error)/.test(line)).length || 1})` : "Problems";
}

function code(text, label) {
  return make("pre", { textContent: text, tabIndex: 0, role: "region", ariaLabel: label });
}
