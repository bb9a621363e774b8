// The output: the patch, the response, and the text of `podgraft explain`.

import { button, listenToTabs, make, markSelected } from "./dom.js";

const TABS = ["patch", "response", "text"];
let chosen = null; // the tab that the visitor selected

export function makeOutput(answer) {
  const calls = answer.documents.flatMap((document) => document.calls);
  const count = calls.reduce((sum, call) => sum + (call.patch?.length ?? 0), 0);
  const bodies = { patch: makePatch(calls), response: makeResponse(calls), text: [make("pre", { id: "text", textContent: answer.text })] };
  const labels = { patch: "Patch", response: "Response", text: "Text" };
  const tabs = make("div", { className: "tabs", role: "tablist", ariaLabel: "Output" }, ...TABS.map((name) =>
    make("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": `panel-${name}` }, labels[name],
      name === "patch" && count ? make("span", { className: "n", textContent: count }) : null)));
  const panels = TABS.map((name) => make("div", { className: "body", id: `panel-${name}`, role: "tabpanel", tabIndex: 0, "aria-labelledby": `tab-${name}` }, ...bodies[name]));
  const copy = button("Copy", async () => {
    const panel = panels.find((each) => !each.hidden);
    try {
      await navigator.clipboard.writeText([...panel.querySelectorAll("pre")].map((each) => each.textContent).join("\n"));
      copy.textContent = "Copied";
    } catch {
      copy.textContent = "Not allowed";
    }
    setTimeout(() => { copy.textContent = "Copy"; }, 4000);
  }, "btn ghost");
  const select = (tab) => {
    markSelected(tabs, tab);
    for (const panel of panels) panel.hidden = panel.id !== tab.getAttribute("aria-controls");
  };
  listenToTabs(tabs, (tab) => { chosen = tab.id; select(tab); });
  select(tabs.querySelector(`#${chosen ?? (count ? "tab-patch" : "tab-response")}`));
  return make("section", { className: "section all", id: "output" },
    make("header", {}, make("h2", { textContent: "Output" }), make("p", { textContent: "for kube-apiserver, logs, and the command line" })),
    make("div", { className: "out" }, make("div", { className: "head" }, tabs, make("span", { className: "grow" }), copy), ...panels));
}

function makePatch(calls) {
  const patched = calls.filter((call) => call.patch);
  if (!patched.length) return [make("p", { textContent: calls.length ? "No patch." : "No webhook is called." })];
  return patched.flatMap((call) => [
    patched.length > 1 ? make("h3", { textContent: `/${call.route}, ${call.object}` }) : null,
    make("pre", { textContent: `[\n${call.patch.map((operation) => `  ${JSON.stringify(operation)}`).join(",\n")}\n]` }),
  ]);
}

function makeResponse(calls) {
  if (!calls.length) return [make("p", { textContent: "No webhook is called." })];
  return calls.flatMap((call) => {
    const response = call.response?.response;
    if (!response) return [make("h3", { textContent: `/${call.route}, ${call.object}: the review fails` })];
    const audit = Object.entries(response.auditAnnotations ?? {});
    return [
      make("h3", { textContent: `/${call.route}, ${call.object}: ${response.allowed ? "allowed" : "denied"}; audit annotations` }),
      make("dl", { className: "audit" }, ...audit.flatMap(([name, value]) => [make("dt", { textContent: name }), make("dd", { textContent: value })])),
      make("h3", { textContent: "AdmissionReview" }),
      make("pre", { textContent: JSON.stringify(call.response, null, 2) }),
    ];
  });
}
