// The editor of the page: CodeMirror with line numbers, colors, folding, marks, and problems.
//
// tools/build_playground.py bundles this file. The editor is in a shadow root, where CodeMirror
// uses adopted style sheets: the page's policy allows no <style> element.

import { Compartment, EditorState, RangeSet, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, GutterMarker, ViewPlugin, WidgetType, drawSelection, dropCursor, gutter, gutterLineClass, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers } from "@codemirror/view";
import { defaultKeymap, history, historyKeymap, indentWithTab, insertNewlineKeepIndent } from "@codemirror/commands";
import { codeFolding, foldGutter, foldKeymap, foldService, indentUnit, unfoldAll } from "@codemirror/language";
import { search, searchKeymap } from "@codemirror/search";
import { tokenize } from "podgraft-page/highlight.js";

const setMarks = StateEffect.define();
const MAX_LINE = 2000; // longer lines have no colors

class Lens extends WidgetType {
  constructor(text, tone) {
    super();
    this.text = text;
    this.tone = tone;
  }

  eq(other) {
    return other.text === this.text && other.tone === this.tone;
  }

  toDOM() {
    const element = document.createElement("span");
    element.className = `lens ${this.tone}`;
    element.textContent = this.text;
    return element;
  }
}

class Problem extends WidgetType {
  constructor({ problem, remedy, level }) {
    super();
    Object.assign(this, { problem, remedy, level });
  }

  eq(other) {
    return other.problem === this.problem && other.remedy === this.remedy && other.level === this.level;
  }

  toDOM() {
    const element = document.createElement("div");
    element.className = `problem ${this.level}`;
    const text = document.createElement("div");
    const problem = document.createElement("b");
    problem.textContent = this.problem;
    text.append(problem, this.remedy ? `; ${this.remedy}` : "");
    element.append(text);
    return element;
  }
}

class ProblemMarker extends GutterMarker {
  toDOM() {
    const element = document.createElement("span");
    element.className = "alert";
    element.textContent = "!";
    return element;
  }
}

const marker = new ProblemMarker();

// Decorations of a line at its start, in the order that CodeMirror requires.
function decorate(document, { marks, problems }) {
  const ranges = [];
  const line = (number) => document.line(Math.max(1, Math.min(number, document.lines)));
  for (const { line: number, tone, text } of marks) {
    const { from, to } = line(number);
    ranges.push(Decoration.line({ class: `mark ${tone}` }).range(from));
    if (text) ranges.push(Decoration.widget({ widget: new Lens(text, tone), side: 1 }).range(to));
  }
  for (const each of problems) {
    const { from, to, text } = line(each.line);
    ranges.push(Decoration.line({ class: `bad ${each.level}` }).range(from));
    const start = from + (text.length - text.trimStart().length);
    if (start < to) ranges.push(Decoration.mark({ class: "wavy" }).range(start, to));
    ranges.push(Decoration.widget({ widget: new Problem(each), side: 2, block: true }).range(to));
  }
  return Decoration.set(ranges, true);
}

class LineClass extends GutterMarker {
  constructor(name) {
    super();
    this.elementClass = name;
  }

  eq(other) {
    return other.elementClass === this.elementClass;
  }
}

// The same lines in the margin.
function decorateMargin(document, { marks, problems }) {
  const lines = new Map();
  for (const { line, tone } of marks) lines.set(Math.min(line, document.lines), `mark ${tone}`);
  for (const { line, level } of problems) lines.set(Math.min(line, document.lines), `bad ${level}`);
  return RangeSet.of([...lines].map(([number, name]) => new LineClass(name).range(document.line(number).from)), true);
}

const marksField = StateField.define({
  create: () => ({ problems: [], decorations: Decoration.none, margin: RangeSet.empty }),
  update(value, transaction) {
    for (const effect of transaction.effects) {
      if (!effect.is(setMarks)) continue;
      const { doc } = transaction.state;
      return { problems: effect.value.problems, decorations: decorate(doc, effect.value), margin: decorateMargin(doc, effect.value) };
    }
    if (!transaction.docChanged) return value;
    return { ...value, decorations: value.decorations.map(transaction.changes), margin: value.margin.map(transaction.changes) };
  },
  provide: (field) => [
    EditorView.decorations.from(field, (value) => value.decorations),
    gutterLineClass.from(field, (value) => value.margin),
  ],
});

const problemGutter = gutter({
  class: "problems",
  lineMarker(view, block) {
    const { problems } = view.state.field(marksField);
    const number = view.state.doc.lineAt(block.from).number;
    return problems.some((each) => each.line === number) ? marker : null;
  },
  lineMarkerChange: (update) => update.transactions.some((each) => each.effects.some((effect) => effect.is(setMarks))),
});

const colors = Object.fromEntries(["key", "string", "number", "comment", "template"].map((name) => [name, Decoration.mark({ class: `syn-${name}` })]));

const highlighter = ViewPlugin.fromClass(
  class {
    constructor(view) {
      this.decorations = this.color(view);
    }

    update(update) {
      if (update.docChanged || update.viewportChanged) this.decorations = this.color(update.view);
    }

    color(view) {
      const ranges = [];
      for (const { from, to } of view.visibleRanges) {
        for (let position = from; position <= to; ) {
          const line = view.state.doc.lineAt(position);
          if (line.length < MAX_LINE) {
            for (const [start, end, name] of tokenize(line.text)) ranges.push(colors[name].range(line.from + start, line.from + end));
          }
          position = line.to + 1;
        }
      }
      return Decoration.set(ranges, true);
    }
  },
  { decorations: (value) => value.decorations },
);

// A line contains the lines below it with a deeper indent, and a key its list of the same indent.
const indentFolding = foldService.of((state, start) => {
  const first = state.doc.lineAt(start);
  const depth = first.text.search(/\S/);
  if (depth < 0 || /^\s*#/.test(first.text)) return null;
  const hasList = /:\s*(#.*)?$/.test(first.text) && !/^\s*-/.test(first.text);
  let last = first.number;
  for (let number = first.number + 1; number <= state.doc.lines; number += 1) {
    const { text } = state.doc.line(number);
    const indent = text.search(/\S/);
    if (indent < 0) continue;
    if (indent < depth || (indent === depth && !(hasList && text[indent] === "-" && /^-(\s|$)/.test(text.slice(indent))))) break;
    last = number;
  }
  return last > first.number ? { from: first.to, to: state.doc.line(last).to } : null;
});

const theme = EditorView.theme({
  "&": { height: "100%", backgroundColor: "var(--surface)", color: "var(--text)", fontSize: "12.5px" },
  "&.cm-focused": { outline: "2px solid var(--focus)", outlineOffset: "-2px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "20px", scrollbarWidth: "thin", containerType: "inline-size" },
  ".cm-content": { padding: "8px 0", caretColor: "var(--text)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-line": { padding: "0 16px 0 4px" },
  ".cm-gutters": { backgroundColor: "var(--surface)", color: "var(--text-3)", border: "0" },
  ".cm-lineNumbers .cm-gutterElement": { minWidth: "30px", padding: "0 4px 0 0", fontSize: "11.5px" },
  ".cm-foldGutter .cm-gutterElement": { width: "16px", cursor: "pointer", textAlign: "center" },
  ".problems .cm-gutterElement": { width: "14px" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "transparent" },
  "&.cm-focused .cm-activeLine, &.cm-focused .cm-activeLineGutter": { backgroundColor: "var(--sunken)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--selection)" },
  ".cm-foldPlaceholder": { backgroundColor: "var(--sunken)", border: "1px solid var(--line-strong)", color: "var(--text-2)", padding: "0 6px", margin: "0 4px" },
  ".cm-panels": { backgroundColor: "var(--sunken)", color: "var(--text)", borderTop: "1px solid var(--line)" },
  ".cm-panel.cm-search": { padding: "8px 40px 8px 12px" },
  ".cm-panel.cm-search :is(.cm-textfield, button, label)": { font: "400 13px/20px var(--sans)", minHeight: "24px" },
  ".cm-panel.cm-search label": { display: "inline-flex", alignItems: "center", gap: "4px", marginRight: "8px" },
  ".cm-panel.cm-search [name=close]": { right: "8px", minWidth: "24px", color: "var(--text)" },
  ".cm-textfield::placeholder": { color: "var(--text-3)", opacity: "1" },
  ".cm-textfield": { backgroundColor: "var(--surface)", border: "1px solid var(--line-strong)", color: "var(--text)" },
  ".cm-button": { backgroundImage: "none", backgroundColor: "var(--surface)", border: "1px solid var(--line-strong)", color: "var(--text)" },
  ".cm-searchMatch": { backgroundColor: "var(--warn-tint)", outline: "1px solid var(--warn-solid)" },
  ".syn-key": { color: "var(--syn-key)" },
  ".syn-string": { color: "var(--syn-string)" },
  ".syn-number": { color: "var(--syn-number)" },
  ".syn-comment": { color: "var(--syn-comment)" },
  ".syn-template": { color: "var(--syn-tpl)" },
  ".graft": { "--tone": "var(--graft)", "--tone-solid": "var(--graft-solid)", "--tone-tint": "var(--graft-tint)" },
  ".left": { "--tone": "var(--left)", "--tone-solid": "var(--left-solid)", "--tone-tint": "var(--left-tint)" },
  ".deny": { "--tone": "var(--deny)", "--tone-solid": "var(--deny-solid)", "--tone-tint": "var(--deny-tint)" },
  ".cm-line.mark, &.cm-focused .cm-activeLine.mark": { backgroundColor: "var(--tone-tint)" },
  ".cm-gutterElement.mark": { backgroundColor: "var(--tone-tint)", color: "var(--tone)", fontWeight: "700" },
  ".problems .cm-gutterElement.mark": { boxShadow: "inset 3px 0 0 var(--tone-solid)" },
  ".cm-gutterElement.bad": { backgroundColor: "var(--deny-tint)", color: "var(--deny)", fontWeight: "700" },
  ".cm-gutterElement.bad.warning": { backgroundColor: "var(--warn-tint)", color: "var(--warn)" },
  ".lens": { color: "var(--tone)", font: "500 12px/20px var(--sans)", paddingLeft: "20px" },
  ".cm-line.bad, &.cm-focused .cm-activeLine.bad": { backgroundColor: "var(--deny-tint)" },
  ".cm-line.bad.warning, &.cm-focused .cm-activeLine.bad.warning": { backgroundColor: "var(--warn-tint)" },
  ".wavy": { textDecoration: "underline wavy var(--deny-solid) 1px", textUnderlineOffset: "3px" },
  ".alert": { color: "var(--deny)", font: "700 12px/20px var(--sans)", paddingLeft: "5px" },
  ".problem": { padding: "4px 16px 6px 4px", boxSizing: "border-box", position: "sticky", left: "60px", width: "calc(100cqi - 68px)" }, // beside the gutters; CodeMirror does not measure margins
  ".problem > div": { padding: "7px 10px", borderLeft: "3px solid var(--deny-solid)", backgroundColor: "var(--deny-tint)", font: "400 13px/19px var(--sans)", borderRadius: "0 6px 6px 0", whiteSpace: "pre-wrap", overflowWrap: "anywhere" },
  ".problem b": { color: "var(--deny)", fontWeight: "600" },
  ".problem.warning > div": { borderLeftColor: "var(--warn-solid)", backgroundColor: "var(--warn-tint)" },
  ".problem.warning b": { color: "var(--warn)" },
});

// Mounts an editor; *onChange* is called for each change by the visitor.
export function mount(parent, root, { text, label, onChange }) {
  let isSilent = false;
  const attributes = new Compartment();
  const labeled = (value) => EditorView.contentAttributes.of({ "aria-label": value });
  const createState = (doc) =>
    EditorState.create({
      doc,
      extensions: [
        problemGutter, lineNumbers(), foldGutter({ openText: "⌄", closedText: "›" }), codeFolding(), indentFolding,
        history(), drawSelection(), dropCursor(), highlightActiveLine(), highlightActiveLineGutter(), highlighter, marksField,
        indentUnit.of("  "), EditorState.tabSize.of(2), search({ top: false }), theme, attributes.of(labeled(label)),
        EditorView.contentAttributes.of({ tabindex: "0", spellcheck: "false", autocapitalize: "off", autocorrect: "off" }),
        keymap.of([{ key: "Enter", run: insertNewlineKeepIndent }, indentWithTab, ...searchKeymap, ...foldKeymap, ...historyKeymap, ...defaultKeymap]),
        EditorView.updateListener.of((update) => { if (update.docChanged && !isSilent) onChange(); }),
      ],
    });
  const view = new EditorView({ parent, root, state: createState(text) });
  return {
    get text() {
      return view.state.doc.toString();
    },
    set text(value) {
      isSilent = true;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: value }, selection: { anchor: 0 } });
      isSilent = false;
    },
    // Shows another text, without the history of the one before: to undo must not bring that text back.
    open(value) {
      view.setState(createState(value));
    },
    mark(marks) {
      view.dispatch({ effects: setMarks.of(marks) });
    },
    goTo(number) {
      const line = view.state.doc.line(Math.max(1, Math.min(number, view.state.doc.lines)));
      unfoldAll(view);
      view.dispatch({ selection: { anchor: line.from, head: line.to }, effects: EditorView.scrollIntoView(line.from, { y: "center" }) });
      view.focus();
    },
    relabel(value) {
      view.dispatch({ effects: attributes.reconfigure(labeled(value)) });
    },
    selection: () => view.state.sliceDoc(view.state.selection.main.from, view.state.selection.main.to),
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  };
}
