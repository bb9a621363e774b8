// The input: four editors, and the fields of the context.

import { byId, make, setUpTabs } from "./dom.js";

export const FIELDS = ["namespace", "namespace-labels", "cluster", "istio-release", "injector"];
const TEXTS = ["pod", "policy", "webhooks"];
const TABS = { "policy.yaml": "tab-policy", "webhooks.yaml": "tab-webhooks", bundle: "tab-bundle" };
const NAMES = { namespace: "namespace", "namespace-labels": "labels", cluster: "cluster", "istio-release": "Istio", injector: "injector" };

export class Inputs {
  constructor(files, onEdit) {
    this.files = files;
    this.showTab = setUpTabs("input-tabs", "tab-policy");
    for (const name of [...TEXTS, "bundle", ...FIELDS]) byId(name).addEventListener("input", () => { this.describe(); onEdit(); });
    this.setUpContext();
  }

  read() {
    const options = Object.fromEntries(FIELDS.map((name) => [name, byId(name).value.trim()]).filter(([, value]) => value));
    return { ...Object.fromEntries(TEXTS.map((name) => [name, byId(name).value])), files: { ...this.files.texts }, options };
  }

  write(state) {
    for (const name of TEXTS) byId(name).value = state[name] ?? "";
    for (const name of FIELDS) byId(name).value = state.options?.[name] ?? "";
    this.files.set(state.files);
    this.describe();
  }

  // What depends on the input only: the hints of empty texts, and the values of the context.
  describe(podNamespace = this.podNamespace) {
    this.podNamespace = podNamespace;
    byId("policy-hint").hidden = Boolean(byId("policy").value.trim());
    byId("webhooks-hint").hidden = Boolean(byId("webhooks").value.trim());
    byId("bundle-count").textContent = Object.keys(this.files.texts).length || "";
    byId("namespace").placeholder = podNamespace ? `${podNamespace}, from the pod` : "default";
    byId("istio-release").placeholder = "from the policy";
    const shown = { ...(podNamespace ? { namespace: podNamespace } : {}), ...this.read().options };
    const values = Object.entries(shown).map(([name, value]) => `${NAMES[name]} ${value}`);
    byId("context-text").textContent = values.length ? `Context: ${values.join(", ")}` : "Context";
  }

  setUpContext() {
    const button = byId("context");
    const panel = byId("context-panel");
    const show = (isOpen) => {
      panel.hidden = !isOpen;
      button.setAttribute("aria-expanded", String(isOpen));
    };
    button.addEventListener("click", () => {
      show(panel.hidden);
      if (!panel.hidden) byId("namespace").focus();
    });
    panel.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      show(false);
      button.focus();
    });
    panel.addEventListener("focusout", ({ relatedTarget }) => {
      if (relatedTarget && !panel.contains(relatedTarget)) show(false); // it would cover what has the focus now
    });
    document.addEventListener("pointerdown", (event) => {
      if (!panel.contains(event.target) && !button.contains(event.target)) show(false);
    });
    this.showContext = () => show(true);
  }

  // The marks of the lines that decide, and the problems, in each editor.
  mark(marks, problems) {
    const of = (list, file) => list.filter((each) => each.file === file);
    byId("pod").mark(of(marks, "pod.yaml"), of(problems, "pod.yaml"));
    byId("policy").mark(of(marks, "policy.yaml"), of(problems, "policy.yaml"));
    byId("webhooks").mark(of(marks, "webhooks.yaml"), of(problems, "webhooks.yaml"));
    this.files.mark(marks, problems);
    for (const [file, tab] of Object.entries(TABS)) {
      const decides = marks.some((each) => each.file === file || each.file.startsWith(`${file}/`));
      byId(tab).classList.toggle("decides", decides);
      const dot = byId(tab).querySelector(".dot");
      dot.replaceChildren(...(decides ? [make("span", { className: "vh", textContent: " contains the line that decides" })] : []));
      if (decides) dot.dataset.tone = marks[0].tone;
    }
    for (const name of FIELDS) {
      const problem = problems.find((each) => each.field === name);
      byId(name).classList.toggle("invalid", Boolean(problem));
      byId(name).setAttribute("aria-invalid", String(Boolean(problem)));
    }
  }

  goTo({ file, line, field }) {
    if (field) {
      this.showContext();
      return byId(field).focus();
    }
    if (file === "pod.yaml") return byId("pod").goTo(line);
    if (!file.startsWith("bundle")) {
      this.showTab(TABS[file]);
      return byId(file.replace(".yaml", "")).goTo(line);
    }
    this.showTab("tab-bundle");
    return file === "bundle" ? byId("add-file").focus() : this.files.showLine(file.slice("bundle/".length), line);
  }

  focus(number) {
    if (number === 1) return byId("pod").focus();
    const [tab, editor] = [["tab-policy", "policy"], ["tab-bundle", "bundle"], ["tab-webhooks", "webhooks"]][number - 2];
    this.showTab(tab);
    return byId(editor).focus();
  }

  // Replaces or adds a line, as a hint of the result offers.
  edit({ file, line, text }) {
    const editor = file === "pod.yaml" ? byId("pod") : null;
    if (!editor) return;
    const lines = editor.value.split("\n");
    if (text === null) lines.splice(line - 1, 1);
    else lines.splice(line, 0, text);
    editor.value = lines.join("\n");
    editor.dispatchEvent(new Event("input", { bubbles: true }));
  }
}
