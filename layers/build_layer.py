"""Fill a Lambda layer: install for Lambda's platform, leave out what no review needs, compile.

    assemble.py dependencies TARGET REQUIREMENTS    third-party packages
    assemble.py sources TARGET PACKAGE              our own package, copied

What others import and no review uses is replaced by the few lines in stubs/, and the lists that
botocore parses at every start are cut to what the function calls.

PODGRAFT_RUNTIME (python3.13) and PODGRAFT_ARCHITECTURE (arm64) say for which Lambda. Bytecode is
written as unchecked-hash .pyc: zip's two-second time stamps would make ordinary .pyc files stale,
and a cold start without bytecode takes twice as long. Only the very same Python release can
compile: this one, one on PATH or of pyenv's, or one that uv fetches where uv is on PATH. Without
any, the layer ships sources, and says so.
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
MACHINE = {"arm64": "aarch64", "x86_64": "x86_64"}[ARCHITECTURE]

# What the function calls: botocore parses a service's whole model before its first call.
OPERATIONS = {
    "s3": {"GetObject", "ListObjectsV2"},
    "ssm": {"GetParameter", "GetParameters", "GetParametersByPath"},
    "xray": {"GetSamplingRules", "GetSamplingTargets"},  # asked for by its SDK, with Tracing=Active
}
# Of Flask and Werkzeug no review uses templates, sessions, forms, command line, server and client,
# of PyYAML only the binding of libyaml, of Powertools' logger no path into events.
STUBS = Path(__file__).with_name("stubs")
UNUSED = (
    "bin",
    "click",
    "itsdangerous",
    "jinja2",
    "boto3",  # what it wraps, botocore, is all that store/aws/botocore_client.py needs
    "s3transfer",
    "cel_expr_python/ext",  # 37 MB: podgraft.cel names its extensions, which cel.so has itself
    "bazel-project",  # what its build left in the wheel: protobuf's tests, bazel's rules
    "aws_lambda_powertools/event_handler",  # Logger, Metrics and Tracer are what web/ asks for
    "aws_lambda_powertools/utilities/[!_jt]*",  # all but jmespath_utils and typing, their own
    "yaml/[!_ent]*.py",  # all but the binding, errors, events, nodes and tokens
    "**/tests",
    "**/*.[ch]",
    "**/*.pyi",
    "**/__pycache__",
    "**/*.dist-info/RECORD",
)


def main(argv: list[str]) -> int:
    """Fill the folder TARGET; exit status 2 for a wrong command line."""
    match argv:
        case ["dependencies", target, requirements]:
            _install(Path(target), requirements)
            remove_unused(Path(target))
            _cut_botocore(Path(target))
        case ["sources", target, package]:
            _copy(Path(target), Path(package))
        case _:
            print(__doc__, file=sys.stderr)
            return 2
    compiled = _compile(Path(target))
    size = _folder_size(Path(target))
    print(f"{argv[0]}: {size} for {RUNTIME} on {ARCHITECTURE}, {compiled}")
    return 0


def _install(target: Path, requirements: str) -> None:
    version = RUNTIME.removeprefix("python")
    platform = [f"--platform=manylinux{tag}_{MACHINE}" for tag in ("2014", "_2_17", "_2_28")]
    subprocess.run(
        [
            *(sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"),
            "--no-warn-conflicts",  # with what is installed here: it is not for here
            *("--requirement", requirements, "--target", str(target)),
            *("--implementation=cp", f"--python-version={version}", "--only-binary=:all:"),
            *platform,
        ],
        check=True,
    )


def remove_unused(target: Path) -> None:
    """Remove what no review needs, and put the stand-ins where something still asks for it."""
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
    """Keep every partition and region, and of the services those that the function calls."""
    document = json.loads(path.read_bytes())
    for partition in document["partitions"]:
        services = partition["services"]
        partition["services"] = {name: services[name] for name in OPERATIONS if name in services}
    path.write_text(json.dumps(document, separators=(",", ":")))


def _minify(path: Path, operations: set[str]) -> None:
    """Keep *operations* and the shapes they reach of one botocore service model, and no prose."""
    text = path.read_bytes()
    model = json.loads(decompress(text) if path.suffix == ".gz" else text)
    operations_kept = {
        name: body for name, body in model["operations"].items() if name in operations
    }
    reached: set[str] = set()
    queue = list(_referenced_shapes(list(operations_kept.values())))
    while queue:
        name = queue.pop()
        if name not in reached:
            reached.add(name)
            queue.extend(_referenced_shapes(model["shapes"][name]))
    model["operations"] = operations_kept
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
    """The model with empty documentation: botocore reads the key, and nobody its text."""
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
    # The command line is for people's machines.
    ignore = shutil.ignore_patterns("__pycache__", "cli", "__main__.py")
    shutil.copytree(package, target / package.name, ignore=ignore, dirs_exist_ok=True)


def _compile(target: Path) -> str:
    python = find_python(RUNTIME)
    if python is None:
        return (
            f"WITHOUT bytecode (no {RUNTIME} on this machine, nor uv to fetch it by: "
            "cold starts take about twice as long)"
        )
    options = ["-q", "-j", "0", "--invalidation-mode", "unchecked-hash"]
    # Tracebacks shall name the place on Lambda, not this machine's.
    path_options = ["-s", str(target), "-p", "/opt/python"]
    subprocess.run([python, "-m", "compileall", *options, *path_options, str(target)], check=True)
    return "with bytecode"


def find_python(runtime: str) -> str | None:
    """A Python of the very release to compile with: this one, PATH's, pyenv's, or one of uv's."""
    release = runtime.removeprefix("python")
    if sys.version_info[:2] == tuple(map(int, release.split("."))):
        return sys.executable
    pyenv = Path("~/.pyenv/versions").expanduser()
    candidates = [shutil.which(runtime), *map(str, pyenv.glob(f"{release}.*/bin/{runtime}"))]
    runnable = next((path for path in candidates if path and _is_runnable(path)), None)
    return runnable or _fetch_python(release)


def _fetch_python(release: str) -> str | None:
    """A Python that uv has, or fetches now; none without uv, or where it cannot."""
    uv = shutil.which("uv")
    if (
        uv is None
        or subprocess.run([uv, "python", "install", "-q", release], check=False).returncode
    ):
        return None
    find = [uv, "python", "find", "--no-project", "--managed-python", release]
    return subprocess.run(find, capture_output=True, text=True, check=True).stdout.strip()


def _is_runnable(python: str) -> bool:
    # pyenv puts shims on PATH for releases that are installed but not chosen: these fail.
    return subprocess.run([python, "-V"], capture_output=True, check=False).returncode == 0


def _folder_size(folder: Path) -> str:
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    return f"{size / 1e6:.1f} MB"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
