"""``podgraft test``, as it is typed: files in, a report and an exit status out."""

import json
import shutil
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from podgraft import cli
from podgraft.base.jsonvalue import Object
from podgraft.kube import yaml
from support.config_folder import write_folder

SAMPLES = Path(__file__).parents[3] / "samples"
Out = pytest.CaptureFixture[str]

OVERLAY = """
apiVersion: podgraft.dev/v1
kind: Overlay
metadata: {name: team}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: ["", apps], apiVersions: [v1], operations: ["*"], resources: [pods, deployments]}
  template: |
    metadata: {labels: {team: {{ index .ObjectMeta.Annotations "team" | default "none" | quote }} }}
"""
RULE = """
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: owner}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE, DELETE], resources: [pods]}
  variables:
  - {name: user, expression: "request.?userInfo.?username.orValue('')"}
  validations:
  - expression: request.operation != 'DELETE' || variables.user == 'admin'
    message: only admin deletes pods
  - expression: >-
      request.operation != 'UPDATE' ||
      object.metadata.labels.team == oldObject.metadata.labels.team
    message: the team cannot change
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: owner}
spec: {policyName: owner, validationActions: [Deny]}
"""
POD = """
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop, annotations: {team: a}}
spec: {containers: [{name: web, image: "web:1"}]}
"""
DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    metadata: {annotations: {team: b}}
    spec: {containers: [{name: web, image: "web:1"}]}
"""
HEAD = "apiVersion: podgraft.dev/v1\nkind: Test\n"


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a bundle, a policy, objects, and no tests, as the working folder."""
    files = {
        "bundle/overlay.yaml": OVERLAY,
        "bundle/rule.yaml": RULE,
        "policy.yaml": "policy: enabled\nclusters: {staging: {policy: disabled}}\n",
        "web.yaml": f"{POD}---{DEPLOYMENT}",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write_tests(folder: Path, *tests: str, head: str = "") -> None:
    lines = "".join(f"- {{name: t{number}, {test}}}\n" for number, test in enumerate(tests))
    (folder / "podgraft-test.yaml").write_text(f"{HEAD}{head}tests:\n{lines}")


WEB = "file: web.yaml, select: Pod/web"
PASSING = (
    f"{WEB}, expect: {{outcome: injected, reason: policy-enabled, warnings: []}}",
    f"{WEB}, expect: {{outcome: allowed, contains: {{metadata: {{labels: {{team: a}}}}}}}}",
    f"{WEB}, expect: {{patch: [{{op: add, path: /metadata/labels, value: {{team: a}}}}]}}",
    f"{WEB}, expect: {{pod: {{contains: {{metadata: {{labels: {{team: a}}}}}}}}}}",
    (
        f"{WEB}, clusters: [staging], routes: [inject],"
        " expect: {outcome: skipped, reason: policy-disabled}"
    ),
    f"{WEB}, clusters: [staging], expect: {{outcome: changed, reason: policy-disabled}}",
    # the Deployment is changed, and its pods are injected
    (
        "file: web.yaml, select: deployment/web, expect: {outcome: injected,"
        " contains: {metadata: {labels: {team: none}, namespace: default}},"
        " pod: {contains: {metadata: {labels: {team: b}}}}}"
    ),
    (
        "file: web.yaml, select: deployment/web, namespace: shop, expect:"
        " {contains: {metadata: {namespace: shop}}}"
    ),
    f"{WEB}, operation: DELETE, expect: {{outcome: denied, message: only admin deletes pods}}",
    f"{WEB}, operation: DELETE, user: {{username: admin}}, expect: {{outcome: allowed}}",
    (
        f"{WEB}, operation: UPDATE, oldObject: {{metadata: {{labels: {{team: x}}}}}},"
        " expect: {outcome: denied, message: the team cannot change, reason: rules}"
    ),
    f"{WEB}, subResource: resize, operation: UPDATE, expect: {{outcome: skipped}}",
)


@pytest.mark.parametrize("test", PASSING)
def test_an_expectation_that_is_met(store: Path, capsys: Out, test: str) -> None:
    write_tests(store, test)

    assert cli.main(["test"]) == 0, capsys.readouterr().out
    assert capsys.readouterr().out.endswith("1 passed, 0 failed\n")


FAILING = (
    (f"{WEB}, expect: {{outcome: skipped}}", "outcome: expected skipped, got injected, decided by"),
    (f"{WEB}, expect: {{reason: host-network}}", "reason: expected host-network, got policy-enab"),
    (f"{WEB}, expect: {{message: denied}}", 'message: expected "denied", got none'),
    (f"{WEB}, expect: {{warnings: [tag]}}", 'warnings: expected "tag", got none'),
    (f"{WEB}, expect: {{contains: {{spec: {{nodeName: a}}}}}}", "/spec/nodeName: is missing"),
    (f"{WEB}, expect: {{patch: []}}", "-[]\n      +- op: add"),
    (f"{WEB}, expect: {{responses: {{}}}}", "+  allowed: true"),
    (
        f"{WEB}, expect: {{pod: {{result: {{kind: Pod}}}}}}",
        "pod.result: differs from the test/test",
    ),
    (f"{WEB}, operation: DELETE, expect: {{outcome: allowed}}", "only admin deletes pods"),
    (
        f"{WEB}, expect: {{contains: {{metadata: {{labels: {{team: b}}}}}}}}",
        '/metadata/labels/team: expected "b", got "a"',
    ),
    (
        "file: web.yaml, select: deployment/web, operation: DELETE, expect: {pod: {patch: []}}",
        "pod: no webhook reviews a pod of the object",
    ),
    # the test itself is wrong
    ("file: none.yaml, expect: {outcome: denied}", "error: none.yaml: not found; check the path"),
    ("file: web.yaml, expect: {outcome: denied}", "set select to one of Pod/web, Deployment/web"),
    ("file: web.yaml, select: Job/a, expect: {reason: user}", "web.yaml: contains no Job/a; set"),
    (f"{WEB}, expect: {{result: none.yaml}}", "error: none.yaml: not found; check the path"),
    (f"{WEB}, releases: ['1.30'], expect: {{outcome: denied}}", "no Istio configuration"),
    (f"{WEB}, env: {{'a b': c}}, expect: {{outcome: denied}}", "--env: got the name 'a b'"),
    (f"{WEB}, webhookConfig: web.yaml, expect: {{outcome: denied}}", "with webhooks, got kind"),
)


@pytest.mark.parametrize(("test", "text"), FAILING)
def test_an_expectation_that_is_not_met(store: Path, capsys: Out, test: str, text: str) -> None:
    write_tests(store, test, f"{WEB}, expect: {{outcome: injected}}")

    assert cli.main(["test", "."]) == 1
    printed = capsys.readouterr().out
    assert text in printed
    assert printed.endswith("1 passed, 1 failed\n")


INVALID = (
    ("tests: []", "podgraft-test.yaml /tests: is missing or empty; write at least one test"),
    ("tests: [{file: a}]", "/tests/0/name: is missing; write a name, unique in the file"),
    ("tests: [{name: a, file: a, expect: {pod: {}}}]", "/expect/pod: is empty; write contains"),
    ("tests: [{name: a}]", "/tests/0/expect: is missing; write outcome: injected, changed"),
    ("tests: [{name: a, file: a, expect: {outcom: a}}]", "did you mean outcome?"),
    ("tests: [{name: a, file: a, expect: {reason: b}}]", '/expect/reason: got "b"; use '),
    ("tests: {", "invalid YAML"),
    ("policy: none.yaml\ntests: [{name: a, file: a, expect: {reason: user}}]", "is not a file"),
    ("bundle: none\ntests: [{name: a, file: a, expect: {reason: user}}]", "is not a folder"),
)


@pytest.mark.parametrize(("text", "message"), INVALID)
def test_an_invalid_test_file_is_an_error_with_its_place(
    store: Path, capsys: Out, text: str, message: str
) -> None:
    (store / "podgraft-test.yaml").write_text(HEAD + text)

    assert cli.main(["test"]) == 1
    printed = capsys.readouterr()
    assert message in printed.out + printed.err


def test_an_empty_test_file_is_an_error(store: Path, capsys: Out) -> None:
    (store / "podgraft-test.yaml").touch()

    assert cli.main(["test"]) == 1
    assert "podgraft-test.yaml: is empty; write a document of kind Test" in capsys.readouterr().err


def test_a_warning_that_no_text_expects_is_a_failure(store: Path, capsys: Out) -> None:
    rule = (store / "bundle/rule.yaml").read_text().replace("[Deny]", "[Warn]")
    (store / "bundle/rule.yaml").write_text(rule)
    write_tests(store, f"{WEB}, operation: DELETE, expect: {{warnings: []}}")

    assert cli.main(["test"]) == 1
    assert "warnings: unexpected warning: " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        ((), 1, "contains no test file; create podgraft-test.yaml"),
        (("none",), 1, "none: not found"),
        (("--output", "xml"), 2, "use text, json, junit"),
        (("--output", "junit="), 2, "use text, json, junit"),
    ],
)
def test_without_tests_the_command_fails(
    store: Path, capsys: Out, arguments: tuple[str, ...], status: int, message: str
) -> None:
    del store

    assert cli.main(["test", *arguments]) == status
    assert message in capsys.readouterr().err


def test_a_filter_selects_tests_and_must_match(store: Path, capsys: Out) -> None:
    write_tests(store, f"{WEB}, expect: {{outcome: denied}}", f"{WEB}, expect: {{warnings: []}}")

    assert cli.main(["test", "-k", "t1"]) == 0
    assert cli.main(["test", "-k", "t1", "-k", "t0", "-v"]) == 1
    assert "PASS  t1" in capsys.readouterr().out
    assert cli.main(["test", "-k", "absent"]) == 1
    assert "no test has a name with absent" in capsys.readouterr().err


def test_a_test_runs_for_each_cluster_and_release(capsys: Out, store: Path) -> None:
    shutil.copytree(SAMPLES / "istio", store / "istio")
    (store / "istio" / "policy.yaml").write_text("clusters: {a: {istioRelease: '1.29'}}\n")
    test = "file: input.web.yaml, clusters: [a, b], releases: ['1.28', '1.30'], expect: {outcome: "
    write_tests(store / "istio", f"{test}injected, result: 'want.{{release}}.{{cluster}}.yaml'}}")

    assert cli.main(["test", "istio", "--update"]) == 0
    wrote = capsys.readouterr().err
    assert "the policy has no overrides for cluster b; it has a" in wrote
    names = [f"want.{release}.{cluster}.yaml" for cluster in "ab" for release in ("1.28", "1.30")]
    assert [line.split("/")[-1] for line in wrote.splitlines() if "wrote" in line] == names
    assert cli.main(["test", "istio", "-v", "-k", "cluster a"]) == 0
    assert "t0 [cluster a, release 1.30]" in capsys.readouterr().out
    assert cli.main(["test", "istio", "-v", "--istio-release", "1.29"]) == 1  # no such file
    assert "release 1.30" not in capsys.readouterr().out


def test_a_release_of_the_command_line_is_for_bundles_of_istio(store: Path, capsys: Out) -> None:
    write_tests(store, f"{WEB}, expect: {{outcome: injected}}")
    shutil.copytree(SAMPLES / "istio", store / "istio")

    assert (
        cli.main(["test", "-v", "-k", "t0", "-k", "gets the proxy", "--istio-release", "1.29"]) == 0
    )
    printed = capsys.readouterr().out
    assert "PASS  t0\n" in printed
    assert "a pod gets the proxy [release 1.29]" in printed
    assert cli.main(["test", "istio", "--istio-release", "9.99"]) == 1
    assert "releases: Istio 9.99 is newer than all supported releases" in capsys.readouterr().out


def test_an_update_writes_only_files_that_differ(store: Path, capsys: Out) -> None:
    write_tests(store, f"{WEB}, expect: {{result: r.yaml, patch: p.json, responses: a.json}}")
    (store / "r.yaml").write_text("kind: Pod\n")

    assert cli.main(["test"]) == 1
    assert cli.main(["test", "--update"]) == 0
    assert capsys.readouterr().err == "".join(
        f"wrote {n}\n" for n in ("r.yaml", "p.json", "a.json")
    )
    assert json.loads((store / "p.json").read_text())[0]["path"] == "/metadata/labels"
    assert cli.main(["test", "--update"]) == 0
    assert capsys.readouterr().err == ""


def test_an_update_does_not_write_two_values_to_a_file(store: Path, capsys: Out) -> None:
    write_tests(
        store,
        f"{WEB}, expect: {{result: same.yaml}}",
        f"{WEB}, operation: DELETE, expect: {{result: same.yaml}}",
    )

    assert cli.main(["test", "--update"]) == 1
    assert "same.yaml: tests expect different values" in capsys.readouterr().out


def test_a_text_report_in_a_file_has_no_styles(store: Path, capsys: Out) -> None:
    write_tests(store, f"{WEB}, expect: {{warnings: []}}")

    assert cli.main(["test", "--output", "text=report.txt"]) == 0
    assert (store / "report.txt").read_text() == capsys.readouterr().out


def test_reports_for_machines(store: Path, capsys: Out) -> None:
    write_tests(
        store,
        f"{WEB}, expect: {{warnings: []}}",
        f"{WEB}, expect: {{contains: {{metadata: {{uid: '<&\\x01'}}}}}}",
        "file: none.yaml, expect: {outcome: denied}",
    )
    path = store / "podgraft-test.yaml"
    path.write_text(path.read_text().replace("'<&\\x01'", '"<&\\x01"'))

    assert cli.main(["test", "--output", "junit=report.xml", "--output", "json"]) == 1
    tests = json.loads(capsys.readouterr().out)["tests"]
    assert [(each["name"], each["passed"]) for each in tests] == [
        ("t0", True),
        ("t1", False),
        ("t2", False),
    ]
    assert tests[2]["errors"] == ["none.yaml: not found; check the path"]
    root = ET.fromstring((store / "report.xml").read_text())  # noqa: S314 - as above
    assert {key: root.attrib[key] for key in ("tests", "failures", "errors")} == {
        "tests": "3",
        "failures": "1",
        "errors": "1",
    }
    cases = root.findall("./testsuite/testcase")
    assert [case.find("failure") is not None for case in cases] == [False, True, False]
    assert '"<&' in "".join(root.itertext())


def test_another_bundle_and_policy(store: Path, capsys: Out) -> None:
    write_tests(store, f"{WEB}, expect: {{outcome: injected}}")

    assert (
        cli.main(["test", "--config", write_folder(Path("off"), "istio", "policy: disabled\n")])
        == 1
    )
    assert "got not injected, decided by policy: the policy is disabled" in capsys.readouterr().out
    assert cli.main(["test", "--config", str(SAMPLES / "require-limits" / "bundle")]) == 1
    assert "give a CPU request to web" in capsys.readouterr().out


def test_the_tests_of_a_bundle_are_in_its_folder_tests(store: Path, capsys: Out) -> None:
    """``policy check`` renders the objects there, and runs the tests."""
    tests = store / "bundle" / "tests"
    tests.mkdir()
    (tests / "web.yaml").write_text(POD)
    write_tests(tests, "file: web.yaml, expect: {outcome: injected}")

    assert cli.main(["test", "bundle"]) == 0
    assert cli.main(["policy", "check", "."]) == 0
    assert "2 warnings" not in capsys.readouterr().out
    write_tests(
        tests, "file: web.yaml, expect: {outcome: skipped}", "file: a, expect: {reason: user}"
    )
    assert cli.main(["policy", "check", "."]) == 1
    remedy = "run podgraft test bundle/tests/podgraft-test.yaml for the differences"
    decider = "overlay team: matches, and changes the object"
    outcome = f"outcome: expected skipped, got injected, decided by {decider}"
    missing = "bundle/tests/a: not found; check the path"
    assert capsys.readouterr().err.splitlines()[-2:] == [
        f'error: tests/podgraft-test.yaml: test "{name}" fails: {problem}; {remedy}'
        for name, problem in (("t0", outcome), ("t1", missing))
    ]
    write_tests(tests, "file: web.yaml, expect: {outcom: skipped}")
    assert cli.main(["policy", "check", "."]) == 1
    assert "tests/podgraft-test.yaml: /tests/0/expect/outcom: unknown key; did you mean" in (
        capsys.readouterr().err
    )
    write_tests(tests, "file: web.yaml, expect: {outcome: injected}")
    (tests / "podgraft-test.yaml").rename(store / "bundle" / "podgraft-test.yaml")
    assert cli.main(["policy", "check", "."]) == 1  # only tests/ can contain them
    assert "unsupported Test of podgraft.dev/v1" in capsys.readouterr().err


def test_a_cluster_with_another_bundle_is_tested_with_its_files(store: Path, capsys: Out) -> None:
    digests = (f"sha256:{'0f' * 32}", f"sha256:{'1f' * 32}")
    (store / "policy.yaml").write_text(
        f"bundle: {digests[0]}\nclusters: {{staging: {{bundle: '{digests[1]}'}}}}\n"
    )
    write_tests(store, f"{WEB}, clusters: [staging], expect: {{outcome: injected}}")

    assert cli.main(["test"]) == 1
    assert "/clusters/staging/bundle: names another bundle" in capsys.readouterr().out


def test_the_registration_of_a_cluster_is_part_of_a_test(store: Path, capsys: Out) -> None:
    webhook: Object = {
        "name": "a.podgraft.dev",
        "clientConfig": {"url": "https://a.example/inject"},
        "rules": [
            {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["*"], "resources": ["pods"]}
        ],
        "namespaceSelector": {"matchLabels": {"inject": "yes"}},
    }
    registration: Object = {"kind": "MutatingWebhookConfiguration", "webhooks": [webhook]}
    (store / "webhooks.yaml").write_text(yaml.dump(registration))
    write_tests(
        store,
        f"{WEB}, expect: {{outcome: skipped}}",
        f"{WEB}, namespaceLabels: {{inject: 'yes'}}, expect: {{outcome: injected}}",
        head="webhookConfig: webhooks.yaml\n",
    )

    assert cli.main(["test"]) == 0, capsys.readouterr().out
