// <code-editor>: a text with line numbers. It shows the text at once, and becomes an editor when the
// bundle of CodeMirror is loaded; without the bundle, or on request, it is a text area.

import { make } from "./dom.js";
import { color } from "./highlight.js";

const STYLE = `
:host { display: block; min-height: 0; overflow: hidden; }
.host, textarea, pre { height: 100%; width: 100%; box-sizing: border-box; }
textarea, pre { margin: 0; border: 0; background: var(--surface); color: var(--text); font: 400 12.5px/20px var(--mono); overflow: auto; padding: 8px 16px; white-space: pre; resize: none; tab-size: 2; }
textarea:focus-visible, pre:focus-visible { outline: 2px solid var(--focus); outline-offset: -2px; }
pre { padding: 8px 0; counter-reset: line; }
pre div { counter-increment: line; min-height: 20px; }
pre div::before { content: counter(line); display: inline-block; width: 64px; padding-right: 24px; text-align: right; font-size: 11.5px; color: var(--text-3); box-sizing: border-box; }
.syn-key { color: var(--syn-key); } .syn-string { color: var(--syn-string); } .syn-number { color: var(--syn-number); }
.syn-comment { color: var(--syn-comment); } .syn-template { color: var(--syn-tpl); }
`;

let mount = null;
let isPlain = false;
const editors = new Set();

// Turns all editors of the page into CodeMirror.
export function useBundle(bundle) {
  mount = bundle.mount;
  for (const editor of editors) editor.render();
}

export function usePlainText(value) {
  isPlain = value;
  for (const editor of editors) editor.render();
}

export class CodeEditor extends HTMLElement {
  #text = "";
  #view = null;
  #area = null;
  #marks = { marks: [], problems: [] };

  connectedCallback() {
    if (!this.shadowRoot) {
      const style = new CSSStyleSheet();
      style.replaceSync(STYLE);
      this.attachShadow({ mode: "open" }).adoptedStyleSheets = [style];
      this.shadowRoot.addEventListener("input", (event) => event.stopPropagation()); // the browser's own
    }
    editors.add(this);
    this.render();
  }

  get label() {
    return this.getAttribute("label") ?? "";
  }

  set label(value) {
    this.setAttribute("label", value);
    this.#view?.relabel(value);
    this.#area?.setAttribute("aria-label", value);
  }

  get value() {
    return this.#view?.text ?? this.#area?.value ?? this.#text;
  }

  set value(text) {
    if (text === this.value && (this.#view || this.#area)) return;
    this.#text = text;
    if (this.#view) this.#view.text = text;
    else if (this.#area) this.#area.value = text;
    else this.render();
  }

  // Shows the text of another file.
  open(text) {
    if (this.#view) this.#view.open(text);
    else this.value = text;
  }

  render() {
    this.#text = this.value;
    this.#view?.destroy();
    this.#view = this.#area = null;
    const changed = () => this.dispatchEvent(new Event("input", { bubbles: true }));
    if (isPlain) {
      this.#area = make("textarea", { value: this.#text, spellcheck: false, autocapitalize: "off", wrap: "off" });
      this.#area.setAttribute("aria-label", this.label);
      this.#area.addEventListener("input", changed);
      this.shadowRoot.replaceChildren(this.#area);
    } else if (mount) {
      const host = make("div", { className: "host" });
      this.shadowRoot.replaceChildren(host);
      this.#view = mount(host, this.shadowRoot, { text: this.#text, label: this.label, onChange: changed });
      this.#view.mark(this.#marks);
    } else {
      const lines = this.#text.split("\n").map((line) => make("div", {}, ...color(line)));
      this.shadowRoot.replaceChildren(make("pre", { tabIndex: 0, role: "region", ariaLabel: this.label }, ...lines));
    }
  }

  // The lines that decide: {line, tone, text}; and the lines with problems: {line, level, problem, remedy}.
  mark(marks, problems) {
    this.#marks = { marks, problems };
    this.#view?.mark(this.#marks);
  }

  goTo(number) {
    if (this.#view) return this.#view.goTo(number);
    if (!this.#area) return this.focus();
    const lines = this.#area.value.split("\n");
    const start = lines.slice(0, number - 1).reduce((sum, line) => sum + line.length + 1, 0);
    this.#area.focus();
    this.#area.setSelectionRange(start, start + (lines[number - 1] ?? "").length);
    this.#area.scrollTop = 20 * (number - 1) - this.#area.clientHeight / 2;
  }

  get selection() {
    const area = this.#area;
    return this.#view?.selection() ?? (area ? area.value.slice(area.selectionStart, area.selectionEnd) : "");
  }

  focus() {
    (this.#view ?? this.#area ?? this.shadowRoot.querySelector("pre"))?.focus();
  }
}

customElements.define("code-editor", CodeEditor);
