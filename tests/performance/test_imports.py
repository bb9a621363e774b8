"""What a cold start of the function imports: a new dependency on its path is a decision."""

import json
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from support.store_fixture import write_injector

COMPILED = re.compile(r"^from dataclasses import .*\bdataclass\b", re.MULTILINE)
PATTERN = re.compile(r"^\S.*\bre\.compile\(", re.MULTILINE)
IMPORTED_MODULES_FILE = Path(__file__).with_name("imported.json")
HANDLER = Path(__file__).parents[2] / "functions" / "webhook"

_COUNT = """
import json, sys
before = set(sys.modules)
import handler
print(json.dumps(sorted(set(sys.modules) - before)))
"""


AWS = {
    "PODGRAFT_STORE": "aws",
    "PODGRAFT_BUCKET": "bundles",
    "AWS_ENDPOINT_URL": "http://127.0.0.1:1",
    "AWS_REGION": "eu-central-1",
    "AWS_DEFAULT_REGION": "eu-central-1",
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "test",
}
# What a function needs beyond the list whose store is AWS; botocore's root is Powertools' doing.
FOR_AWS = {
    "podgraft.store.aws",
    "podgraft.store.aws.callers",
    "podgraft.store.aws.client",
    "podgraft.store.aws.clients",
    "podgraft.store.aws.http_client",
    "podgraft.store.aws.injector_loader",
    "podgraft.store.aws.s3",
    "podgraft.store.aws.store",
    "podgraft.store.polling_cache",
    "podgraft.store.aws.sigv4",
    "podgraft.store.aws.ssm",
    "podgraft.store.aws.connection",
    "podgraft.store.aws.snapstart",
    "snapshot_restore_py",  # Lambda's runtime client has loaded it already
}


@pytest.fixture(scope="module")
def imported_modules(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """What a function loads over a folder."""
    folder = write_injector(tmp_path_factory.mktemp("store"))
    return _imports({"PODGRAFT_STORE": f"file:{folder}"})


def _imports(settings: dict[str, str]) -> set[str]:
    """The packages and podgraft modules that importing the handler loads on Lambda."""
    environment = {
        "PATH": os.environ["PATH"],
        "AWS_LAMBDA_FUNCTION_NAME": "podgraft",
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "1024",
        **settings,
    }
    done = subprocess.run(
        [sys.executable, "-c", _COUNT],
        cwd=HANDLER,
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )
    modules: list[str] = json.loads(done.stdout.splitlines()[-1])
    return {_package_name(name) for name in modules if not _is_standard(name)}


def test_no_module_is_imported_that_is_not_on_the_list(imported_modules: set[str]) -> None:
    new = imported_modules - set(json.loads(IMPORTED_MODULES_FILE.read_text()))
    assert not new, (
        f"{sorted(new)}: import these where they are needed, or add them to "
        f"{IMPORTED_MODULES_FILE.name}"
    )


def test_the_list_names_nothing_that_is_not_imported(imported_modules: set[str]) -> None:
    assert set(json.loads(IMPORTED_MODULES_FILE.read_text())) <= imported_modules


def test_loaded_modules_define_dataclasses_without_compiling_them() -> None:
    known: list[str] = json.loads(IMPORTED_MODULES_FILE.read_text())
    ours = {name for name in known if name.startswith("podgraft.")}
    found = {name for name in ours if COMPILED.search(_source(name))}
    assert found == {"podgraft.texttemplate.parse.source"}  # its cached properties need a __dict__


def test_loaded_modules_compile_no_pattern_before_its_first_use() -> None:
    known: list[str] = json.loads(IMPORTED_MODULES_FILE.read_text())
    ours = {name for name in (*known, *FOR_AWS) if name.startswith("podgraft.")}
    assert not {name for name in ours if PATTERN.search(_source(name))}


def _source(module: str) -> str:
    found = find_spec(module)
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).read_text()


@pytest.mark.parametrize("heavy", ["boto3", "cryptography", "cel_expr_python"])
def test_a_folder_as_store_needs_nothing_heavy(heavy: str, imported_modules: set[str]) -> None:
    assert heavy not in imported_modules


def test_aws_as_store_needs_no_software_development_kit(imported_modules: set[str]) -> None:
    """No server listens at the endpoint: all imports for a request happen before it fails."""
    found = _imports(AWS)
    assert found - imported_modules == FOR_AWS
    assert not {name for name in found if name.startswith("podgraft.store.folder")}


def test_only_a_start_that_no_one_waits_for_loads_the_web_framework(tmp_path: Path) -> None:
    """Reviews of an HTTP API need neither Flask nor Mangum; other requests load both."""
    settings = {"PODGRAFT_STORE": f"file:{write_injector(tmp_path)}"}
    frameworks = {"flask", "mangum", "werkzeug"}
    assert not frameworks & _imports(settings)
    primed = _imports({**settings, "AWS_LAMBDA_INITIALIZATION_TYPE": "snap-start"})
    assert primed >= frameworks


def test_botocore_is_loaded_only_if_selected() -> None:
    found = _imports(AWS | {"PODGRAFT_AWS_CLIENT": "botocore"})
    assert "podgraft.store.aws.botocore_client" in found


def _package_name(module: str) -> str:
    """podgraft modules by their complete names, others by their packages."""
    return module if module.startswith("podgraft") else module.partition(".")[0]


def _is_standard(module: str) -> bool:
    return module.partition(".")[0] in sys.stdlib_module_names
