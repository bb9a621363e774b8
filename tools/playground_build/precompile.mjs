// Compiles the modules of Python's library that the first result needs, with the page's own Python.
//
//     node precompile.mjs PACKAGE LIBRARY.zip SITE.zip INPUT.json OUTPUT.zip ANSWER.json
//
// OUTPUT.zip contains a .pyc for each module of the library that is imported until the first result.
// ANSWER.json contains the answer to the input, with its origins.

import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, library, site, input, output, answer] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${folder}/pyodide.mjs`));
const python = await loadPyodide({ indexURL: folder, stdLibURL: library, env: { HOME: "/", PYTHONHASHSEED: "0" } });
python.unpackArchive(new Uint8Array(readFileSync(site)), "zip", { extractDir: "/site" });
python.FS.writeFile("/library.zip", new Uint8Array(readFileSync(library)));
python.globals.set("given", readFileSync(input, "utf8"));
python.runPython(`
import importlib._bootstrap_external as bootstrap
import importlib.util
import json
import sys
import zipfile

sys.path.insert(0, "/site")
from podgraft_playground import api

given = json.loads(given)
answers = {do: json.loads(api.handle(json.dumps({"do": do, "input": given}), "/work")) for do in ("ready", "review", "origins")}
del answers["review"]["milliseconds"]
answer = json.dumps({"answer": answers["review"], "origins": answers["origins"]})
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
writeFileSync(answer, python.globals.get("answer"));
