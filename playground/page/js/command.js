// The input as shell commands: one that prints what the page shows, and one that writes a test case.

const quote = (text) => (/^[A-Za-z0-9_./=,:@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

export function toCommand(state, args) {
  return `${writeFiles(inputFiles(state))}podgraft explain ${args.map(quote).join(" ")}\n`;
}

// The files of a test case: the input, and the document with the expected result.
export function toTestCase(state, document) {
  return writeFiles({ ...inputFiles(state), "podgraft-test.yaml": document });
}

function inputFiles(state) {
  const texts = { "pod.yaml": state.pod };
  for (const [name, text] of Object.entries(state.files)) texts[`bundle/${name}`] = text;
  if (state.policy.trim()) texts["policy.yaml"] = state.policy;
  if (state.webhooks.trim()) texts["webhooks.yaml"] = state.webhooks;
  return texts;
}

function writeFiles(texts) {
  const folders = new Set(Object.keys(texts).map((name) => name.split("/").slice(0, -1).join("/")).filter(Boolean));
  const lines = [`mkdir -p ${[...folders].map(quote).join(" ") || "bundle"}`];
  for (const [name, text] of Object.entries(texts)) lines.push(writeFile(name, text));
  return `${lines.join("\n")}\n`;
}

function writeFile(name, text) {
  const lines = new Set(text.split("\n"));
  let end = "EOF";
  while (lines.has(end)) end += "F";
  if (text.endsWith("\n")) return `cat > ${quote(name)} <<'${end}'\n${text}${end}`;
  return `printf %s ${quote(text)} > ${quote(name)}`;
}
