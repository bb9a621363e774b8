// Runs podgraft in Pyodide. After the start, no code in this worker can reach the network.

import { loadPyodide } from "./pyodide.mjs";

const base = new URL("./", import.meta.url);
const originalFetch = self.fetch.bind(self);

// The large files are stored compressed, so each host transfers them compressed.
const TYPES = { ".wasm": "application/wasm", ".zip": "application/zip" };

self.fetch = async (resource, options) => {
  const url = new URL(typeof resource === "string" || resource instanceof URL ? resource : resource.url, base);
  const type = TYPES[/\.[a-z]+$/.exec(url.pathname)?.[0]];
  if (!type) return originalFetch(resource, options);
  const isCode = type === TYPES[".wasm"];
  const stored = isCode && (await fetchStored(url));
  if (stored) return stored;
  const response = await originalFetch(new URL(`${url.pathname}.gz`, url));
  if (!response.ok) throw new Error(`${url.pathname}.gz: HTTP status ${response.status}`);
  const unpacked = new Response(response.body.pipeThrough(count()).pipeThrough(new DecompressionStream("gzip")), {
    headers: { "content-type": type },
  });
  return (isCode && (await store(url, unpacked.clone())) && (await fetchStored(url))) || unpacked;
};

// Chromium keeps the optimized code of WebAssembly that a service worker returns from its cache, as it is there. With this code,
// Python starts in half the time.
const CACHE = `podgraft-playground-${base.pathname.split("/").at(-2)}`;

async function fetchStored(url) {
  if (!self.caches || !(await caches.match(url))) return null;
  const response = await originalFetch(url);
  return response.ok ? response : null; // not ok without the service worker, for example after a forced reload
}

// Whether the cache of the service worker, if there is one, has the response now.
async function store(url, response) {
  try {
    if (!self.caches || !(await caches.has(CACHE))) return false;
    await (await caches.open(CACHE)).put(url, response);
    return true;
  } catch {
    return false; // no space
  }
}

// Reports the bytes of the compressed files as they arrive; the page knows their sum.
let bytes = 0;
let reported = 0;

function count() {
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      controller.enqueue(chunk);
      if (bytes - reported > 50_000) self.postMessage({ progress: { bytes: (reported = bytes) } });
    },
  });
}

const reach = (step) => self.postMessage({ progress: { step } });

function disconnect() {
  const refuse = () => {
    throw new Error("the playground sends nothing");
  };
  for (const name of ["fetch", "XMLHttpRequest", "WebSocket", "EventSource", "WebTransport", "importScripts", "Worker", "BroadcastChannel", "caches"]) {
    if (name in self) Object.defineProperty(self, name, { value: refuse, configurable: false, writable: false });
  }
}

// Writes the files of an archive, whose files are not compressed. Python itself takes four times as long.
function unpack(system, archive) {
  const view = new DataView(archive);
  const decoder = new TextDecoder();
  for (let at = 0; view.getUint32(at, true) === 0x04034b50; ) {
    const size = view.getUint32(at + 18, true);
    const name = at + 30;
    const start = name + view.getUint16(at + 26, true) + view.getUint16(at + 28, true);
    const path = `/site/${decoder.decode(new Uint8Array(archive, name, view.getUint16(at + 26, true)))}`;
    system.mkdirTree(path.slice(0, path.lastIndexOf("/")));
    system.writeFile(path, new Uint8Array(archive, start, size));
    at = start + size;
  }
}

async function start() {
  const archive = self.fetch(new URL("site.zip", base)).then((response) => response.arrayBuffer());
  const python = await loadPyodide({ indexURL: base.href, lockFileURL: new URL("pyodide-lock.json", base).href, stdLibURL: new URL("python_stdlib.zip", base).href });
  reach("interpreter");
  unpack(python.FS, await archive);
  disconnect();
  python.runPython("import sys; sys.path.insert(0, '/site'); from podgraft_playground import api");
  const handle = python.runPython("api.handle");
  reach("engine");
  const ready = JSON.parse(handle('{"do": "ready"}', "/work"));
  return { handle, ready: { ...ready, pyodide: python.version } };
}

const engine = start();

self.onmessage = async ({ data }) => {
  try {
    const { handle } = await engine;
    self.postMessage({ id: data.id, text: handle(data.text, "/work") });
  } catch (error) {
    // The last line of a Python traceback is the error; the interpreter cannot continue after others.
    const lines = String(error?.message ?? error).trim().split("\n");
    const isFatal = error?.constructor?.name !== "PythonError" || /RecursionError|MemoryError/.test(lines.at(-1));
    self.postMessage(isFatal ? { fatal: lines.at(-1) } : { id: data.id, error: lines.at(-1) });
  }
};

engine.then(
  ({ ready }) => self.postMessage({ ready }),
  (error) => self.postMessage({ fatal: String(error?.message ?? error).trim().split("\n").at(-1) }),
);
