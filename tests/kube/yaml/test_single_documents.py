"""podgraft's own documents: a second document is refused, and its line is named."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from podgraft.cli import documents
from podgraft.cli.failure import CommandError
from podgraft.cli.policy import denied, document_text
from podgraft.cli.storage.folder import FolderDocuments
from podgraft.cli.test.files import read_test_file
from podgraft.core import policy
from podgraft.core.versions import brake, version_check
from podgraft.kube import yaml
from podgraft.service.store.folder import FolderCallers
from support.store_fixture import admit

ENGINE = Path(yaml.__file__).parents[2]
# The readers of Istio's texts, and of texts of files that another tool wrote: the first document
# counts there, as with sigs.k8s.io/yaml.
FIRST_DOCUMENT = {
    "core/bundle/retired_registries.py",
    "core/bundle/lint.py",
    "cli/istio_files.py",
    "cli/live/istio_source.py",
    "cli/live/shared_mesh.py",
    "cli/template_lines.py",
    "core/injectors/istio/config/config_map.py",
    "core/injectors/istio/config/mesh.py",
    "core/injectors/istio/config/proxyconfig.py",
    "core/injectors/istio/yaml_stream.py",
}

MORE = {
    "a second document": ("a: b\n---\nc: d\n", 2),
    "after an end": ("a: b\n...\n---\nc: d\n", 3),
    "after an empty one": ("---\n---\nc: d\n", 2),
    "an empty one": ("a: b\n# comment\n---\n", 3),
    "in flow style": ("{a: b}\n--- {c: d}\n", 2),
}


@pytest.mark.parametrize(("text", "line"), MORE.values(), ids=MORE)
def test_a_second_document_is_an_error(text: str, line: int) -> None:
    with pytest.raises(yaml.NotYAMLError, match="second document") as caught:
        yaml.load_document(text)
    assert caught.value.line == line


@pytest.mark.parametrize("read", [yaml.load, yaml.load_document])
def test_a_text_of_another_version_is_refused(read: Callable[[str], object]) -> None:
    """Its words have other meanings: in YAML 1.2, ``yes`` is a string."""
    with pytest.raises(yaml.NotYAMLError, match="found incompatible YAML document"):
        read("%YAML 1.2\n---\na: yes\n")
    assert read("%YAML 1.1\n---\na: yes\n") == {"a": True}


@pytest.mark.parametrize("text", ["", "# comment\n", "---\na: b\n", "a: b\n...\n", '{"a": "b"}'])
def test_one_document_is_that_of_load(text: str) -> None:
    assert yaml.load_document(text) == yaml.load(text)


DENIED = f"sha256:{'0' * 64}: old\n---\nsha256:{'1' * 64}: bad\n"


def read_policy(text: str) -> object:
    return policy.parse(text)


def read_deny_list(_: str) -> object:
    return version_check.parse_denied(DENIED, "denied.yaml")


READERS: dict[str, Callable[[str], object]] = {
    "policy": read_policy,
    "deny list": read_deny_list,
    "policy to change": document_text.load_mapping,
}


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_each_reader_refuses_a_second_document(read: Callable[[str], object]) -> None:
    with pytest.raises(Exception, match=r"line 2 column 1"):
        read("policy: enabled\n---\nallows: {}\n")


def test_a_brake_with_two_documents_stops_all_rollouts() -> None:
    assert brake.is_stopped("any", brake.parse_brakes(["id: a\n---\nid: b\n"]))


def test_callers_with_two_documents_do_not_load(tmp_path: Path) -> None:
    admit(tmp_path, "prod-eu", "a-token-of-prod-eu")
    path = tmp_path / "auth" / "prod-eu.yaml"
    path.write_text(f"{path.read_text()}---\ntokens: []\n")
    errors = FolderCallers(tmp_path).callers().load_errors
    assert "line 3 column 1" in str(errors["prod-eu"])


INVALID = "a: b\nc: [d\n"


def read_stored_deny_list(path: Path) -> object:
    (path.parent / "denied.yaml").write_text(INVALID)
    return denied.load_deny_list(FolderDocuments(path.parent))


COMMANDS: dict[str, Callable[[Path], object]] = {
    "a file": documents.read_document,
    "objects": lambda path: [*documents.read_objects(path)],
    "a policy to change": lambda path: document_text.load_mapping(path.read_text()),
    "a deny list": read_stored_deny_list,
    "tests": read_test_file,
}


@pytest.mark.parametrize("read", COMMANDS.values(), ids=COMMANDS)
def test_each_command_describes_invalid_yaml_in_one_way(
    tmp_path: Path, read: Callable[[Path], object]
) -> None:
    path = tmp_path / "input.yaml"
    path.write_text(INVALID)
    with pytest.raises(
        CommandError, match=r": invalid YAML: line 3 column 1: .*; correct this line$"
    ):
        read(path)


def test_a_golden_has_one_document(tmp_path: Path) -> None:
    path = tmp_path / "want.yaml"
    path.write_text("a: b\n---\nc: d\n")
    with pytest.raises(Exception, match="line 2 column 1"):
        documents.read_document(path)


def test_no_other_module_ignores_documents() -> None:
    readers = {
        str(path.relative_to(ENGINE))
        for path in ENGINE.rglob("*.py")
        if re.search(r"\byaml\.load\(", path.read_text())
    }
    assert readers == FIRST_DOCUMENT
