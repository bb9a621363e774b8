// The files of the bundle: a tab for each file, one editor, and folders that are dropped.

import { byId, listenToTabs, make, markSelected } from "./dom.js";

const MANIFEST = /\.(ya?ml|json)$/;

// Whether the name is that of a manifest in the folder of the bundle, and not of a file outside of it.
export const isFileName = (name) =>
  MANIFEST.test(name) && !name.startsWith("/") && name.split("/").every((part) => part && part !== "." && part !== "..");
const FIRST = "bundle.yaml";
const MAX_BYTES = 3 * 1024 * 1024;

export class Files {
  constructor(onChange, onProblem) {
    this.texts = {};
    this.onChange = onChange;
    this.onProblem = onProblem;
    listenToTabs(byId("file-tabs"), (tab) => this.show(tab.textContent));
    this.marks = [];
    this.problems = [];
    byId("bundle").addEventListener("input", () => this.write(byId("bundle").value), true);
    byId("add-file").addEventListener("click", () => this.edit(""));
    byId("rename-file").addEventListener("click", () => this.edit(this.name));
    byId("delete-file").addEventListener("click", () => this.remove());
    byId("save-name").addEventListener("click", () => this.save());
    byId("cancel-name").addEventListener("click", () => this.close());
    byId("file-name").addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.save();
      if (event.key === "Escape") this.close();
    });
    byId("folder").addEventListener("change", (event) => this.open([...event.target.files].map((file) => [file.webkitRelativePath || file.name, file])));
    byId("open-folder").addEventListener("click", () => byId("folder").click());
    this.listenToDrops();
  }

  // A folder can be dropped anywhere on the page.
  listenToDrops() {
    const hasFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
    document.addEventListener("dragover", (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      byId("drop").hidden = false;
    });
    document.addEventListener("dragleave", (event) => { if (!event.relatedTarget) byId("drop").hidden = true; });
    document.addEventListener("drop", async (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      byId("drop").hidden = true;
      const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
      await this.open((await Promise.all(entries.map((entry) => walk(entry, "")))).flat());
    });
  }

  set(texts, name) {
    this.texts = { ...texts };
    this.list(name);
  }

  list(name) {
    const names = Object.keys(this.texts);
    byId("file-tabs").replaceChildren(...names.map((each, index) =>
      make("button", { type: "button", role: "tab", id: `tab-file-${index}`, "aria-controls": "panel-file", textContent: each })));
    byId("rename-file").disabled = byId("delete-file").disabled = !names.length;
    this.show(name in this.texts ? name : names[0]);
  }

  show(name) {
    const text = this.texts[name] ?? "";
    if (name === this.name) byId("bundle").value = text;
    else byId("bundle").open(text);
    this.name = name;
    const tab = [...byId("file-tabs").children].find((each) => each.textContent === name);
    markSelected(byId("file-tabs"), tab);
    if (tab) byId("panel-file").setAttribute("aria-labelledby", tab.id);
    else byId("panel-file").removeAttribute("aria-labelledby");
    byId("bundle").label = name ? `Manifest ${name} of the bundle` : "Manifests of the bundle";
    this.mark(this.marks, this.problems);
  }

  mark(marks, problems) {
    Object.assign(this, { marks, problems });
    const own = (each) => each.file === `bundle/${this.name}`;
    byId("bundle").mark(marks.filter(own), problems.filter(own));
  }

  // Selects one line of a file.
  showLine(name, line) {
    this.show(name);
    byId("bundle").goTo(line);
  }

  // Takes the text of the editor; without a file, it is that of a new one.
  write(text) {
    const isNew = !this.name;
    this.name ??= FIRST;
    this.texts[this.name] = text;
    if (isNew) this.list(this.name);
  }

  edit(name) {
    this.renamed = name;
    byId("name-form").hidden = false;
    byId("file-name").value = name;
    byId("file-name").focus();
  }

  save() {
    const name = byId("file-name").value.trim();
    if (!isFileName(name))
      return this.onProblem(`file name: got "${name}"; use a relative path that ends in .yaml, .yml, or .json`);
    if (name in this.texts && name !== this.renamed) return this.onProblem(`file name: ${name} exists; use another name`);
    const entries = Object.entries(this.texts).map(([each, text]) => [each === this.renamed ? name : each, text]);
    if (!this.renamed) entries.push([name, ""]);
    this.texts = Object.fromEntries(entries);
    this.close();
    this.list(name);
    this.onChange();
  }

  close() {
    byId("name-form").hidden = true;
    byId("add-file").focus();
  }

  remove() {
    delete this.texts[this.name];
    this.list();
    if (byId("delete-file").disabled) byId("add-file").focus();
    this.onChange();
  }

  async open(found) {
    const manifests = found.filter(([name]) => MANIFEST.test(name));
    if (!manifests.length) return this.onProblem("folder: contains no *.yaml, *.yml, or *.json; drop the folder of a bundle");
    const size = manifests.reduce((sum, [, file]) => sum + file.size, 0);
    if (size > MAX_BYTES) return this.onProblem(`folder: has ${size} bytes, more than ${MAX_BYTES}; drop a smaller folder`);
    const parts = manifests.map(([name]) => name.split("/"));
    const common = parts.every((each) => each.length > 1 && each[0] === parts[0][0]) ? 1 : 0;
    const texts = await Promise.all(manifests.map(async ([name, file]) => [name.split("/").slice(common).join("/"), await file.text()]));
    this.texts = Object.fromEntries(texts.sort(([left], [right]) => (left < right ? -1 : 1)));
    this.list();
    this.onChange();
  }
}

async function walk(entry, folder) {
  const name = folder + entry.name;
  if (entry.isFile) return [[name, await new Promise((resolve, reject) => entry.file(resolve, reject))]];
  const reader = entry.createReader();
  const entries = [];
  for (;;) {
    const part = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!part.length) break;
    entries.push(...part);
    if (entries.length > 1000) break;
  }
  return (await Promise.all(entries.map((each) => walk(each, `${name}/`)))).flat();
}
