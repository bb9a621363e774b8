"""The operations of the page, on CPython: the texts are the command line's."""

import json
import subprocess
import sys
import zipfile
from base64 import b64decode
from dataclasses import asdict
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from playground_build.examples import read_examples
from podgraft.kube import yaml
from podgraft_playground import api, engine, export
from podgraft_playground.session import Session
from podgraft_playground.workspace import Input, working_directory
from podgraft_playground.yaml_lines import emit_lines
from support import playground_test_cases as test_cases

ROOT = Path(__file__).parents[2]
EXAMPLES = read_examples(ROOT)
INPUTS = [(name, pod) for name, example in EXAMPLES.items() for pod in example["pods"]]
IDS = [f"{name}/{pod}" for name, pod in INPUTS]


def make_input(name: str, own_pod: str, /, **changes: Any) -> Input:
    example = EXAMPLES[name]
    values = {
        "files": example["files"],
        "policy": example["policy"],
        "pod": example["pods"][own_pod],
    }
    return Input(**{**values, **changes})


def run_cli(folder: Path, given: Input) -> test_cases.Result:
    for name, text in given.texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return test_cases.run_explain(folder, given.arguments)


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(tmp_path / "session")


REGISTRATION = """
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: podgraft}
webhooks:
- name: podgraft.example.com
  clientConfig: {url: https://example.com/inject}
  namespaceSelector: {matchLabels: {istio-injection: enabled}}
  rules:
  - {apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}
"""
DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: example.com/web}]}
"""
ISTIO = ("istio", "web")
VARIANTS = (
    make_input(*ISTIO, options={"namespace": "test", "cluster": "unknown"}),
    make_input(*ISTIO, options={"istio-release": "1.24"}),
    make_input(*ISTIO, options={"istio-release": "7"}),
    make_input(*ISTIO, options={"cluster": "a b"}),
    make_input(*ISTIO, webhooks=REGISTRATION),
    make_input(
        *ISTIO, webhooks=REGISTRATION, options={"namespace-labels": "istio-injection=enabled"}
    ),
    make_input(*ISTIO, webhooks=REGISTRATION, options={"injector": "other"}),
    make_input(*ISTIO, webhooks="a: b"),
    make_input(*ISTIO, pod=DEPLOYMENT),
    make_input(*ISTIO, pod=f"{DEPLOYMENT}---\n{EXAMPLES['istio']['pods']['node-agent']}"),
    make_input(*ISTIO, pod=""),
    make_input(*ISTIO, pod="kind: Pod\nmetadata: ["),
    make_input(*ISTIO, pod="[1, 2]"),
    make_input(*ISTIO, policy="polic: enabled"),
    make_input(*ISTIO, policy=""),
    make_input(*ISTIO, files={"injector.yaml": "kind: Foo\n"}),
)


@pytest.mark.parametrize(
    "given",
    [*(make_input(*each) for each in INPUTS), *VARIANTS],
    ids=[*IDS, *(f"variant-{number}" for number in range(len(VARIANTS)))],
)
def test_the_texts_are_the_command_lines(session: Session, tmp_path: Path, given: Input) -> None:
    expected = run_cli(tmp_path / "cli", given)

    answer = session.review(given)

    assert answer["text"] == expected.stdout
    assert answer["errors"] == expected.stderr
    assert answer["status"] == expected.status


def test_mutating_policies_are_evaluated(session: Session) -> None:
    answer = session.review(make_input("mutating-policy", "web"))

    assert answer["status"] == 0
    for name in ("no-new-privileges", "team-defaults"):
        assert f"✓ mutation {name}, binding {name} " in str(answer["text"])
    assert "LOG_LEVEL" in json.dumps(answer["documents"])


def test_an_invalid_label_is_the_error_of_the_command_line(
    session: Session, tmp_path: Path
) -> None:
    given = make_input(*ISTIO, options={"namespace-labels": "a"})
    expected = run_cli(tmp_path / "cli", given)

    answer = session.review(given)

    assert answer["status"] == expected.status
    assert str(answer["errors"]).splitlines()[-1] == expected.stderr.splitlines()[-1]


@pytest.mark.parametrize(("name", "pod"), INPUTS, ids=IDS)
def test_rows_are_the_objects(session: Session, name: str, pod: str) -> None:
    answer: Any = session.review(make_input(name, pod))
    (document,) = answer["documents"]
    if not document["rows"]:
        return
    left, right = (
        "\n".join(row[i] for row in document["rows"] if row[i] is not None) for i in (0, 1)
    )
    example = yaml.load(EXAMPLES[name]["pods"][pod])
    assert isinstance(example, dict)
    before = yaml.load(left)
    assert isinstance(before, dict)
    assert before["spec"] == example["spec"]
    golden = ROOT / "samples" / name / f"want.{pod}.yaml"
    if golden.exists():
        after = yaml.load(right)
        expected = yaml.load(golden.read_text())
        assert isinstance(after, dict)
        assert isinstance(expected, dict)
        assert after["spec"] == expected["spec"]


def test_added_lines_name_the_template_line_that_they_come_from(session: Session) -> None:
    given = make_input(*ISTIO)
    rows: Any = session.review(given)["documents"]
    origins: Any = session.origins(given)
    (templates,) = origins["templates"]
    source = str(templates["source"]).split("\n")
    text = str(given.files[templates["file"]]).split("\n")
    lines = {
        row[1]: origins["documents"][0].get(row[3])
        for row in rows[0]["rows"]
        if row[2] != "same" and row[1] is not None
    }

    def line_of(added: str) -> str:
        number = int(lines[added][1])
        assert text[int(templates["offset"]) + number - 1].strip() == source[number - 1].strip()
        return source[number - 1].strip()

    assert line_of("  - name: istio-proxy") == "- name: istio-proxy"
    assert line_of("    - --log=warning").startswith("- --log={{")
    assert line_of('        cpu: "2"').startswith("{{- toYaml $proxy.resources.limits")
    # The injector itself sets these, so no template line is named.
    assert [lines[each] for each in lines if "sidecar.istio.io/status" in each] == [None]
    assert [lines[each] for each in lines if "ISTIO_KUBE_APP_PROBERS" in each] == [None]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"pod": "x" * 4_000_000}, "more than 3145728"),
        ({"pod": "a: \ud800"}, "surrogate"),
        ({"files": {"../x.yaml": ""}}, "rename the file"),
        ({"files": {"/etc/x.yaml": ""}}, "rename the file"),
        ({"files": {"x.txt": ""}}, "expected *.yaml"),
        ({"files": {"a.yaml": "", "a.yaml/b.yaml": ""}}, "a file and a folder"),
        ({"files": {f"{n}.yaml": "" for n in range(300)}}, "more than 200"),
        (
            {"pod": "---\napiVersion: v1\nkind: Pod\n" * 21},
            "21 objects, more than 20; leave some out",
        ),
    ],
)
def test_an_input_outside_the_limits_is_an_error(
    session: Session, changes: dict[str, Any], message: str
) -> None:
    answer = session.review(make_input(*ISTIO, **changes))

    assert message in str(answer["errors"])
    assert answer["status"] == 1


@pytest.mark.parametrize("part", ["pod", "policy", "webhooks", "files"])
def test_a_byte_order_mark_inside_of_a_document_is_not_evaluated(
    session: Session, part: str
) -> None:
    """libyaml and PyYAML's parser read it differently."""
    text = "a: 1\n\ufeffb: 2\n"
    answer = session.review(
        make_input(*ISTIO, **{part: {"x.yaml": text} if part == "files" else text})
    )

    assert answer["documents"] == []
    assert "line 2" in str(answer["notEvaluated"])


def test_a_byte_order_mark_at_the_start_is_read_as_by_the_command_line(
    session: Session, tmp_path: Path
) -> None:
    given = make_input(*ISTIO, pod="\ufeff" + EXAMPLES["istio"]["pods"]["web"])

    assert session.review(given)["text"] == run_cli(tmp_path / "cli", given).stdout


def test_a_bundle_is_compiled_again_after_a_change_only(session: Session) -> None:
    given = make_input(*ISTIO)
    session.review(given)
    (first,) = session.compiled.values()
    session.review(make_input("istio", "node-agent"))
    assert [*session.compiled.values()] == [first]

    changed = {name: f"{text}# changed\n" for name, text in given.files.items()}
    session.review(make_input(*ISTIO, files=changed))
    assert len(session.compiled) == 2


def test_the_archive_explains_itself(tmp_path: Path) -> None:
    given = make_input(*ISTIO, options={"namespace": "it's"})
    content = b64decode(str(export.make_archive(given)["zip"]))
    with zipfile.ZipFile(BytesIO(content)) as archive:
        archive.extractall(tmp_path)
    script = (tmp_path / "playground" / "explain.sh").read_text()
    path = Path(sys.executable).parent
    result = subprocess.run(
        ["sh", "explain.sh"], cwd=tmp_path / "playground", env={"PATH": f"{path}:/usr/bin:/bin"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert "podgraft explain" in script
    assert result.stdout == Session(tmp_path / "s").review(given)["text"]


@pytest.mark.parametrize(
    "given",
    [*(make_input(*each) for each in INPUTS), *VARIANTS],
    ids=[*IDS, *(f"variant-{number}" for number in range(len(VARIANTS)))],
)
def test_the_archive_is_a_test_case_that_holds(tmp_path: Path, given: Input) -> None:
    answer = api.handle(json.dumps({"do": "export", "input": asdict(given)}), str(tmp_path / "s"))
    with zipfile.ZipFile(BytesIO(b64decode(json.loads(answer)["zip"]))) as archive:
        archive.extractall(tmp_path)

    assert test_cases.find_differences(tmp_path / "playground") == []


def test_traces_are_json_for_each_writer_of_yaml(tmp_path: Path) -> None:
    """That of the browser, in Python alone, writes no tuples."""
    given = make_input(*ISTIO)
    Session(tmp_path).review(given)
    with working_directory(tmp_path):
        documents = engine.explain(given, engine.compile_input(given)).documents

    assert [each.trace["reviews"] for each in documents if each.trace["sidecars"]]
    for document in documents:
        assert document.trace == json.loads(json.dumps(document.trace))


def test_a_test_case_does_not_hold_for_another_policy(session: Session, tmp_path: Path) -> None:
    given = make_input(*ISTIO)
    document = str(session.test_case(given)["document"])
    for name, text in {**given.texts, "podgraft-test.yaml": document}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "policy.yaml").write_text(given.policy.replace("enabled", "disabled"))

    assert "exitStatus: expected 0, got 3" in test_cases.find_differences(tmp_path)


@pytest.mark.parametrize(
    "value",
    [
        {"a": "x\ny\n", "b": ["p\nq", "", {"c": "1\n\n2"}], "": ""},
        {"- x": [[1, [2]], []], "k\n": 1},
        [{"a": "line " * 40 + "\nend"}],
        "s",
        {},
        {"a": {"b": "  x\ny"}},
    ],
)
def test_lines_are_yaml_of_the_value(value: Any) -> None:
    assert yaml.load("\n".join(line.text for line in emit_lines(value)) + "\n") == value
