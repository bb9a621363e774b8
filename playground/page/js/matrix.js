// The decision table of Istio's selective injection: policy, selectors, and annotation of 24 pods.

import { make } from "./dom.js";

const CHOICES = [["enabled", "disabled"], [true, false], [true, false], ["true", "false", ""]];
const COLUMNS = ["Policy", "neverInjectSelector", "alwaysInjectSelector", "Annotation", "Result", ""];

export function makeRows(example) {
  const rows = [];
  for (const policy of CHOICES[0]) for (const never of CHOICES[1]) for (const always of CHOICES[2]) for (const annotation of CHOICES[3]) {
    const name = `${never ? "never" : "-"} ${always ? "always" : "-"} ${annotation || "none"}`;
    rows.push({ policy, never, always, annotation, name, pod: makePod(never, always, annotation) });
  }
  return rows.map((row) => ({ ...row, document: example.matrix[row.policy] }));
}

function makePod(never, always, annotation) {
  const labels = ["    app: web", ...(never ? ['    never: "yes"'] : []), ...(always ? ['    always: "yes"'] : [])];
  const annotations = annotation ? ["  annotations:", `    sidecar.istio.io/inject: "${annotation}"`] : [];
  return ["apiVersion: v1", "kind: Pod", "metadata:", "  name: web", "  namespace: shop", "  labels:", ...labels, ...annotations,
    "spec:", "  containers:", "  - name: web", "    image: registry.example.com/web:1", ""].join("\n");
}

// The table, with the verdict of each row once the engine has it.
export async function makeMatrix(example, state, engine, onChoose) {
  const rows = makeRows(example);
  const pods = Object.fromEntries(rows.map((row) => [row.name, row.pod]));
  const answer = await engine.request("verdicts", { input: { ...state, options: {} }, pods, policies: example.matrix });
  if (!answer?.verdicts) return null;
  const cell = (text) => make("td", { textContent: text });
  const body = make("tbody", {}, ...rows.map((row) => {
    const isInjected = answer.verdicts[`${row.policy} ${row.name}`].verdict === "injected";
    const result = make("td", { className: isInjected ? "yes" : "no", textContent: isInjected ? "✓ injected" : "– not injected" });
    const element = make("tr", {}, cell(row.policy), cell(row.never ? "matches" : "no match"), cell(row.always ? "matches" : "no match"),
      cell(row.annotation || "none"), result, make("td", {}, make("button", { type: "button", className: "link", textContent: "Explain", ariaLabel: `Explain policy ${row.policy}, ${row.name}` })));
    // The button makes the row usable by keyboard; a click on any cell does the same.
    element.addEventListener("click", () => {
      body.querySelector("[aria-current]")?.removeAttribute("aria-current");
      element.setAttribute("aria-current", "true");
      onChoose(row);
    });
    return element;
  }));
  // A press on a cell would give the focus to the region, which then scrolls below the pointer: the click would be lost.
  body.addEventListener("mousedown", (event) => {
    if (!event.target.closest("button")) event.preventDefault();
  });
  return make("section", { className: "section all", id: "matrix" },
    make("header", {}, make("h2", { textContent: "All 24 combinations" }), make("p", { textContent: "a row explains its pod" })),
    make("div", { className: "table", tabIndex: 0, role: "region", ariaLabel: "All 24 combinations" }, make("table", { className: "matrix" },
      make("thead", {}, make("tr", {}, ...COLUMNS.map((name) => name ? make("th", { scope: "col", textContent: name }) : make("td")))), body)));
}
