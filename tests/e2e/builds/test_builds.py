"""Every runtime and architecture that template.yaml offers, built for real from this machine."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Generator
from dataclasses import dataclass
from itertools import product, starmap
from pathlib import Path

import pytest

from build_layer import MACHINES, find_python
from e2e.builds.layer import (
    LAYERS,
    MAGIC,
    UNCHECKED_HASH,
    Target,
    assemble,
    elf_machine,
    find_uncompiled,
    pyc_header,
)
from support.store_fixture import BUNDLE, TOKEN, admit, write_injector

ROOT = LAYERS.parent
LARGEST = 60_000_000  # bytes, unpacked and with bytecode
# Without BUILDS=all: the default of the template, and one target that differs in both.
CHECKED = (Target("python3.13", "arm64"), Target("python3.12", "x86_64"))
TARGETS = (
    tuple(starmap(Target, product(MAGIC, ("arm64", "x86_64"))))
    if os.environ.get("PODGRAFT_E2E_BUILDS") == "all"
    else CHECKED
)
RUNNABLE = [each for each in TARGETS if MACHINES[each.architecture] == os.uname().machine]
# CEL, RE2 and the template engine all have a part in it.
OVERLAY = b"""
apiVersion: podgraft.dev/v1
kind: Overlay
metadata: {name: marked}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
  matchConditions: [{name: named, expression: "'shop-1'.matches('^shop-[0-9]+$')"}]
  template: 'metadata: {annotations: {marked: {{ "yes" | quote }}}}'
"""


@dataclass(frozen=True, slots=True)
class BuiltLayers:
    """Both layers of one target, and what the build said of them."""

    target: Target
    dependencies: Path
    engine: Path
    said: str

    @property
    def has_bytecode(self) -> bool:
        """Whether this machine has the target's Python, to compile with."""
        return find_python(self.target.runtime) is not None


@pytest.fixture(scope="module", params=TARGETS, ids=str)
def built_layers(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    build_output: list[str],
) -> Generator[BuiltLayers]:
    """One build after the other; each is removed before the next begins."""
    if "PODGRAFT_E2E_BUILDS" not in os.environ:
        pytest.skip("fetches wheels for every Lambda; run make e2e-builds")
    target: Target = request.param
    folder = tmp_path_factory.mktemp(str(target))
    dependencies, engine = folder / "dependencies", folder / "engine"
    requirements = LAYERS / "dependencies" / "requirements.txt"
    lines = assemble(target, "dependencies", dependencies, requirements)
    lines += assemble(target, "sources", engine, LAYERS / "engine" / "podgraft")
    build_output.extend(lines.splitlines())
    yield BuiltLayers(target, dependencies, engine, lines)
    shutil.rmtree(folder)


def test_the_template_offers_what_is_built_here() -> None:
    template = (ROOT / "template.yaml").read_text()
    assert f"AllowedValues: [{', '.join(MAGIC)}]" in template
    assert "AllowedValues: [arm64, x86_64]" in template


def test_libraries_are_of_the_processor_and_the_release(built_layers: BuiltLayers) -> None:
    libraries = list(built_layers.dependencies.rglob("*.so"))
    assert {path.parent.name for path in libraries} >= {"yaml", "re2"}
    for path in libraries:
        assert elf_machine(path) == built_layers.target.architecture, path
        assert built_layers.target.abi in path.name or ".abi3." in path.name, path


def test_bytecode_is_of_the_release_or_there_is_none(built_layers: BuiltLayers) -> None:
    for layer in (built_layers.dependencies, built_layers.engine):
        stamps = {pyc_header(path) for path in layer.rglob("*.pyc")}
        if built_layers.has_bytecode:
            assert stamps == {(MAGIC[built_layers.target.runtime], UNCHECKED_HASH)}
            assert find_uncompiled(layer, built_layers.target) == []
        else:
            assert stamps == set()
    word = ", with bytecode" if built_layers.has_bytecode else "WITHOUT bytecode (neither "
    assert built_layers.said.count(word) == 2


def test_layers_are_as_large_as_the_page_states(built_layers: BuiltLayers) -> None:
    """And Lambda accepts 250 MB, so the layers leave room for others."""
    page = (ROOT / "docs" / "architecture.md").read_text()
    word = "with bytecode" if built_layers.has_bytecode else "without"
    [said] = re.findall(rf"^\| {word} \| ([\d.]+) MB \| ([\d.]+) MB \|$", page, re.MULTILINE)
    for layer, megabytes in zip(
        (built_layers.dependencies, built_layers.engine), said, strict=True
    ):
        size = sum(path.stat().st_size for path in layer.rglob("*") if path.is_file())
        assert size / 1e6 == pytest.approx(float(megabytes), rel=0.15)


def test_the_layers_together_have_at_most_60_mb(built_layers: BuiltLayers) -> None:
    """Without the Python of the target, the sources stand for the bytecode, which is smaller."""
    layers = (built_layers.dependencies, built_layers.engine)
    files = [path for layer in layers for path in layer.rglob("*") if path.is_file()]
    missing = [] if built_layers.has_bytecode else [path for path in files if path.suffix == ".py"]
    assert sum(path.stat().st_size for path in (*files, *missing)) <= LARGEST


def test_nothing_is_shipped_that_no_function_needs(built_layers: BuiltLayers) -> None:
    names = {path.name for path in built_layers.dependencies.iterdir()}
    assert names.isdisjoint({"bin", "pip", "setuptools"})
    models = {path.name for path in (built_layers.dependencies / "botocore" / "data").glob("*/")}
    assert models == {"logs", "s3", "secretsmanager", "ssm", "sts", "xray"}
    assert not list(built_layers.dependencies.rglob("*.pyi"))


@pytest.mark.parametrize("built_layers", RUNNABLE, indirect=True, ids=str)
def test_the_layers_serve_a_review_with_their_python(
    built_layers: BuiltLayers, tmp_path: Path
) -> None:
    """With an empty environment and without site-packages: what is not in the layers is missing.

    And from their bytecode, whatever the sources beside it say.
    """
    python = find_python(built_layers.target.runtime)
    if python is None:
        pytest.skip(f"needs {built_layers.target.runtime}")
    (built_layers.engine / "podgraft" / "core" / "review" / "__init__.py").write_text(
        "raise AssertionError('compiled anew')"
    )
    store = write_injector(tmp_path, files={**BUNDLE, "overlay.yaml": OVERLAY})
    admit(store, "prod-eu", TOKEN)
    paths = (built_layers.engine, built_layers.dependencies, ROOT / "functions" / "webhook")
    done = subprocess.run(
        [
            *(python, "-S", Path(__file__).with_name("probe.py")),
            ROOT / "tests" / "support" / "events" / "apigateway-v2-bearer-token.json",
        ],
        env={
            "PYTHONPATH": ":".join(map(str, paths)),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PODGRAFT_STORE": f"file:{store}",
            "AWS_LAMBDA_FUNCTION_NAME": "podgraft",  # so that Powertools writes logs and metrics
        },
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert json.loads(done.stdout.splitlines()[-1]) == {
        "status": 200,
        "patched": True,
    }
