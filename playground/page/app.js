// The page: it reads the input, sends it to the worker, and shows the result.

import { byId, make, setUpTabs } from "./js/dom.js";
import { Engine } from "./js/engine.js";
import { Files } from "./js/files.js";
import { FIELDS, onEdit, readState, writeState } from "./js/state.js";
import { decodeState, encodeState, MAX_LINK } from "./js/share.js";
import { saveFile, setUpDialog, showText } from "./js/dialog.js";
import { toCommand, toTestCase } from "./js/command.js";
import { showMatrix } from "./js/matrix.js";
import * as views from "./js/views.js";

const DELAY = 60; // milliseconds after the last key
const SLOW = 5000;
const SERVICE_WORKER_TIMEOUT = 4000;

let examples = {};
let result = null;
let timer = 0;
let slowTimer = 0;

const showInput = setUpTabs("input-tabs", "tab-pod");
const showOutput = setUpTabs("output-tabs", "tab-why");
const files = new Files(() => edited(), (message) => showNote(message));
setUpDialog();

const state = () => readState(files.texts);

function showNote(text) {
  byId("note").textContent = text;
  byId("note").hidden = !text;
}

function fill(next) {
  writeState(next);
  files.set(next.files);
}

function setVerdict(text, kind) {
  byId("verdict").textContent = text;
  byId("verdict").className = kind;
}

// Worker

function onState(name, message) {
  clearTimeout(slowTimer);
  byId("stop").disabled = name !== "running";
  document.body.dataset.state = name;
  if (name === "loading") setVerdict("Loading podgraft…", "");
  if (name === "failed") setVerdict(`podgraft does not start: ${message}. Reload the page, or use a current browser.`, "bad");
  if (name === "running") slowTimer = setTimeout(() => setVerdict("Still running; Stop ends the evaluation.", ""), SLOW);
}

async function onReady(ready) {
  byId("versions").textContent = `podgraft ${ready.podgraft}, Python ${ready.python}, Pyodide ${ready.pyodide}.`;
  if (Object.keys(examples).length) return;
  examples = ready.examples;
  byId("example").replaceChildren(...Object.entries(examples).map(([name, each]) => make("option", { value: name, textContent: each.title })));
  for (const id of ["example", "input-name", "share", "command", "test-case", "download", "reset"]) byId(id).disabled = false;
  byId("istio-releases").replaceChildren(...ready.releases.map((value) => make("option", { value })));
  await start();
}

async function start() {
  selectExample("istio", false);
  if (location.hash.length > 1) {
    try {
      fill(await decodeState(location.hash));
      showNote("This input is from a link. Nothing of it was sent to a server.");
      byId("matrix").hidden = true;
    } catch (error) {
      showNote(error.message);
    }
  }
  await review();
}

function selectExample(name, isNew = true) {
  const example = examples[name];
  byId("example").value = name;
  byId("input-name").replaceChildren(...Object.keys(example.pods).map((each) => make("option", { value: each, textContent: each })));
  fill({ ...example, pod: Object.values(example.pods)[0] });
  if (isNew) {
    showNote(example.description);
    history.replaceState(null, "", location.pathname + location.search);
  }
  showMatrix(example, state(), engine, (row) => {
    fill({ ...example, pod: row.pod, policy: row.document });
    review();
    byId("output").focus();
  });
}

async function review() {
  clearTimeout(timer);
  const input = state();
  const answer = await engine.request("review", { input });
  if (!answer) return stopped();
  if (answer.failure) return failed(answer.failure);
  result = { ...answer, input };
  show(answer, null);
  const origins = await engine.request("origins", { input });
  if (origins?.templates && result?.input === input) {
    views.showObjects(answer.documents, origins, openSource);
    document.body.dataset.origins = "shown";
  }
}

function stopped() {
  if (document.body.dataset.state !== "loading") return;
  clear("The evaluation was stopped.\n");
  setVerdict("Stopped. Edit the input to evaluate it again.", "");
}

function failed(message) {
  clear(`error: ${message}\n`);
  setVerdict(`The evaluation failed: ${message}`, "bad");
  document.body.dataset.shown = String(Number(document.body.dataset.shown ?? 0) + 1);
}

// Removes the result of the input before, which must not look like that of the current one.
function clear(errors) {
  result = null;
  showResult({ text: "", errors, documents: [] }, null);
  byId("time").textContent = "";
}

function showResult(answer, origins) {
  document.body.dataset.origins = "";
  byId("text").textContent = answer.text;
  byId("unsupported").hidden = !answer.notEvaluated;
  if (answer.notEvaluated) {
    byId("unsupported").textContent = `Not evaluated here: ${answer.notEvaluated.kind}: ${answer.notEvaluated.text} — `
      + 'use "Copy as command" to evaluate the input with podgraft on your machine.';
  }
  views.showDecision(answer.documents);
  views.showObjects(answer.documents, origins, openSource);
  views.showPatches(answer.documents);
  views.showResponses(answer.documents);
  views.showProblems(answer.errors);
}

function show(answer, origins) {
  showResult(answer, origins);
  const [first] = answer.documents;
  const many = answer.documents.length > 1 ? ` (1 of ${answer.documents.length} objects)` : "";
  if (answer.notEvaluated) setVerdict("unknown: not evaluated here", "");
  else if (!first) setVerdict(`failed: ${answer.errors.split("\n")[0].replace(/^error: /, "")}`, "bad");
  else setVerdict(first.trace.conclusion + many, ["injected", "changed"].includes(first.trace.verdict) ? "good" : "bad");
  const operations = answer.documents.flatMap((each) => each.calls).reduce((sum, call) => sum + (call.patch?.length ?? 0), 0);
  byId("time").textContent = `${answer.milliseconds} ms, ${operations} patch operations, exit status ${answer.status}`;
  document.body.dataset.shown = String(Number(document.body.dataset.shown ?? 0) + 1);
}

function openSource(template, line, row) {
  views.showSource(template, line, row, (file, number) => {
    showInput("tab-bundle");
    files.showLine(file, number);
  });
}

// Input

function edited() {
  clearTimeout(timer);
  showNote("");
  timer = setTimeout(review, DELAY);
}

onEdit(edited);
byId("example").addEventListener("change", (event) => {
  selectExample(event.target.value);
  review();
});
byId("input-name").addEventListener("change", (event) => {
  byId("pod").value = examples[byId("example").value].pods[event.target.value];
  review();
});
byId("reset").addEventListener("click", () => {
  selectExample(byId("example").value);
  review();
});
byId("stop").addEventListener("click", () => engine.stop());
byId("share").addEventListener("click", async () => {
  const fragment = await encodeState(state());
  if (fragment.length > MAX_LINK) {
    showNote(`The link would have ${fragment.length} characters, more than ${MAX_LINK}; use Download folder.`);
    return;
  }
  history.replaceState(null, "", fragment);
  showText("Link to this input", "The part after # contains the input. Browsers do not send it to a server.", location.href);
});
byId("command").addEventListener("click", () => {
  const input = state();
  const args = result?.arguments ?? [];
  showText("Command for this input", "Run it in an empty folder. It prints the text of this page.", toCommand(input, currentArguments(input, args)));
});
byId("test-case").addEventListener("click", async () => {
  const input = state();
  const answer = await engine.request("testCase", { input });
  if (!answer?.document) return showNote(`no test case: ${answer?.problem ?? answer?.failure ?? "the evaluation was stopped"}`);
  showText("Test case for this input", "Run it in an empty folder. It writes the input, and podgraft-test.yaml with the result.", toTestCase(input, answer.document));
});
byId("download").addEventListener("click", async () => {
  const answer = await engine.request("export", { input: state() });
  if (answer?.zip) saveFile("playground.zip", answer.zip);
});
window.addEventListener("hashchange", start);

function currentArguments(input, args) {
  if (args.length) return args;
  const options = FIELDS.flatMap((name) => (input.options[name] ? [`--${name}`, input.options[name]] : []));
  return ["-f", "pod.yaml", "--bundle", "bundle", ...options];
}

// A later visit is served from the cache of the service worker. The page works without one.
async function useServiceWorker() {
  if (!("serviceWorker" in navigator)) return;
  const controlled = new Promise((resolve) => {
    if (navigator.serviceWorker.controller) resolve();
    navigator.serviceWorker.addEventListener("controllerchange", () => resolve());
  });
  const timeout = new Promise((resolve) => setTimeout(resolve, SERVICE_WORKER_TIMEOUT));
  try {
    await navigator.serviceWorker.register("./sw.js");
    await Promise.race([controlled, timeout]);
  } catch {
    // The browser refuses service workers, for example in a private window.
  }
}

await useServiceWorker();
const engine = new Engine(new URL("./worker.js", import.meta.url), { onState, onReady });
