"""Build a Lambda layer: install packages for Lambda's platform, remove unused files, compile.

    build_layer.py dependencies TARGET REQUIREMENTS    third-party packages
    build_layer.py sources TARGET PACKAGE              the package podgraft

LAYER selects how the dependencies are installed. ``slim`` (the default) removes the parts that no
review uses. Stubs replace modules that other packages import and no review uses. The service models
that botocore parses at every start are reduced to the operations of the function. ``plain`` changes
and removes no file of any wheel, for scanners and audits.

pip installs only packages of the lock with its hashes. PODGRAFT_REPORT names a file for the report
of pip, with the address and the hash of each package; scripts/release.py reads it. Two builds of
the same sources with the same Python release are identical, byte by byte.

PODGRAFT_RUNTIME (python3.13) and PODGRAFT_ARCHITECTURE (arm64) select the target. The bytecode is
unchecked-hash .pyc, because the two-second time stamps of zip make ordinary .pyc files stale. A
cold start without bytecode takes twice as long. Only the same Python release can compile: the
running one, one on PATH or of pyenv, or one that uv downloads. Without it, the layer contains
sources only, and the script reports that.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from gzip import compress, decompress
from pathlib import Path

RUNTIME = os.environ.get("PODGRAFT_RUNTIME", "python3.13")
ARCHITECTURE = os.environ.get("PODGRAFT_ARCHITECTURE", "arm64")
MACHINES = {"arm64": "aarch64", "x86_64": "x86_64"}
LAYER = os.environ.get("LAYER") or "slim"
LAYERS = ("slim", "plain")
REPORT = os.environ.get("PODGRAFT_REPORT")

# The operations of the function. botocore parses the model of a service before the first call.
OPERATIONS = {
    "s3": {"GetObject", "ListObjectsV2", "PutObject"},
    "ssm": {"GetParameters", "GetParametersByPath"},
    "xray": {"GetSamplingRules", "GetSamplingTargets"},  # its SDK calls them, with Tracing=Active
}
# Reviews use neither templates, sessions, forms, command line, server, and client of Flask and
# Werkzeug, nor paths into events of Powertools. Of PyYAML, they use only the binding of libyaml.
STUBS = Path(__file__).with_name("stubs")
UNUSED = (
    "click",
    "itsdangerous",
    "jinja2",
    "boto3/data",  # resources: store/aws/clients.py uses clients
    "boto3/examples",
    "cel_expr_python/ext",  # 37 MB: podgraft.cel uses the extensions in cel.so
    "bazel-project",  # build files in the wheel: the tests of protobuf, the rules of bazel
    "aws_lambda_powertools/event_handler",  # web/ uses Logger, Metrics, and Tracer
    "aws_lambda_powertools/utilities/[!_jt]*",  # all except jmespath_utils and typing
    "yaml/[!_ent]*.py",  # all except the binding, errors, events, nodes, and tokens
    "**/tests",
    "**/*.[ch]",
    "**/*.pyi",
    "**/__pycache__",  # that a wheel brought: bytecode of another Python
    "**/*.dist-info/RECORD",
)


def main(argv: list[str]) -> int:
    """Fill the folder TARGET; return exit status 2 for an invalid command line or LAYER."""
    if LAYER not in LAYERS:
        print(f"LAYER: got {LAYER!r}; use {' or '.join(LAYERS)}", file=sys.stderr)
        return 2
    match argv:
        case ["dependencies", target, requirements]:
            _install(Path(target), requirements)
            if LAYER == "slim":
                remove_unused(Path(target))
                _cut_botocore(Path(target))
        case ["sources", target, package]:
            _copy(Path(target), Path(package))
        case _:
            print(__doc__, file=sys.stderr)
            return 2
    compiled = _compile(Path(target))
    size = _folder_size(Path(target))
    name = f"{LAYER} {argv[0]}" if argv[0] == "dependencies" else argv[0]
    print(f"{name}: {size} for {RUNTIME} on {ARCHITECTURE}, {compiled}")
    return 0


def _install(target: Path, requirements: str) -> None:
    subprocess.run(
        [
            *(sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"),
            "--no-warn-conflicts",  # the packages of this environment do not matter
            "--no-compile",  # the Python of the target can be another version
            "--require-hashes",
            *("--requirement", requirements, "--target", str(target)),
            *(("--report", REPORT) if REPORT else ()),
            *platform_options(RUNTIME, ARCHITECTURE),
        ],
        check=True,
    )
    _remove_commands(target)


def _remove_commands(target: Path) -> None:
    """Remove the commands that pip writes for this machine: they contain the path of its Python."""
    shutil.rmtree(target / "bin", ignore_errors=True)
    for record in target.glob("*.dist-info/RECORD"):
        lines = record.read_bytes().splitlines(keepends=True)
        record.write_bytes(b"".join(line for line in lines if not line.startswith(b"../../bin/")))


def platform_options(runtime: str, architecture: str) -> list[str]:
    """The options with which pip selects the wheels of a Lambda, wherever it runs."""
    machine = MACHINES[architecture]
    platforms = [f"--platform=manylinux{tag}_{machine}" for tag in ("2014", "_2_17", "_2_28")]
    version = runtime.removeprefix("python")
    return [
        *("--implementation=cp", f"--python-version={version}", "--only-binary=:all:"),
        *platforms,
    ]


def remove_unused(target: Path) -> None:
    """Remove unused files, and copy the stubs for modules that are still imported."""
    for pattern in UNUSED:
        for path in list(target.glob(pattern)):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(STUBS, target, ignore=ignore, dirs_exist_ok=True)


def _cut_botocore(target: Path) -> None:
    for folder in (target / "botocore" / "data").glob("*/"):
        if folder.name in OPERATIONS:
            for model in folder.glob("*/service-2.json*"):
                _minify(model, OPERATIONS[folder.name])
        else:
            shutil.rmtree(folder)
    _cut_endpoints(target / "botocore" / "data" / "endpoints.json")


def _cut_endpoints(path: Path) -> None:
    """Remove all services except those of the function, for every partition and region."""
    document = json.loads(path.read_bytes())
    for partition in document["partitions"]:
        services = partition["services"]
        partition["services"] = {name: services[name] for name in OPERATIONS if name in services}
    path.write_text(json.dumps(document, separators=(",", ":")))


def _minify(path: Path, operations: set[str]) -> None:
    """Reduce a service model to *operations* and their shapes, without documentation."""
    text = path.read_bytes()
    model = json.loads(decompress(text) if path.suffix == ".gz" else text)
    used_operations = {
        name: body for name, body in model["operations"].items() if name in operations
    }
    reached: set[str] = set()
    queue = list(_referenced_shapes(list(used_operations.values())))
    while queue:
        name = queue.pop()
        if name not in reached:
            reached.add(name)
            queue.extend(_referenced_shapes(model["shapes"][name]))
    model["operations"] = used_operations
    model["shapes"] = {name: model["shapes"][name] for name in sorted(reached)}
    packed = json.dumps(_strip_documentation(model), separators=(",", ":")).encode()
    path.write_bytes(compress(packed, mtime=0) if path.suffix == ".gz" else packed)


def _referenced_shapes(node: object) -> Iterator[str]:
    match node:
        case dict():
            for key, value in node.items():
                if key == "shape" and isinstance(value, str):
                    yield value
                else:
                    yield from _referenced_shapes(value)
        case list():
            for item in node:
                yield from _referenced_shapes(item)
        case _:
            pass


def _strip_documentation(node: object) -> object:
    """Return the model with empty documentation: botocore requires the key, but not its text."""
    match node:
        case dict():
            return {
                key: ""
                if key == "documentation" and isinstance(value, str)
                else _strip_documentation(value)
                for key, value in node.items()
            }
        case list():
            return [_strip_documentation(item) for item in node]
        case _:
            return node


def _copy(target: Path, package: Path) -> None:
    # The function needs neither the command line nor the assets of a wheel.
    ignore = shutil.ignore_patterns("__pycache__", "assets", "cli", "__main__.py")
    shutil.copytree(package, target / package.name, ignore=ignore, dirs_exist_ok=True)


def _compile(target: Path) -> str:
    python = find_python(RUNTIME)
    if python is None:
        return (
            f"WITHOUT bytecode (neither {RUNTIME} nor uv is installed, so cold starts take twice "
            "as long; install one of them)"
        )
    # Which objects a .pyc file shares depends on what its process compiled before (seen with 3.13):
    # only one process with a fixed order and a fixed seed writes the same bytes each time.
    options = ["-q", "-j", "1", "--invalidation-mode", "unchecked-hash"]
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    # Tracebacks contain the paths on Lambda instead of those of this machine.
    path_options = ["-s", str(target), "-p", "/opt/python"]
    command = [python, "-m", "compileall", *options, *path_options, str(target)]
    subprocess.run(command, check=True, env=environment)
    return "with bytecode"


def find_python(runtime: str) -> str | None:
    """Find a Python of the same release: this one, or one of PATH, pyenv, or uv."""
    release = runtime.removeprefix("python")
    if sys.version_info[:2] == tuple(map(int, release.split("."))):
        return sys.executable
    pyenv = Path("~/.pyenv/versions").expanduser()
    candidates = [shutil.which(runtime), *map(str, pyenv.glob(f"{release}.*/bin/{runtime}"))]
    runnable = next((path for path in candidates if path and _is_runnable(path)), None)
    return runnable or _fetch_python(release)


def _fetch_python(release: str) -> str | None:
    """Return a Python that uv has or downloads; ``None`` if uv is missing or fails."""
    uv = shutil.which("uv")
    if (
        uv is None
        or subprocess.run([uv, "python", "install", "-q", release], check=False).returncode
    ):
        return None
    find = [uv, "python", "find", "--no-project", "--managed-python", release]
    return subprocess.run(find, capture_output=True, text=True, check=True).stdout.strip()


def _is_runnable(python: str) -> bool:
    # pyenv puts shims on PATH for releases that are installed but not selected. These fail.
    return subprocess.run([python, "-V"], capture_output=True, check=False).returncode == 0


def _folder_size(folder: Path) -> str:
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    return f"{size / 1e6:.1f} MB"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
