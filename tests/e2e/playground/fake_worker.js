// A worker that answers as the tests request it: by the fragment of the name of the input.
//
// It answers each review with the recorded answer, except for these words in the pod.

const base = new URL("./", self.location.href);
const data = fetch(new URL("examples.json", base)).then((response) => response.json());

self.onmessage = async ({ data: { id, text } }) => {
  const { first } = await data;
  const request = JSON.parse(text);
  const pod = request.input?.pod ?? "";
  if (pod.includes("# wait")) return;
  if (pod.includes("# fail")) self.postMessage({ id, error: "AttributeError: module 'msgspec' has no attribute 'Meta'" });
  else if (pod.includes("# unknown")) {
    self.postMessage({ id, text: JSON.stringify({ status: 1, text: "", errors: "", documents: [], problems: [], milliseconds: 1, arguments: [], notEvaluated: { kind: "regular expression", text: "(?i)a" } }) });
  } else if (pod.includes("# other")) self.postMessage({ id, text: JSON.stringify({ ...first.answer, text: "other", milliseconds: 1 }) });
  else if (request.do === "review") self.postMessage({ id, text: JSON.stringify({ ...first.answer, milliseconds: 96 }) });
  else if (request.do === "origins") self.postMessage({ id, text: JSON.stringify(first.origins) });
};

const MODE = "@MODE@";
if (MODE === "ready") self.postMessage({ ready: { podgraft: "0.0.0", python: "3.14", pyodide: "0", releases: ["1.30"] } });
else if (MODE === "fatal") self.postMessage({ fatal: "WebAssembly is disabled" });
else data.then(({ bytes }) => self.postMessage({ progress: { bytes: bytes / 2 } }));
