"""The editor of the page: CodeMirror from its locked npm packages, bundled by esbuild."""

import hashlib
import shutil
import subprocess
from pathlib import Path

from .failure import BuildError

_LOCKED = ("package.json", "package-lock.json")


def bundle(root: Path, cache: Path) -> bytes:
    """The bundle, as a module of JavaScript; raises ``BuildError``."""
    source = root / "playground" / "editor"
    folder = _install(source, cache)
    # esbuild resolves packages from the folder of a file and above, so the file is copied.
    shutil.copyfile(source / "editor.js", folder / "editor.js")
    program = folder / "node_modules" / ".bin" / "esbuild"
    command = [str(program), "editor.js", "--bundle", "--format=esm", "--minify", "--target=es2022"]
    command += [f"--alias:podgraft-page={root / 'playground' / 'page' / 'js'}"]
    result = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    if result.returncode:
        raise BuildError(f"esbuild: {result.stderr.decode().strip()[-500:]}; correct editor.js")
    return result.stdout


def read_licenses(root: Path, cache: Path) -> str:
    """The licenses of the packages in the bundle."""
    folder = _install(root / "playground" / "editor", cache) / "node_modules"
    texts = [
        f"{path.parent.relative_to(folder)}\n\n{path.read_text()}"
        for path in sorted(folder.rglob("LICENSE"))
        if "esbuild" not in path.parts
    ]
    return "\n\n".join(texts)


def _install(source: Path, cache: Path) -> Path:
    """The folder with the locked packages; npm verifies their hashes."""
    digest = hashlib.sha256(b"".join((source / name).read_bytes() for name in _LOCKED)).hexdigest()
    folder = cache / f"editor-{digest[:12]}"
    if (folder / "installed").exists():
        return folder
    npm = shutil.which("npm")
    if npm is None:
        raise BuildError("npm: not found; install Node.js with npm")
    folder.mkdir(parents=True, exist_ok=True)
    for name in _LOCKED:
        shutil.copyfile(source / name, folder / name)
    command = [npm, "ci", "--silent", "--ignore-scripts", "--no-audit", "--no-fund"]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if result.returncode:
        raise BuildError(f"npm ci in {folder}: {result.stderr.strip()[-500:]}; run it again")
    (folder / "installed").touch()
    return folder
