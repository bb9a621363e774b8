// The page: it reads the input, sends it to the worker, and shows the result.

import { byId, button, make, showSegments } from "./js/dom.js";
import { useBundle, usePlainText } from "./js/editor-element.js";
import { Engine } from "./js/engine.js";
import { Files } from "./js/files.js";
import { FIELDS, Inputs } from "./js/inputs.js";
import { decodeState, encodeState, MAX_LINK } from "./js/share.js";
import { readDraft, removeDraft, writeDraft } from "./js/draft.js";
import { copy, saveFile, setUpDialog, showTemplate, showText } from "./js/dialog.js";
import { toCommand, toTestCase } from "./js/command.js";
import { makeMatrix } from "./js/matrix.js";
import { setUpMenu, setUpScheme } from "./js/menu.js";
import { setUpPanes, setUpViews } from "./js/panes.js";
import { showDocument, showObjects, showVerdict, STATES } from "./js/verdict.js";
import { makeDecision, makePlace, makePlaceholder } from "./js/path.js";
import { makeChanges } from "./js/changes.js";
import { makeOutput } from "./js/output.js";
import { setUpKeys } from "./js/keys.js";
import { useServiceWorker } from "./js/offline.js";

const DELAY = 60; // milliseconds after the last key
const BUSY = 400;
const SLOW = 1500;
const SHARES = { interpreter: 92, engine: 97 }; // of the start, in percent; the download has 85
const ISSUES = "https://github.com/podgraft/podgraft/issues/new";

const data = await readExamples();
const { examples } = data;
const isCached = Boolean(navigator.serviceWorker?.controller);
const docs = document.documentElement.dataset.docs;
let result = null; // the current answer with its input and origins; null if there is none
let selected = 0; // the object that the page shows
let example = "istio";
let problems = [];
let matrix = null;
let versions = null;
let percent = 0;
let timer = 0;

const engine = new Engine(new URL("./worker.js", import.meta.url), { onState, onReady, onProgress: showProgress });
const showView = setUpViews();
const files = new Files(edited, showNote);
const inputs = new Inputs(files, edited);
setUpDialog();
setUpMenu();
setUpScheme();
setUpPanes();
setUpKeys({
  problems: () => problems.map(placeOf).filter(Boolean),
  goTo,
  review: () => review(),
  focusInput: (number) => { if (isPhone()) showView("input"); inputs.focus(number); },
});

async function readExamples() {
  try {
    return await (await fetch(new URL("./examples.json", import.meta.url))).json();
  } catch (error) {
    showVerdict({ ...STATES.start, reason: ["The examples did not load. Check the connection, and reload the page."] });
    throw error;
  }
}

function showNote(text) {
  byId("note").textContent = text;
  byId("link-bar").hidden = !text;
}

const isPhone = () => matchMedia("(max-width: 859px)").matches;

function goTo(place) {
  if (isPhone()) showView("input");
  inputs.goTo(place);
}

// Results

function showAnswer(answer, origins = null) {
  const documents = answer.documents;
  selected = Math.min(selected, Math.max(documents.length - 1, 0));
  problems = answer.problems ?? [];
  const shown = documents[selected];
  if (answer.notEvaluated) showUnknown(answer.notEvaluated);
  else if (!shown) showProblems();
  else {
    showDocument(shown, problems.map((each) => each.message)); // only warnings, as there is a result
    if (documents.length > 1) byId("reason").append(` ${summarize(documents)}`);
    inputs.describe(shown.verdict.namespace);
    const own = origins?.templates ? { templates: origins.templates, origins: origins.documents[selected] } : null;
    fill([makeDecision(shown, goTo), makeChanges(shown, own, goTo, (edit) => inputs.edit(edit)), matrix, makeOutput(answer)].filter(Boolean));
  }
  showObjects(documents, selected, (index) => { selected = index; showAnswer(answer, origins); byId("objects").children[index].focus(); });
  markLines(shown);
  document.body.dataset.origins = origins?.templates ? "shown" : "";
}

function summarize(documents) {
  const count = documents.filter(({ verdict }) => verdict.tone === "graft").length;
  return `${count} of ${documents.length} objects are injected or changed.`;
}

// Replaces the result; what has the focus there gets it again. What remains is not moved: a click on it would be lost.
function fill(children) {
  const body = byId("body");
  const focused = body.contains(document.activeElement) ? [...body.querySelectorAll("button, summary, [tabindex]")].indexOf(document.activeElement) : -1;
  const result = byId("result");
  const top = result.scrollTop;
  for (const each of [...body.children]) if (!children.includes(each)) each.remove();
  let next = body.firstElementChild;
  for (const each of children) {
    if (each === next) next = next.nextElementSibling;
    else body.insertBefore(each, next);
  }
  body.classList.remove("busy");
  body.removeAttribute("aria-busy");
  result.scrollTop = top;
  if (focused >= 0) body.querySelectorAll("button, summary, [tabindex]")[focused]?.focus({ preventScroll: true });
}

function markLines(shown) {
  const verdict = shown?.verdict;
  const rows = (shown?.paths ?? []).flatMap((path) => path.rows).filter((row) => row.state.includes("decides"));
  const places = rows.flatMap((row) => row.places);
  inputs.mark(places.map(({ file, line }) => ({ file, line, tone: verdict.tone, text: `decides: ${verdict.word.toLowerCase()}` })), problems);
}

// There is no result: the old one leaves the page, so it cannot look like that of the current input.
function clear(...children) {
  showObjects([], 0);
  fill([make("section", { className: "section" }, make("div", { className: "empty" }, ...children)), make("pre", { id: "text", hidden: true })]);
  byId("time").textContent = "";
}

function showProblems() {
  const errors = problems.filter((each) => each.level === "error");
  const [first] = errors;
  if (!byId("pod").value.trim()) {
    showVerdict(STATES.empty);
    return clear(make("p", { className: "do" }, ...Object.keys(examples).slice(0, 3).map((name) => button(titleOf(name), () => choose(name)))));
  }
  const place = first ? placeOf(first) : null;
  const text = first ? `${first.problem}${first.remedy ? `; ${first.remedy}` : ""}` : "podgraft cannot read the input.";
  showVerdict({ tone: "deny", icon: "alert", word: "No result", reason: place ? [make("code", { textContent: place.text }), `: ${text}`] : [text] });
  clear(make("p", {}, make("b", { textContent: `Correct ${errors.length === 1 ? "1 problem" : `${errors.length} problems`}.` }), " podgraft evaluates the pod as soon as it can read it."),
    make("ul", {}, ...errors.map((each) => make("li", { className: "do" }, placeOf(each) ? makePlace(placeOf(each), goTo) : null, each.problem, each.remedy ? `; ${each.remedy}` : ""))),
    place ? make("p", { className: "do" }, button(`Go to ${place.text}`, () => goTo(place)), "or press F8") : null);
}

function placeOf({ file, line, field }) {
  if (field) return { field, text: field };
  if (!file) return null;
  const name = file === "pod.yaml" ? "pod" : file.replace(/^bundle\//, "");
  return { file, line: line ?? 1, text: line ? `${name}:${line}` : name };
}

function showUnknown({ kind, text }) {
  showVerdict({ tone: "warn", icon: "alert", word: "Unknown", reason: [`Not evaluated here: ${kind}. Use podgraft on your machine.`] });
  clear(make("p", {}, make("b", { textContent: "This step needs the command line." })), make("p", {}, make("code", { id: "unsupported", textContent: text })),
    make("p", { className: "do" }, button("Copy as command", () => byId("command").click())));
}

function showFailure(message) {
  result = null;
  problems = [];
  markLines(null);
  showVerdict(STATES.failed);
  const report = `${message}\n${Object.entries(versions ?? {}).map(([name, value]) => `${name} ${value}`).join("\n")}\n${navigator.userAgent}`;
  clear(make("p", {}, make("code", { id: "failure", textContent: message })), make("p", { className: "do" }, button("Copy as command", () => byId("command").click()),
    button("Copy the report", (event) => copy(event.target, report, "Report", "It has the error and the versions, and not the input.")), make("a", { href: ISSUES, textContent: "Open an issue" })));
}

function showStopped() {
  result = null;
  showVerdict(STATES.stopped);
  clear(make("p", { className: "do" }, button("Evaluate again", review), button("Copy as command", () => byId("command").click())));
}

// Worker

function onState(name, message) {
  document.body.dataset.state = name;
  if (name === "loading") showProgress({ bytes: 0 });
  byId("load").hidden = name !== "loading";
  if (name === "failed") {
    showVerdict({ ...STATES.start, reason: [`${message}. Reload the page, or use a current browser.`] });
    const keeps = result?.isRecorded;
    if (!keeps) clear(make("p", { className: "do" }, button("Copy as command", () => byId("command").click())));
  }
}

// Reports an evaluation that takes long; returns what ends the report.
function watch() {
  if (document.body.dataset.state === "loading") return () => {};
  const timers = [setTimeout(() => showBusy("evaluating"), BUSY), setTimeout(() => {
    showBusy("slow");
    byId("facts").replaceChildren(make("li", {}, make("button", { type: "button", id: "stop", className: "btn", textContent: "Stop", onclick: stop })));
  }, SLOW)];
  return () => timers.forEach(clearTimeout);
}

// The old result stays, gray, and the verdict reports that it is old.
function showBusy(name) {
  showVerdict(result ? STATES[name] : { ...STATES[name], reason: ["The result follows."] });
  byId("body").classList.add("busy");
  byId("body").setAttribute("aria-busy", "true");
}

function showProgress({ bytes, step }) {
  if (!step && bytes === 0) percent = 0;
  percent = Math.max(percent, step ? SHARES[step] : Math.min(85, Math.round((85 * bytes) / data.bytes)));
  byId("progress").value = percent;
  const megabytes = (value) => (value / 1e6).toFixed(1);
  const size = isCached || !bytes ? [] : [` (${megabytes(Math.min(bytes, data.bytes))} of ${megabytes(data.bytes)} MB)`];
  byId("load-text").replaceChildren(isCached ? "Starting Python " : "Loading Python ", make("b", { textContent: `${percent} %` }), ...size,
    ". You can edit now: podgraft evaluates the edit when Python is ready.");
}

function stop() {
  engine.stop();
  showStopped();
}

async function onReady(ready) {
  if (versions) return; // a worker that replaces another one; the input before is not evaluated again
  versions = { podgraft: ready.podgraft, Python: ready.python, Pyodide: ready.pyodide };
  byId("versions").textContent = `podgraft ${ready.podgraft} on Python ${ready.python}`;
  byId("istio-releases").replaceChildren(...ready.releases.map((value) => make("option", { value })));
  await review();
}

async function review() {
  clearTimeout(timer);
  const input = inputs.read();
  const end = watch();
  const answer = await engine.request("review", { input });
  end();
  if (!answer) return undefined; // a newer input replaced this one, or the visitor stopped it
  if (answer.failure) {
    showFailure(answer.failure);
    return count();
  }
  const recorded = result?.isRecorded && sameInput(result.input, input) ? result : null;
  if (recorded && !sameAnswer(recorded, answer)) {
    showFailure("The result differs from the recorded one.");
    return count();
  }
  result = { ...answer, input };
  showAnswer(answer, recorded?.origins);
  byId("time").textContent = `${Math.round(answer.milliseconds)} ms, exit status ${answer.status}`;
  count();
  const origins = await engine.request("origins", { input });
  if (origins?.templates && result?.input === input) {
    result.origins = origins;
    showAnswer(answer, origins);
  }
}

function count() {
  document.body.dataset.shown = String(Number(document.body.dataset.shown ?? 0) + 1);
}

const toText = (value) => JSON.stringify(value);
const sameInput = (left, right) => toText([left.pod, left.policy, left.webhooks, left.files, left.options]) === toText([right.pod, right.policy, right.webhooks, right.files, right.options]);
const sameAnswer = (left, right) => toText([left.text, left.documents]) === toText([right.text, right.documents]);

// Input

function edited() {
  clearTimeout(timer);
  showNote(""); // it was about the input before
  byId("reset").hidden = false;
  for (const each of byId("inputs").children) each.setAttribute("aria-pressed", "false");
  if (document.body.dataset.state === "loading") {
    const isRecorded = result?.isRecorded && sameInput(result.input, inputs.read());
    if (isRecorded) showRecorded();
    else if (result) {
      showVerdict(STATES.waiting);
      byId("body").classList.add("busy");
    }
  }
  timer = setTimeout(() => {
    writeDraft(inputs.read());
    review();
  }, DELAY);
}

const titleOf = (name) => examples[name].title;

function listExamples() {
  for (const id of ["example", "example-phone"]) {
    const groups = Map.groupBy(Object.entries(examples), ([, each]) => each.group);
    byId(id).replaceChildren(...[...groups].map(([label, members]) =>
      make("optgroup", { label }, ...members.map(([value, each]) => make("option", { value, textContent: each.title })))));
    byId(id).addEventListener("change", (event) => choose(event.target.value));
    byId(id).disabled = false;
  }
  for (const id of ["share", "command", "more"]) byId(id).disabled = false;
}

// Fills the input from an example, without an evaluation.
function selectExample(name, pod = Object.keys(examples[name].pods)[0]) {
  example = name;
  matrix = null;
  for (const id of ["example", "example-phone"]) byId(id).value = name;
  byId("about").href = `${docs}${examples[name].page}`;
  inputs.podNamespace = "";
  inputs.write({ ...examples[name], pod: examples[name].pods[pod] });
  listInputs(pod);
  byId("reset").hidden = true;
}

function listInputs(pod) {
  const names = Object.keys(examples[example].pods);
  const isLong = names.length > 4;
  byId("input-name").hidden = !isLong;
  byId("inputs").hidden = isLong;
  byId("input-name").replaceChildren(...names.map((each) => make("option", { value: each, textContent: each })));
  byId("input-name").value = pod;
  showSegments(byId("inputs"), names, names.indexOf(pod), (index) => {
    choose(example, names[index]);
    byId("inputs").children[index].focus();
  });
}

async function choose(name, pod) {
  selectExample(name, pod);
  showNote("");
  removeDraft();
  history.replaceState(null, "", location.pathname + location.search);
  if (document.body.dataset.state === "loading" && result) {
    showVerdict(STATES.waiting);
    byId("body").classList.add("busy");
  }
  const reviewed = review();
  if (examples[name].matrix) await showMatrix();
  await reviewed;
}

async function showMatrix() {
  const own = examples[example];
  const section = await makeMatrix(own, inputs.read(), engine, (row) => {
    inputs.write({ ...own, pod: row.pod, policy: row.document });
    listInputs("");
    review();
    byId("verdict").focus();
  });
  if (!section || examples[example] !== own) return;
  matrix = section;
  byId("decision")?.after(section);
}

function showRecorded() {
  const { answer, origins } = data.first;
  result = { ...answer, input: inputs.read(), origins, isRecorded: true };
  showAnswer(answer, origins);
  byId("recorded").hidden = false;
}

async function start() {
  selectExample("istio");
  const draft = readDraft();
  if (draft) return showInput(draft);
  if (location.hash.length <= 1) return showRecorded();
  if (!(await openLink())) showRecorded();
}

// Fills the input from the fragment of the address. A damaged link changes nothing; returns whether it is valid.
async function openLink() {
  let state;
  try {
    state = await decodeState(location.hash);
  } catch (error) {
    showNote(error.message);
    return false;
  }
  selectExample("istio");
  showInput(state);
  showNote("This input is from a link. It was not sent to a server.");
  return true;
}

// An input without a result yet.
function showInput(state) {
  inputs.write(state);
  listInputs("");
  byId("reset").hidden = false;
  result = null;
  showVerdict(STATES.loading);
  fill([makePlaceholder()]);
}

// Actions

byId("input-name").addEventListener("change", (event) => choose(example, event.target.value));
byId("reset").addEventListener("click", () => choose(example));
byId("close-note").addEventListener("click", () => { showNote(""); byId("verdict").focus(); });
byId("limits").addEventListener("click", () => showTemplate("Limits of this page", "limits-text"));
byId("shortcuts").addEventListener("click", () => showTemplate("Keyboard shortcuts", "shortcuts-text"));
byId("plain").addEventListener("click", (event) => {
  const isPlain = event.target.getAttribute("aria-checked") !== "true";
  event.target.setAttribute("aria-checked", String(isPlain));
  usePlainText(isPlain);
});
byId("share").addEventListener("click", async () => {
  const fragment = await encodeState(inputs.read());
  if (fragment.length > MAX_LINK) {
    return showNote(`The link would have ${fragment.length.toLocaleString("en")} characters; the limit is ${MAX_LINK.toLocaleString("en")}. Use Download folder.`);
  }
  history.replaceState(null, "", fragment);
  return copy(byId("share"), location.href, "Link to this input", "Link copied. Everyone who has the link can read the input.");
});
byId("command").addEventListener("click", () => {
  const input = inputs.read();
  copy(byId("command"), toCommand(input, makeArguments(input)), "Command for this input", "Command copied. Run it in an empty folder.");
});
byId("test-case").addEventListener("click", async () => {
  const input = inputs.read();
  const answer = await engine.request("testCase", { input });
  if (!answer?.document) return showNote(`no test case: ${answer?.problem ?? answer?.failure ?? "the evaluation was stopped"}`);
  return showText("Test case for this input", "Run it in an empty folder. It writes the input, and podgraft-test.yaml with the result.", toTestCase(input, answer.document));
});
byId("download").addEventListener("click", async () => {
  const answer = await engine.request("export", { input: inputs.read() });
  if (answer?.zip) saveFile("playground.zip", answer.zip);
});
byId("skip").addEventListener("click", (event) => {
  event.preventDefault(); // the fragment of the address is the input of a link
  byId("verdict").focus();
});
addEventListener("hashchange", async () => {
  if (location.hash.length <= 1) await start();
  else if (!(await openLink())) return;
  await review();
});

// The arguments of `podgraft explain`, in the order of podgraft_playground/workspace.py.
function makeArguments(input) {
  const webhooks = input.webhooks.trim() ? ["--webhook-config", "webhooks.yaml"] : [];
  const options = FIELDS.flatMap((name) => (input.options[name] ? [`--${name}`, input.options[name]] : []));
  return ["-f", "pod.yaml", "--config", ".", ...webhooks, ...options];
}

onState("loading");
listExamples();
await start();
import("./editor.js").then(useBundle, () => usePlainText(true));
await useServiceWorker();
engine.start();
