"""What the page draws of a result: the path of the decision, the verdict, changes, and problems."""

import json
from pathlib import Path
from typing import Any

import pytest

from playground_build.examples import read_examples
from podgraft_playground.sentences import say, to_text
from podgraft_playground.session import Session
from podgraft_playground.workspace import Input

ROOT = Path(__file__).parents[2]
EXAMPLES = read_examples(ROOT)
INPUTS = [(name, pod) for name, example in EXAMPLES.items() for pod in example["pods"]]
IDS = [f"{name}/{pod}" for name, pod in INPUTS]
LABEL = "sidecar.istio.io/inject"


def make_input(name: str = "istio", own_pod: str = "web", /, **changes: Any) -> Input:
    example = EXAMPLES[name]
    values = {name: example[name] for name in ("files", "policy")}
    return Input(**{**values, "pod": example["pods"][own_pod], **changes})


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(tmp_path / "session")


def review(session: Session, given: Input) -> Any:
    """The one document of an answer."""
    answer: Any = session.review(given)
    (document,) = answer["documents"]
    return document


def replace_pod(old: str, new: str) -> Input:
    pod = EXAMPLES["istio"]["pods"]["web"]
    assert old in pod
    return make_input(pod=pod.replace(old, new))


def pod_with(**labels: str) -> Input:
    lines = "".join(f'    {LABEL}: "{value}"\n' for value in labels.values())
    return replace_pod("  labels:\n", f"  labels:\n{lines}")


@pytest.mark.parametrize(("name", "pod"), INPUTS, ids=IDS)
def test_each_place_is_a_line_that_has_what_the_step_reads(
    session: Session, name: str, pod: str
) -> None:
    given = make_input(name, pod)
    for path in review(session, given)["paths"]:
        for row in path["rows"]:
            for place in row["places"]:
                file, number = str(place["file"]), int(place["line"])
                line = given.texts[file].split("\n")[number - 1]
                assert line.strip(), (row["name"], place)
                words = {"hostNetwork": "hostNetwork", "ignoredNamespaces": "namespace"}
                words |= {key: key for key in ("policy", "neverInjectSelector")}
                words |= {"privileges": "allows"}
                assert words.get(row["name"], "") in line, (row["name"], place)


@pytest.mark.parametrize(("name", "pod"), INPUTS, ids=IDS)
def test_no_sentence_of_a_path_occurs_twice(session: Session, name: str, pod: str) -> None:
    for path in review(session, make_input(name, pod))["paths"]:
        texts = [(to_text(row["title"]), to_text(f)) for row in path["rows"] for f in row["found"]]
        assert len(texts) == len(set(texts))
        assert all(title and sentence for title, sentence in texts)


@pytest.mark.parametrize(("name", "pod"), INPUTS, ids=IDS)
def test_one_row_decides_and_the_rows_after_it_continue_its_line(
    session: Session, name: str, pod: str
) -> None:
    document = review(session, make_input(name, pod))
    states = [row["state"] for path in document["paths"] for row in path["rows"]]

    assert sum("decides" in state for state in states) == 1
    (path,) = [path for path in document["paths"] if path["isDeciding"]]
    own = [row["state"] for row in path["rows"]]
    index = next(i for i, state in enumerate(own) if "decides" in state)
    assert set(own[:index]) <= {"continues", "warns"}
    assert set(own[index + 1 :]) <= {"after", "cut", "end", "warns"}
    assert "end" in own[-1]


VERDICTS = (
    (make_input(), "Injected", "The policy is enabled, and no earlier check stops the pod."),
    (
        pod_with(a="false"),
        "Not injected",
        f'The pod opts out: its label {LABEL} is "false".',
    ),
    (pod_with(a="true"), "Injected", f'The pod opts in: its label {LABEL} is "true".'),
    (
        make_input("istio", "node-agent"),
        "Not injected",
        "The pod uses the network of its host.",
    ),
    (
        replace_pod("namespace: shop", "namespace: kube-system"),
        "Not injected",
        "The namespace kube-system is ignored.",
    ),
    (
        make_input(policy="policy: disabled\n"),
        "Not injected",
        "The policy is disabled, and the pod does not opt in.",
    ),
    (
        replace_pod("  labels:\n", "  labels:\n    batch.kubernetes.io/job-name: a\n"),
        "Not injected",
        "A neverInjectSelector matches the labels of the pod.",
    ),
    (
        make_input("require-limits", "bad"),
        "Denied",
        "The rule require-limits rejects the object: 3 of 3 validations fail.",
    ),
    (make_input("require-limits", "good"), "Unchanged", "Every rule allows the object."),
    (
        make_input("logging", "web"),
        "Injected",
        "The overlay logging matches, and changes the pod.",
    ),
    (
        make_input("appmesh", "checkout"),
        "Injected",
        "The mesh shop selects the pod, and adds its containers.",
    ),
)


@pytest.mark.parametrize(("given", "word", "reason"), VERDICTS, ids=[v[2][:24] for v in VERDICTS])
def test_the_verdict_is_one_word_and_one_sentence(
    session: Session, given: Input, word: str, reason: str
) -> None:
    verdict = review(session, given)["verdict"]

    assert (verdict["word"], to_text(verdict["reason"])) == (word, reason)


def apply_edit(given: Input, edit: Any) -> str:
    """The pod after a hint of the verdict, as the page changes its text."""
    lines = given.pod.split("\n")
    if edit["text"] is None:
        del lines[edit["line"] - 1]
    else:
        lines.insert(edit["line"], edit["text"])
    return "\n".join(lines)


@pytest.mark.parametrize(
    "given",
    [
        pod_with(a="false"),
        make_input(policy="policy: disabled\n"),
        make_input(
            policy="policy: disabled\n",
            pod="apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  containers:\n"
            "  - {name: web, image: a.example/web}\n",
        ),
        make_input("selective-injection", "web"),
    ],
    ids=["opts-out", "disabled", "without-labels", "annotation"],
)
def test_the_offered_edit_injects_the_pod(session: Session, given: Input) -> None:
    verdict = review(session, given)["verdict"]
    assert verdict["word"] == "Not injected"
    pod = apply_edit(given, verdict["hint"]["edit"])

    after = review(
        session, Input(pod=pod, files=given.files, policy=given.policy, options=given.options)
    )

    assert after["verdict"]["word"] == "Injected"


def test_a_value_of_the_pod_is_never_code_or_markup() -> None:
    assert say("`{}` is not in the list of {}", "a`b", 4) == ["", "a`b", " is not in the list of 4"]


def test_changes_are_grouped_by_what_contains_them(session: Session) -> None:
    changes = review(session, make_input())["changes"]

    titles = [(group["sign"], to_text(group["title"])) for group in changes["groups"]]
    assert titles == [
        ("~", "Container web"),
        ("+", "Init container istio-init"),
        ("+", "Container istio-proxy"),
        ("+", "6 volumes"),
        ("+", "3 labels"),
        ("~", "5 annotations"),
    ]
    assert changes["facts"] == [
        ["+", "1 init container", "istio-init"],
        ["+", "1 container", "istio-proxy"],
        ["+", "6 volumes", ""],
        ["~", "container web", "2 probes"],
    ]


@pytest.mark.parametrize(("name", "pod"), INPUTS, ids=IDS)
def test_each_changed_row_is_in_one_group(session: Session, name: str, pod: str) -> None:
    document = review(session, make_input(name, pod))
    changed = [i for i, row in enumerate(document["rows"]) if row[2] != "same"]
    grouped = [
        index
        for group in document["changes"]["groups"]
        for index in group["rows"]
        if document["rows"][index][2] != "same"
    ]

    assert sorted(grouped) == changed


PROBLEMS = (
    # input, file, line, text of the line, problem
    (
        replace_pod("  namespace: shop", "  namespace shop"),
        "pod.yaml", 6, "namespace shop", "could not find expected ':'",
    ),
    (
        make_input(policy="policy: enabled\npolicies: 1\n"),
        "policy.yaml", 2, "policies", "unknown key",
    ),
    (
        make_input(policy="policy: enabled\nallows:\n  presets:\n  - istio\n  - isto\n"),
        "policy.yaml", 5, "isto", 'got "isto"',
    ),
    (
        make_input(files={"mesh.yaml": "kind: ConfigMap\nmetadata:\n a: b\n  c: d"}),
        "bundle/mesh.yaml", 4, "c: d", "mapping values are not allowed",
    ),
    (
        make_input(webhooks="a: b\nc: ["),
        "webhooks.yaml", 3, "", "did not find expected node content",
    ),
)  # fmt: skip


@pytest.mark.parametrize(("given", "file", "line", "text", "problem"), PROBLEMS)
def test_a_problem_names_the_line_that_causes_it(
    session: Session, given: Input, file: str, line: int, text: str, problem: str
) -> None:
    answer: Any = session.review(given)
    first = answer["problems"][0]

    texts = given.texts[file].split("\n")
    assert (first["file"], first["line"]) == (file, min(line, len(texts)))
    assert text in texts[first["line"] - 1]
    assert problem in first["problem"]
    assert first["level"] == "error"


def test_a_problem_in_a_template_and_in_an_expression_has_its_line(session: Session) -> None:
    injector = EXAMPLES["istio"]["files"]["injector.yaml"].replace("{{- $", "{{{- $", 1)
    template: Any = session.review(make_input(files={"injector.yaml": injector}))["problems"]
    (name, overlay), *_ = EXAMPLES["logging"]["files"].items()
    broken = overlay.replace("expression: ", "expression: ((")
    expression: Any = session.review(make_input("logging", files={name: broken}))["problems"]

    assert "{{{" in injector.split("\n")[template[0]["line"] - 1]
    assert "((" in broken.split("\n")[expression[0]["line"] - 1]


def test_a_problem_of_a_field_names_the_field(session: Session) -> None:
    for name, value in (("cluster", "a b"), ("istio-release", "7"), ("namespace-labels", "a")):
        answer: Any = session.review(make_input(options={name: value}))
        assert answer["problems"][0]["field"] == name, json.dumps(answer["problems"])
