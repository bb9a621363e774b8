"""The fleet file, and the one write that makes the registry equal to it."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from cli.fleet.test_adopt import STACK, Account, fleet, issue
from cli.fleet.test_adopt import account as account  # noqa: PLC0414  a fixture
from podgraft.cli import main
from podgraft.cli.failure import CommandError
from podgraft.cli.fleet.file import ClusterSettings, read_fleet
from podgraft.cli.policy import schema
from podgraft.kube import yaml

HEAD = "apiVersion: podgraft.dev/v1\nkind: Fleet\nmetadata: {name: prod}\n"
FLEET = f"""{HEAD}
spec:
  defaults: {{sources: [203.0.113.0/24]}}
  groups:
    ring-0: {{order: 20, sources: [10.0.0.0/8]}}
    office: {{order: 10, sources: [198.51.100.0/24]}}
    plain: {{order: 30}}
  clusters:
    a: {{groups: [ring-0, office, plain]}}
    b: {{groups: [plain]}}
    c: {{groups: [ring-0], sources: []}}
    d: {{}}
"""


def write(text: str) -> Path:
    path = Path("fleet.yaml")
    path.write_text(text)
    return path


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_later_keys_win() -> None:
    assert read_fleet(write(FLEET)).clusters == {
        "a": ClusterSettings(("office", "plain", "ring-0"), ("10.0.0.0/8",)),
        "b": ClusterSettings(("plain",), ("203.0.113.0/24",)),
        "c": ClusterSettings(("ring-0",), ()),
        "d": ClusterSettings((), ("203.0.113.0/24",)),
    }


ERRORS = (
    ("spec: {clusters: {}}", "/apiVersion: expected podgraft.dev/v1"),
    (HEAD, "/spec: is missing"),
    (f"{HEAD}spec: {{cluster: {{}}}}", "/spec/cluster: unknown key; did you mean clusters?"),
    (f"{HEAD}spec: {{clusters: {{a: {{groups: [rnig]}}}}}}", "/spec/clusters/a/groups/0: unknown"),
    (f"{HEAD}spec: {{clusters: {{a b: {{}}}}}}", "/spec/clusters/a b: invalid id"),
    (f"{HEAD}spec: {{groups: {{Ring: {{}}}}}}", "/spec/groups/Ring: invalid name"),
    (f"{HEAD}spec: {{groups: {{r: {{order: x}}}}}}", '/spec/groups/r/order: got "x"'),
    (
        f"{HEAD}spec: {{groups: {{r: {{}}}}, clusters: {{a: {{groups: [r, r]}}}}}}",
        '/spec/clusters/a/groups/1: duplicate "r"',
    ),
    (
        f"{HEAD}spec: {{clusters: {{a: {{sources: [10.0.0.1]}}}}}}",
        '/spec/clusters/a/sources/0: got "10.0.0.1"',
    ),
    (f"{HEAD}spec: {{clusters: {{a: {{}}, a: {{}}}}}}", "invalid YAML"),
    (
        f"{HEAD}spec: {{clusters: {{a: {{context: c}}, b: {{context: c}}}}}}",
        '/spec/clusters/b/context: "c" is the context of a, too; remove one of them',
    ),
    (
        f"{HEAD}spec: {{defaults: {{injectors: [{{name: istio}}]}}}}",
        "/spec/defaults/injectors/0: the selector is missing; add revision, namespaceSelector",
    ),
    (
        f"{HEAD}spec: {{defaults: {{injectors: [{{objectSelector: '!a'}}]}}}}",
        "/spec/defaults/injectors/0: the selector is missing; add revision, namespaceSelector",
    ),
    (
        f"{HEAD}spec: {{defaults: {{injectors: [{{revision: a, validate: [v1/pods]}}]}}}}",
        "/spec/defaults/injectors/0: the selector of mutate and validate is missing; add",
    ),
    (
        f"{HEAD}spec: {{defaults: {{injectors: [{{namespaceSelector: a in}}]}}}}",
        "/spec/defaults/injectors/0: selector 'a in'",
    ),
    (
        f"{HEAD}spec: {{defaults: {{injectors: [{{revision: r}}, {{revision: r}}]}}}}",
        "/spec/defaults/injectors/1: duplicate of another injector",
    ),
    (
        f"{HEAD}spec: {{clusters: {{a: {{sources: [vpce-0a1b2c3d4e5f67890]}}}}}}",
        '/spec/clusters/a/sources: a public front cannot see "vpce-0a1b2c3d4e5f67890"; use a range',
    ),
    (
        f"{HEAD}spec: {{defaults: {{front: private}}, clusters: {{a: {{sources: [10.0.0.0/8]}}}}}}",
        '/spec/clusters/a/sources: a private front cannot see "10.0.0.0/8"; use vpce-',
    ),
    (
        f"{HEAD}spec: {{tokens: {{lifetimeDays: 60}}}}",
        "/spec/tokens: rotateAfterDays 60 leaves less than 14 days of lifetimeDays 60; lower",
    ),
    (f"{HEAD}spec: {{url: https://a.example/k/x}}", "/spec/url: contains a token; remove /k/"),
    (f"{HEAD}spec: {{url: http://a.example}}", "/spec/url: http://a.example: got http"),
    (f"{HEAD}spec: {{defaults: {{failurePolicy: No}}}}", "/spec/defaults/failurePolicy: got false"),
    (f"{HEAD}spec: {{defaults: {{context: c}}}}", "/spec/defaults/context: unknown key"),
)


@pytest.mark.parametrize(("text", "message"), ERRORS)
def test_an_invalid_file_is_an_error_with_its_place(text: str, message: str) -> None:
    with pytest.raises(CommandError) as error:
        read_fleet(write(text))
    assert message in str(error.value)


SCHEMA: Any = json.loads((Path(schema.__file__).parent / "schemas/fleet.schema.json").read_text())
# What a schema cannot express, or what the schema of YAML documents does not see.
ONLY_PARSED = (
    *("unknown", "name", "id", "/sources", "context", "selector", "duplicate", "YAML"),
    *("leaves less", "/spec/url"),
)


def find_errors(text: str) -> list[str]:
    """The errors of the schema, as an editor shows them."""
    validator: Any = jsonschema.Draft202012Validator(SCHEMA)
    return [each.message for each in validator.iter_errors(yaml.load_document(text))]


def test_the_schema_accepts_the_file_of_the_page() -> None:
    page = (Path(__file__).parents[3] / "docs/fleet.md").read_text()
    text = page.partition('```yaml title="fleet.yaml"\n')[2].partition("```")[0]
    assert f"$schema={SCHEMA['$id']}" in text
    assert read_fleet(write(text)).clusters["prod-eu-001"].failure_policy == "Ignore"
    assert find_errors(text) == []
    assert find_errors(FLEET) == []


def test_the_schema_rejects_what_it_can_express() -> None:
    for text, message in ERRORS:
        if not any(each in message for each in ONLY_PARSED):
            assert find_errors(text), text
    assert find_errors(f"{HEAD}spec: {{defaults: {{injectors: [{{name: istio}}]}}}}")


@pytest.mark.parametrize("name", ["layer", "group", "cluster", "injector"])
def test_the_schema_has_the_keys_of_the_parser(name: str) -> None:
    place = {
        "layer": "defaults: {x: 1}",
        "group": "groups: {a: {x: 1}}",
        "cluster": "clusters: {a: {x: 1}}",
        "injector": "defaults: {injectors: [{revision: a, x: 1}]}",
    }[name]
    with pytest.raises(CommandError) as error:
        read_fleet(write(f"{HEAD}spec: {{{place}}}"))
    known = str(error.value).partition("supported keys: ")[2]
    assert {*known.split(", ")} == {*SCHEMA["$defs"][name]["properties"]}


def test_apply_makes_the_registry_equal_with_one_write(
    account: Account, capsys: pytest.CaptureFixture[str]
) -> None:
    for cluster in ("a", "b", "c", "old"):
        issue(cluster)
    assert fleet("adopt") == 0
    serial = account.pointer()["serial"]
    path = str(write(FLEET))
    capsys.readouterr()
    assert main(["fleet", "plan", path, *STACK]) == 1
    planned = capsys.readouterr().out
    assert "a    groups    none -> office,plain,ring-0" in planned
    assert "old  retire" in planned
    assert "d    issue" in planned
    assert account.pointer()["serial"] == serial
    assert main(["fleet", "apply", path, *STACK]) == 0
    applied = capsys.readouterr()
    assert "4 of 4 clusters changed" in applied.out
    assert "podgraft tokens issue --cluster d" in applied.err
    assert account.pointer()["serial"] == serial + 1
    callers = account.function.callers().callers
    assert callers["a"].groups == ("office", "plain", "ring-0")
    assert callers["a"].sources == ("10.0.0.0/8",)
    assert callers["old"].tokens
    # An earlier function reads the copies, which have none of the new keys.
    assert account.old_documents()["a"].tokens
    assert main(["fleet", "apply", path, *STACK]) == 0
    assert "0 of 4 clusters changed" in capsys.readouterr().out
    assert account.pointer()["serial"] == serial + 1


def test_a_stack_without_a_registry_is_not_changed(
    account: Account, capsys: pytest.CaptureFixture[str]
) -> None:
    issue("a")
    assert main(["fleet", "apply", str(write(FLEET)), *STACK]) == 2
    assert "create the registry first: podgraft fleet adopt" in capsys.readouterr().err
    assert account.names() == ["auth/a", "stack"]
