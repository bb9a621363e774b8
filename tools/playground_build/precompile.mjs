// Compiles the modules of Python's library that the first result needs, with the page's own Python.
//
//     node precompile.mjs PACKAGE LIBRARY.zip SITE.zip OUTPUT.zip
//
// OUTPUT.zip contains a .pyc for each module of the library that is imported until the first result.

import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, library, site, output] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${folder}/pyodide.mjs`));
const python = await loadPyodide({ indexURL: folder, stdLibURL: library, env: { HOME: "/", PYTHONHASHSEED: "0" } });
python.unpackArchive(new Uint8Array(readFileSync(site)), "zip", { extractDir: "/site" });
python.FS.writeFile("/library.zip", new Uint8Array(readFileSync(library)));
python.runPython(`
import importlib._bootstrap_external as bootstrap
import importlib.util
import json
import sys
import zipfile

sys.path.insert(0, "/site")
from podgraft_playground import api

example = json.loads(api.handle('{"do": "ready"}', "/work"))["examples"]["istio"]
given = {name: example[name] for name in ("files", "policy", "webhooks", "options")}
given["pod"] = next(iter(example["pods"].values()))
for do in ("review", "origins"):
    api.handle(json.dumps({"do": do, "input": given}), "/work")
files = {str(getattr(module, "__file__", "")) for module in [*sys.modules.values()]}
with zipfile.ZipFile("/library.zip") as library, zipfile.ZipFile("/output.zip", "w") as output:
    for name in sorted(library.namelist()):
        if f"/lib/python314.zip/{name}" in files:
            source = library.read(name)
            code = compile(source, name, "exec", dont_inherit=True, optimize=2)
            content = bootstrap._code_to_hash_pyc(code, importlib.util.source_hash(source), False)
            output.writestr(zipfile.ZipInfo(f"{name}c"), bytes(content))
`);
writeFileSync(output, python.FS.readFile("/output.zip"));
