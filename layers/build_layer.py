"""Build a Lambda layer: install packages for Lambda's platform, remove unused files, compile.

    build_layer.py dependencies TARGET REQUIREMENTS    third-party packages
    build_layer.py sources TARGET PACKAGE              the package podgraft

The dependencies are wheels as pip installs them, without the files that no import needs. No file is
modified and none is added except bytecode, so scanners and audits can compare each file with its
wheel.

pip installs only packages of the lock with its hashes. PODGRAFT_REPORT names a file for the report
of pip, with the address and the hash of each package; tools/release.py reads it. Two builds of
the same sources with the same Python release are identical, byte by byte.

PODGRAFT_RUNTIME (python3.13) and PODGRAFT_ARCHITECTURE (arm64) select the target. The bytecode is
unchecked-hash .pyc, because the two-second time stamps of zip make ordinary .pyc files stale. A
cold start without bytecode takes twice as long. Only the same Python release can compile: the
running one, one on PATH or of pyenv, or one that uv downloads. Without it, the layer contains
sources only, and the script reports that.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

RUNTIME = os.environ.get("PODGRAFT_RUNTIME", "python3.13")
ARCHITECTURE = os.environ.get("PODGRAFT_ARCHITECTURE", "arm64")
MACHINES = {"arm64": "aarch64", "x86_64": "x86_64"}
REPORT = os.environ.get("PODGRAFT_REPORT")

# Services that the functions call: the store, credentials, X-Ray with Tracing=Active, and those of
# the rotation of tokens. The models of the other 400 services of botocore take 18 MB.
SERVICES = frozenset({"logs", "s3", "secretsmanager", "ssm", "sts", "xray"})
# Files and folders that no import needs. Tests import all modules that the function can load.
UNUSED = (
    "boto3/data",  # resources: service/store/aws/clients.py uses clients
    "boto3/examples",
    "aws_lambda_powertools/event_handler",  # service/http uses Logger, Metrics, and Tracer
    "aws_lambda_powertools/utilities/[!_jt]*",  # all except jmespath_utils and typing
    "**/tests",
    "**/*.[ch]",
    "**/*.pyi",
    "**/__pycache__",  # that a wheel brought: bytecode of another Python
)

_NO_PIP = (
    "has no pip; install it, on Debian and Ubuntu by the package python3-pip, or use another "
    "Python: sam build runs that of PYTHON"
)


def main(argv: list[str]) -> int:
    """Fill the folder TARGET; return exit status 2 for an invalid command line, 1 for a failure."""
    try:
        return _build(argv)
    except subprocess.CalledProcessError as error:
        command = " ".join(map(str, error.cmd[:4]))
        print(f"build_layer.py: {command} failed, see above", file=sys.stderr)
        return 1


def _build(argv: list[str]) -> int:
    match argv:
        case ["dependencies", *_] if find_spec("pip") is None:
            print(f"build_layer.py: {sys.executable} {_NO_PIP}", file=sys.stderr)
            return 1
        case ["dependencies", target, requirements]:
            _install(Path(target), requirements)
            _remove(find_unused(Path(target)))
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
    subprocess.run(
        [
            *(sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"),
            "--no-user",  # PIP_USER=1 does not permit a target
            "--no-warn-conflicts",  # the packages of this environment do not matter
            "--no-compile",  # the Python of the target can be another version
            "--require-hashes",
            *("--requirement", requirements, "--target", str(target)),
            *(("--report", REPORT) if REPORT else ()),
            *platform_options(RUNTIME, ARCHITECTURE),
        ],
        check=True,
        # Nor does PIP_REQUIRE_VIRTUALENV=1.
        env={**os.environ, "PIP_REQUIRE_VIRTUALENV": "0"},
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


def find_unused(target: Path) -> set[Path]:
    """The files and folders below *target* that no import needs."""
    models = (target / "botocore" / "data").glob("*/")
    return {path for pattern in UNUSED for path in target.glob(pattern)} | {
        path for path in models if path.name not in SERVICES
    }


def _remove(paths: Iterable[Path]) -> None:
    for path in paths:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)  # the set can also contain its folder


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
    # Variables of Python, such as PYTHONPYCACHEPREFIX, can move or change bytecode.
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("PYTHON")},
        "PYTHONHASHSEED": "0",
    }
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
