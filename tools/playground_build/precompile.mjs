// Compiles the modules that the first result needs, with the page's own Python.
//
//     node precompile.mjs PACKAGE LIBRARY.zip SITE.zip INPUT.json OUTPUT.zip ANSWER.json
//
// OUTPUT.zip contains a .pyc for each module of both archives that is imported until the first result,
// in the folders library and site. ANSWER.json contains the answer to the input, with its origins.

import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, library, site, input, output, answer] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${folder}/pyodide.mjs`));
const python = await loadPyodide({ indexURL: folder, stdLibURL: library, env: { HOME: "/", PYTHONHASHSEED: "0" } });
python.unpackArchive(new Uint8Array(readFileSync(site)), "zip", { extractDir: "/site" });
for (const [name, path] of Object.entries({ library, site })) python.FS.writeFile(`/${name}.zip`, new Uint8Array(readFileSync(path)));
python.globals.set("given", readFileSync(input, "utf8"));
python.runPython(`
import json
import sys
import zipfile

sys.path.insert(0, "/site")
from podgraft_playground import api

given = json.loads(given)
answers = {do: json.loads(api.handle(json.dumps({"do": do, "input": given}), "/work")) for do in ("ready", "review", "origins")}
del answers["review"]["milliseconds"]
answer = json.dumps({"answer": answers["review"], "origins": answers["origins"]})
imported = {str(getattr(module, "__file__", "")) for module in [*sys.modules.values()]}
`);
python.runPython(readFileSync(new URL("bytecode.py", import.meta.url), "utf8"));
python.runPython(`
with zipfile.ZipFile("/output.zip", "w") as output:
    for folder, root in {"library": "/lib/python314.zip", "site": "/site"}.items():
        with zipfile.ZipFile(f"/{folder}.zip") as archive:
            for name in sorted(archive.namelist()):
                if name.endswith(".py") and f"{root}/{name}" in imported:
                    content = compile_module(archive.read(name), name)
                    output.writestr(zipfile.ZipInfo(f"{folder}/{name}c"), content)
`);
writeFileSync(output, python.FS.readFile("/output.zip"));
writeFileSync(answer, python.globals.get("answer"));
