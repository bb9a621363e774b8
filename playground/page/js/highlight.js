// Colors of one line of YAML: in the editors, in the compared objects, and in template sources.

import { make } from "./dom.js";

const TOKENS = [
  ["template", /\{\{.*?(?:\}\}|$)/],
  ["comment", /(?<![^\s])#.*$/],
  ["key", /"(?:[^"\\]|\\.)*"(?=\s*:(?:\s|$))|(?<![\w./$~-])[\w./$~-]+(?=:(?:\s|$))/],
  ["string", /"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'/],
  ["number", /(?<![\w./:-])(?:true|false|null|-?\d+(?:\.\d+)?)(?![\w./:-])/],
];
const PATTERN = new RegExp(TOKENS.map(([, pattern]) => `(${pattern.source})`).join("|"), "g");

// The colored parts of a line: start, end, and name.
export function tokenize(line) {
  return [...line.matchAll(PATTERN)].map((match) => [
    match.index, match.index + match[0].length, TOKENS[match.slice(1).findIndex((each) => each !== undefined)][0],
  ]);
}

// The line as nodes.
export function color(line) {
  const nodes = [];
  let position = 0;
  for (const [start, end, name] of tokenize(line)) {
    nodes.push(line.slice(position, start), make("span", { className: `syn-${name}`, textContent: line.slice(start, end) }));
    position = end;
  }
  return [...nodes, line.slice(position)];
}
