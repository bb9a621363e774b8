"""Layers from tiny wheels: the right wheel, the right bytecode, nothing that no review needs."""

import importlib.util
import json
import os
import re
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from zipfile import ZipFile

import pytest

from build_layer import platform_options
from e2e.builds.layer import LAYERS, UNCHECKED_HASH, Target, assemble, find_uncompiled, pyc_header
from layers.cloudformation import TEMPLATE
from support.programs import PYTHON, write_shell_program

HERE = Target(f"python{sys.version_info.major}.{sys.version_info.minor}", "x86_64")
ABSENT = Target("python3.99", "arm64")
TARGETS = (
    HERE,
    Target("python3.12", "arm64"),
    Target("python3.13", "x86_64"),
    Target("python3.14", "arm64"),
)


ENDPOINTS = '{ "partitions": [{"partition": "aws", "services": {"ec2": {}, "s3": {}}}] }'


def make_wheel(folder: Path, tag: str, **files: str) -> None:
    """A wheel of the package ``tiny`` for a platform, whose one module says which."""
    info = "tiny-1.0.dist-info"
    with ZipFile(folder / f"tiny-1.0-{tag}.whl", "w") as archive:
        archive.writestr("tiny/__init__.py", f"TAG = {tag!r}\n")
        archive.writestr("botocore/data/endpoints.json", ENDPOINTS)
        for name, content in files.items():
            archive.writestr(name, content)
        archive.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n")
        archive.writestr(f"{info}/WHEEL", f"Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: {tag}")
        archive.writestr(f"{info}/RECORD", "")


def install_layer(folder: Path, target: Target, **environment: str) -> tuple[Path, str]:
    """The dependency layer of ``tiny``, from the wheels of the folder and from nowhere else."""
    requirements = folder / "requirements.txt"
    wheels = folder.glob("*.whl")
    hashes = [f"--hash=sha256:{sha256(path.read_bytes()).hexdigest()}" for path in wheels]
    requirements.write_text(" ".join(["tiny==1.0", *hashes]))
    layer = folder / "layer"
    offline = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(folder), "PIP_CONFIG_FILE": "/dev/null"}
    return layer, assemble(target, "dependencies", layer, requirements, **offline, **environment)


# The glibc of Amazon Linux 2, and that of Amazon Linux 2023.
GLIBC = {"python3.11": (2, 26), "python3.12": (2, 34), "python3.13": (2, 34), "python3.14": (2, 34)}


@pytest.mark.parametrize("runtime", TEMPLATE["Parameters"]["Runtime"]["AllowedValues"])
def test_each_runtime_has_the_glibc_of_the_wheels_that_its_build_accepts(runtime: str) -> None:
    """A wheel for a later glibc passes the build, and fails at its import on Lambda."""
    options = " ".join(platform_options(runtime, "x86_64")).replace("manylinux2014", "_2_17")
    accepted = {(int(a), int(b)) for a, b in re.findall(r"_(\d+)_(\d+)_x86_64", options)}
    assert len(accepted) == 2
    assert max(accepted) <= GLIBC[runtime]


@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_the_wheel_is_the_targets_and_not_this_machines(tmp_path: Path, target: Target) -> None:
    for python in ("cp311", "cp312", "cp313", "cp314"):
        for machine in ("x86_64", "aarch64"):
            make_wheel(tmp_path, f"{python}-{python}-manylinux2014_{machine}")
    layer, said = install_layer(tmp_path, target)
    machine = {"arm64": "aarch64", "x86_64": "x86_64"}[target.architecture]
    python = target.abi.replace("cpython-", "cp")
    wanted = f"{python}-{python}-manylinux2014_{machine}"
    assert (layer / "tiny" / "__init__.py").read_text() == f"TAG = {wanted!r}\n"
    assert f" MB for {target.runtime} on {target.architecture}, " in said


def test_what_no_review_needs_is_left_out(tmp_path: Path) -> None:
    left_out = {
        "tiny/tests/test_tiny.py": "",
        "tiny/__init__.pyi": "",
        "tiny/_speedups.c": "",
        "tiny/__pycache__/__init__.cpython-311.pyc": "stale",
        "aws_lambda_powertools/event_handler/__init__.py": "",
        "aws_lambda_powertools/utilities/kafka/__init__.py": "",
        "botocore/data/ec2/2016-11-15/service-2.json": "{}",
    }
    kept = {
        "tiny/data.txt": "",
        "aws_lambda_powertools/utilities/jmespath_utils/__init__.py": "",
        "click/__init__.py": "ORIGINAL = True\n",
        "aws_lambda_powertools/utilities/typing/__init__.py": "",
        "botocore/data/s3/2006-03-01/endpoint-rule-set-1.json": "{}",
    }
    make_wheel(tmp_path, "py3-none-any", **left_out, **kept)
    layer, _ = install_layer(tmp_path, ABSENT)
    assert {name for name in {**left_out, **kept} if (layer / name).exists()} == set(kept)
    assert not list(layer.rglob("*.pyc")), "bytecode of this machine's Python"
    assert {name: (layer / name).read_text() for name in kept} == kept
    assert (layer / "botocore" / "data" / "endpoints.json").read_text() == ENDPOINTS
    assert not (layer / "botocore" / "data" / "ec2").exists()
    assert (layer / "tiny-1.0.dist-info" / "RECORD").exists()


def make_package(folder: Path) -> Path:
    source = folder / "tiny"
    (source / "cli").mkdir(parents=True)
    (source / "__init__.py").write_text("def raised() -> None:\n    raise ValueError\n")
    (source / "cli" / "__init__.py").write_text("")
    return source


def test_bytecode_is_of_the_target_and_never_compared_with_its_source(tmp_path: Path) -> None:
    layer = tmp_path / "layer"
    said = assemble(HERE, "sources", layer, make_package(tmp_path))
    assert said == f"sources: 0.0 MB for {HERE.runtime} on x86_64, with bytecode\n"
    assert find_uncompiled(layer, HERE) == []
    [compiled] = layer.rglob("*.pyc")
    magic = int.from_bytes(importlib.util.MAGIC_NUMBER[:2], "little")
    assert pyc_header(compiled) == (magic, UNCHECKED_HASH)
    # Tracebacks name the place on Lambda.
    assert b"/opt/python/tiny/__init__.py" in compiled.read_bytes()
    assert str(tmp_path).encode() not in compiled.read_bytes()


def test_without_the_targets_python_sources_are_shipped_and_it_is_reported(tmp_path: Path) -> None:
    layer = tmp_path / "layer"
    said = assemble(ABSENT, "sources", layer, make_package(tmp_path), PATH=str(tmp_path))
    assert "WITHOUT bytecode (neither python3.99 nor uv is installed" in said
    assert (list(layer.rglob("*.pyc")), [path.name for path in layer.iterdir()]) == ([], ["tiny"])
    assert (layer / "tiny" / "__init__.py").exists()


@pytest.mark.parametrize(("status", "said"), [(0, "with bytecode"), (1, "WITHOUT bytecode")])
def test_uv_fetches_the_targets_python_if_it_can(status: int, said: str, tmp_path: Path) -> None:
    uv = tmp_path / "uv"
    asked = tmp_path / "asked"
    write_shell_program(
        uv,
        f'echo "$@" >> {asked}\ncase "$2" in install) exit {status};; find) echo {PYTHON};; esac',
    )
    layer = tmp_path / "layer"
    assert said in assemble(ABSENT, "sources", layer, make_package(tmp_path), PATH=str(tmp_path))
    assert bool([*layer.rglob("*.pyc")]) == (status == 0)
    assert asked.read_text().splitlines()[0] == "python install -q 3.99"


def test_the_command_line_stays_on_peoples_machines(tmp_path: Path) -> None:
    layer = tmp_path / "layer"
    assemble(ABSENT, "sources", layer, make_package(tmp_path))
    assert not (layer / "tiny" / "cli").exists()


def test_a_wheel_with_another_hash_is_not_installed(tmp_path: Path) -> None:
    make_wheel(tmp_path, "py3-none-any")
    requirements = tmp_path / "requirements.txt"
    for text, message in (
        (f"tiny==1.0 --hash=sha256:{'0' * 64}\n", "DO NOT MATCH THE HASHES"),
        ("tiny==1.0\n", "Hashes are required in --require-hashes mode"),
    ):
        requirements.write_text(text)
        command = [sys.executable, LAYERS / "build_layer.py", "dependencies"]
        done = subprocess.run(
            [*command, tmp_path / "layer", requirements],
            env={
                **os.environ,
                "PIP_NO_INDEX": "1",
                "PIP_FIND_LINKS": str(tmp_path),
                "PIP_USER": "1",
            },
            check=False,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 1
        assert message in done.stderr
        assert done.stderr.endswith(" -m pip install failed, see above\n")
        assert not (tmp_path / "layer").exists()


def test_a_python_without_pip_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    command = [sys.executable, "-S", LAYERS / "build_layer.py", "dependencies", tmp_path / "layer"]
    done = subprocess.run([*command, "x"], check=False, capture_output=True, text=True)
    assert done.returncode == 1
    assert re.fullmatch(
        r"build_layer\.py: .+ has no pip; install it, .*: sam build runs that of PYTHON\n",
        done.stderr,
    )
    assert not (tmp_path / "layer").exists()


def test_a_python_outside_of_a_virtual_environment_can_build(tmp_path: Path) -> None:
    """pip installs into the layer, so ``PIP_REQUIRE_VIRTUALENV`` of its user has no purpose."""
    (tmp_path / "pip.py").write_text(
        "import os, sys\nsys.exit(int(os.environ['PIP_REQUIRE_VIRTUALENV']))\n"
    )
    variables = {"PYTHONPATH": str(tmp_path), "PIP_REQUIRE_VIRTUALENV": "1"}
    assemble(ABSENT, "dependencies", tmp_path / "layer", tmp_path / "a", **variables)


def test_two_builds_are_identical(tmp_path: Path) -> None:
    """And the report names every wheel with its hash."""
    builds: list[dict[str, bytes]] = []
    for seed, further in (
        ("1", {}),
        ("2", {"PYTHONPYCACHEPREFIX": str(tmp_path), "PYTHONOPTIMIZE": "1"}),
    ):
        folder = tmp_path / seed
        folder.mkdir()
        make_wheel(folder, "py3-none-any", **{"tiny/sets.py": "A = {'a', 'b', 'c'}.__contains__\n"})
        report = folder / "report.json"
        variables = {"PODGRAFT_REPORT": str(report), "PYTHONHASHSEED": seed, **further}
        built, _ = install_layer(folder, HERE, **variables)
        builds.append(
            {
                path.relative_to(built).as_posix(): path.read_bytes()
                for path in built.rglob("*")
                if path.is_file()
            }
        )
        [item] = json.loads(report.read_text())["install"]
        wheel = (folder / "tiny-1.0-py3-none-any.whl").read_bytes()
        archive = item["download_info"]["archive_info"]  # pip 22.3 writes hash, and 23.1 hashes
        named = archive.get("hash") or f"sha256={archive['hashes']['sha256']}"
        assert named == f"sha256={sha256(wheel).hexdigest()}"
    assert builds[0] == builds[1]


def test_commands_of_this_machine_leave_no_trace(tmp_path: Path) -> None:
    """They contain the path of the Python that runs pip."""
    entry = "[console_scripts]\ntiny = tiny:main\n"
    make_wheel(tmp_path, "py3-none-any", **{"tiny-1.0.dist-info/entry_points.txt": entry})
    layer, _ = install_layer(tmp_path, HERE)
    assert not (layer / "bin").exists()
    record = (layer / "tiny-1.0.dist-info" / "RECORD").read_text()
    assert "tiny/__init__.py" in record
    assert "bin/" not in record
