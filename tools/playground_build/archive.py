"""The archive of everything that Python imports in the page: the engine, and its dependencies."""

import hashlib
import io
import json
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

from . import pyodide
from .failure import BuildError
from .modules import find_imports, find_modules
from .zips import make_zip

# Parts of the engine that need AWS, a web framework, or a cluster around them.
_LEFT_OUT = ("service/http/", "service/serve/", "service/store/aws/", "cli/live/in_cluster.py")
_PAGE = "podgraft_playground"
_PIN = re.compile(r"^([\w.-]+)==", re.MULTILINE)
_PYTHON = "3.14"  # the page's, which pyodide.VERSION contains
_PLATFORM = "pyemscripten_2026_0_wasm32"  # PEP 783
# The data of a time zone: other files of tzdata are tables of names.
_ZONE = re.compile(r"tzdata/zoneinfo/[^.]+")
# For packages without a wheel for the page. Only their Python files are used.
_OTHER_PLATFORM = "manylinux2014_x86_64"


def make_site(root: Path, cache: Path) -> bytes:
    """The archive; raises ``BuildError``."""
    return make_zip({**dict(_dependencies(root, cache)), **make_own_files(root)})


def make_own_files(root: Path) -> dict[str, bytes]:
    """The files of the archive without the dependencies: engine, page, replacements."""
    return {
        **_select_engine(root),
        **dict(_tree(root / "playground" / "python" / _PAGE, _PAGE)),
        **dict(_tree(root / "playground" / "stubs", "")),
        f"{_PAGE}/build.json": json.dumps(_build(root)).encode(),
    }


def _select_engine(root: Path) -> dict[str, bytes]:
    """The modules of the engine; of the command line, only those that the page imports."""
    engine = dict(_tree(root / "layers" / "engine" / "podgraft", "podgraft", _LEFT_OUT))
    page = dict(_tree(root / "playground" / "python" / _PAGE, _PAGE))
    used = find_modules({**engine, **page}, f"{_PAGE}/api.py")
    return {
        name: content
        for name, content in engine.items()
        if not name.startswith("podgraft/cli/") or name in used
    }


def _build(root: Path) -> dict[str, object]:
    """The release of podgraft."""
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    return {"podgraft": project["version"]}


def check_imports(site: bytes, library: bytes) -> None:
    """Raise ``BuildError`` for an import of a module that the page's library leaves out.

    Click imports some for terminals, which a browser does not have.
    """
    with zipfile.ZipFile(io.BytesIO(library)) as archive:
        removed = {
            name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
            for name in archive.namelist()
            if name.endswith(".py") and not pyodide.is_used(name)
        }
    with zipfile.ZipFile(io.BytesIO(site)) as archive:
        for name in archive.namelist():
            if name.endswith(".py") and not name.startswith("click/"):
                for module in sorted(find_imports(archive.read(name)) & removed):
                    raise BuildError(
                        f"{name}: imports {module}, which the page leaves out; "
                        "remove it from UNUSED in tools/playground_build/pyodide.py"
                    )


def read_licenses(root: Path, cache: Path) -> str:
    """The licenses of the dependencies."""
    texts: list[str] = []
    for wheel in _wheels(root, cache):
        package = wheel.name.split("-")[0]
        with zipfile.ZipFile(wheel) as archive:
            texts.extend(
                f"{package}\n\n{archive.read(name).decode()}"
                for name in sorted(archive.namelist())
                if "LICENSE" in name.upper() and ".dist-info/" in name
            )
    return "\n\n".join(texts)


def read_dependencies(root: Path) -> list[str]:
    """The names of the packages in the archive, such as ``typing-extensions``."""
    return _PIN.findall((root / "packaging" / "requirements" / "playground.txt").read_text())


def _dependencies(root: Path, cache: Path) -> Iterator[tuple[str, bytes]]:
    """The files of the pinned wheels that the page can import: Python, and WebAssembly."""
    for wheel in _wheels(root, cache):
        suffixes = (".py", ".so") if _PLATFORM in wheel.name else (".py",)
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                if is_used(name, suffixes):
                    yield name, archive.read(name)


def is_used(name: str, suffixes: tuple[str, ...]) -> bool:
    """Whether the page can import or read a file of a wheel."""
    if ".dist-info/" in name or name == "jsonpatch_cli.py":
        return False
    return name.endswith(suffixes) or _ZONE.fullmatch(name) is not None


def _wheels(root: Path, cache: Path) -> list[Path]:
    requirements = root / "packaging" / "requirements" / "playground.txt"
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    command += ["--no-deps", "--only-binary=:all:", "--require-hashes", "--python-version", _PYTHON]
    command += ["--platform", _PLATFORM, "--platform", _OTHER_PLATFORM]
    command += ["--requirement", str(requirements)]
    key = hashlib.sha256(requirements.read_bytes() + repr(command[2:]).encode()).hexdigest()
    folder = cache / f"wheels-{key[:12]}"
    wheels = sorted(folder.glob("*.whl"))
    if len(wheels) != len(read_dependencies(root)):
        command += ["--dest", str(folder)]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode:
            raise BuildError(f"{requirements}: pip download fails: {result.stderr.strip()}")
        wheels = sorted(folder.glob("*.whl"))
    _check_hashes(wheels, requirements)
    return wheels


def _check_hashes(wheels: list[Path], requirements: Path) -> None:
    pinned = requirements.read_text()
    for wheel in wheels:
        digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
        if f"sha256:{digest}" not in pinned:
            raise BuildError(
                f"{wheel}: hash {digest} is not in {requirements.name}; delete the file"
            )


def _tree(folder: Path, prefix: str, left_out: tuple[str, ...] = ()) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.suffix not in {".py", ".json"} or name.startswith(left_out):
            continue
        yield f"{prefix}/{name}".lstrip("/"), path.read_bytes()
