"""The files of the page, in a folder with the id of the build."""

import gzip
import hashlib
import json
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import render
from .failure import BuildError

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; "
    "style-src 'self'; img-src 'self'; worker-src 'self'; form-action 'none'; base-uri 'none'"
)
_TEXT = {".html", ".js", ".mjs", ".css", ".json", ".svg", ".txt"}
_HASHED = 16
# Of a first visit: 6.5 MB less what the service worker asks for again, the page and itself.
MAX_BYTES = 6_480_000
_NOTICE = """\
The playground contains podgraft (Apache-2.0), Pyodide (MPL-2.0, https://pyodide.org), and CPython
(Python Software Foundation License, https://docs.python.org/3/license.html). The source of Pyodide
is in the npm package pyodide and its repository. The licenses of the other packages follow.
"""


@dataclass(frozen=True, slots=True)
class Sizes:
    """The bytes that a first visit loads, as they are and as a server with gzip sends them."""

    total: int
    compressed: int


def write(root: Path, files: Mapping[str, bytes], licenses: str, first: Any, output: Path) -> Sizes:
    """Write the page to the output folder, which it replaces; raises ``BuildError``."""
    if output.exists() and not (output / "sw.js").exists() and any(output.iterdir()):
        raise BuildError(f"{output}: is not a playground; use an empty folder")
    source = root / "playground" / "page"
    scripts = {
        path.relative_to(source).as_posix(): path.read_bytes()
        for path in sorted(source.rglob("*"))
        if path.suffix in {".js", ".css", ".svg"} and path.name != "sw.js"
    }
    notices = {"licenses.txt": f"{_NOTICE}\n{licenses}\n\n{_read_license(root)}".encode()}
    assets = {**scripts, **files, **notices}
    build = _digest(
        {**assets, **{name: (source / name).read_bytes() for name in ("index.html", "sw.js")}}
    )
    small = (*scripts, "editor.js", "examples.json")
    cached = ["./", "./index.html", *(f"./{build}/{name}" for name in small)]
    values = {
        **render.fill_verdict(first["answer"]["documents"][0]),
        "BUILD": build,
        "CSP": CONTENT_SECURITY_POLICY,
        "FIRST": json.dumps(cached),
    }
    pages = {
        name: _fill((source / name).read_text(), values).encode()
        for name in ("index.html", "sw.js")
    }
    all_files = {**pages, **{f"{build}/{name}": content for name, content in assets.items()}}
    sizes = _measure(all_files)
    shutil.rmtree(output, ignore_errors=True)
    for name, content in all_files.items():
        path = output / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return sizes


def _measure(files: Mapping[str, bytes]) -> Sizes:
    loaded = {name: content for name, content in files.items() if not name.endswith(".txt")}
    sizes = Sizes(
        sum(map(len, loaded.values())), sum(map(compressed_size, loaded, loaded.values()))
    )
    if sizes.compressed > MAX_BYTES:
        raise BuildError(
            f"a first visit transfers {sizes.compressed:,} bytes, more than {MAX_BYTES:,}; "
            "leave out what the page does not import in tools/playground_build"
        )
    return sizes


def make_input(example: Any) -> dict[str, Any]:
    """The first input of an example, as the page sends it."""
    fields = ("policy", "webhooks", "files", "options")
    pod = next(iter(example["pods"].values()))
    return {"pod": pod, **{name: example[name] for name in fields}}


def encode_examples(examples: Any, first: Any, files: Mapping[str, bytes]) -> bytes:
    """The examples, the recorded result, and the bytes that the progress of the page counts."""
    size = sum(len(content) for name, content in files.items() if name.endswith(".gz"))
    return json.dumps({"examples": examples, "first": first, "bytes": size}).encode()


def compressed_size(name: str, content: bytes) -> int:
    """The bytes that a server with gzip sends."""
    if Path(name).suffix not in _TEXT:
        return len(content)
    return len(gzip.compress(content, compresslevel=6, mtime=0))


def _read_license(root: Path) -> str:
    return f"podgraft\n\n{(root / 'LICENSE').read_text()}"


def _digest(files: Mapping[str, bytes]) -> str:
    digest = hashlib.sha256()
    for name in sorted(files):
        digest.update(f"{name}\0{len(files[name])}\0".encode())
        digest.update(files[name])
    return digest.hexdigest()[:_HASHED]


def _fill(text: str, values: Mapping[str, str]) -> str:
    return re.sub(r"@([A-Z]+)@", lambda match: values[match[1]], text)
