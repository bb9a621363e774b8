"""``podgraft explain`` with ValidatingAdmissionPolicies: JSON, SARIF, and the exit status."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from podgraft import cli

SAMPLES = Path(__file__).parents[3] / "samples"
LIMITS = SAMPLES / "require-limits"
BUNDLE = ("--config", str(LIMITS))
GOOD, BAD = str(LIMITS / "input.good.yaml"), str(LIMITS / "input.bad.yaml")
WEB = str(SAMPLES / "allow" / "input.web.yaml")
SERVICE = "kind: Service\napiVersion: v1\nmetadata: {name: x}\n"
RULES = """
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: NAME}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: [services]}
  validations: [EXPRESSION]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: NAME}
spec: {policyName: NAME, validationActions: [ACTION]}
"""

Out = pytest.CaptureFixture[str]


def write_rule(folder: Path, expression: str, action: str) -> tuple[str, ...]:
    bundle = folder / "bundle"
    bundle.mkdir()
    text = RULES.replace("NAME", "rule").replace("ACTION", action)
    validation = f'{{expression: "{expression}", message: a rule}}'
    (bundle / "rule.yaml").write_text(text.replace("EXPRESSION", validation))
    return "--config", str(bundle)


def explain(capsys: Out, *arguments: str) -> tuple[int, list[Any]]:
    """The status, and the result of each object and pod."""
    status = cli.main(["explain", *arguments, "-o", "json"])
    printed: Any = json.loads(capsys.readouterr().out)
    if isinstance(printed, dict):
        printed = [printed]
    return status, [each for document in printed for each in document["objects"]]


@pytest.mark.parametrize(
    ("files", "status", "verdicts"),
    [
        ((GOOD,), 3, ["skipped"]),
        ((BAD,), 4, ["denied"]),
        ((GOOD, BAD), 4, ["skipped", "denied"]),
        (("service",), 3, ["skipped"]),
        (("service", GOOD), 3, ["skipped", "skipped"]),
        ((WEB,), 4, ["skipped", "denied"]),  # the pod of the Deployment
    ],
)
def test_the_exit_status_is_that_of_all_objects(
    tmp_path: Path, capsys: Out, files: tuple[str, ...], status: int, verdicts: list[str]
) -> None:
    (tmp_path / "service.yaml").write_text(SERVICE)
    names = [str(tmp_path / "service.yaml") if each == "service" else each for each in files]
    options = [option for name in names for option in ("-f", name)]

    found, objects = explain(capsys, *options, *BUNDLE)
    assert (found, [each["verdict"] for each in objects]) == (status, verdicts)


def test_each_message_has_its_action(capsys: Out) -> None:
    _, (bad,) = explain(capsys, "-f", BAD, *BUNDLE)
    (denial,), (warning,) = bad["messages"], bad["warnings"]
    assert denial.startswith("ValidatingAdmissionPolicy 'require-limits'")
    assert warning.startswith("Validation failed for ValidatingAdmissionPolicy 'pin-images'")
    assert bad["audit"] == {"require-limits.containers": "3"}


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        ("Deny", (4, "messages", "ValidatingAdmissionPolicy 'rule' with binding 'rule' denied")),
        ("Warn", (3, "warnings", "Validation failed for ValidatingAdmissionPolicy 'rule'")),
        ("Audit", (3, "auditFailures", "a rule")),
    ],
)
def test_the_action_of_the_binding_decides(
    tmp_path: Path,
    capsys: Out,
    monkeypatch: pytest.MonkeyPatch,
    action: str,
    expected: tuple[int, str, str],
) -> None:
    status, key, text = expected
    monkeypatch.setattr("sys.stdin", io.StringIO(SERVICE))
    bundle = write_rule(tmp_path, "object.metadata.name == 'y'", action)

    found, (service,) = explain(capsys, "-f", "-", *bundle)
    assert found == status
    assert service[key][0].startswith(text)


def test_the_results_name_the_rules_that_apply(tmp_path: Path, capsys: Out) -> None:
    (tmp_path / "service.yaml").write_text(SERVICE)

    _, (bad, good, service) = explain(
        capsys, "-f", BAD, "-f", GOOD, "-f", str(tmp_path / "service.yaml"), *BUNDLE
    )
    assert (bad["object"], bad["namespace"], bad["file"]) == ("Pod/bad", "shop", BAD)
    assert bad["rules"] == [
        "pin-images, binding pin-images",
        "require-limits, binding require-limits",
    ]
    assert good["messages"] == good["warnings"] == service["rules"] == []


def test_findings_are_valid_sarif_with_the_line_of_the_object(tmp_path: Path, capsys: Out) -> None:
    path = tmp_path / "the input.yaml"
    path.write_text(f"{SERVICE}---\n{Path(BAD).read_text()}")

    assert cli.main(["explain", "-f", str(path), *BUNDLE, "-o", "sarif"]) == 4
    log = json.loads(capsys.readouterr().out)
    (run,) = log["runs"]
    assert (log["version"], run["tool"]["driver"]["name"]) == ("2.1.0", "podgraft")
    denial, warning = run["results"]
    assert (denial["level"], warning["level"]) == ("error", "warning")
    assert "denied request" in denial["message"]["text"]
    for result in run["results"]:
        assert result["ruleId"] in {rule["id"] for rule in run["tool"]["driver"]["rules"]}
        (place,) = result["locations"]
        assert place["physicalLocation"]["artifactLocation"]["uri"] == path.as_posix().replace(
            " ", "%20"
        )
        assert place["physicalLocation"]["region"]["startLine"] == 5


CASES = (
    # (expression, arguments, status): the request has the operation, the user, and the old object
    ("request.operation == 'CREATE'", (), 3),
    ("request.operation == 'DELETE' && oldObject.metadata.name == 'x'", ("DELETE",), 3),
    ("object.metadata.name == oldObject.metadata.name", ("UPDATE", "--old", "old.yaml"), 3),
    ("!has(oldObject.metadata.labels)", ("UPDATE", "--old", "old.yaml"), 4),
    ("request.userInfo.username == 'amy'", ("CREATE", "--as", "amy"), 3),
    ("'ops' in request.userInfo.groups", ("CREATE", "--as", "amy", "--as-group", "ops"), 3),
    ("'ops' in request.userInfo.groups", ("CREATE", "--as", "amy"), 4),
    ("true", ("UPDATE",), 2),
    ("true", ("CREATE", "--old", "old.yaml"), 2),
    ("true", ("CREATE", "--as-group", "ops"), 2),
    ("true", ("UPDATE", "--old", "other.yaml"), 1),
    ("true", ("UPDATE", "--old", "-", "-f", "-"), 2),
)


@pytest.mark.parametrize(("expression", "arguments", "status"), CASES)
def test_the_request_has_an_operation_a_user_and_an_old_object(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    expression: str,
    arguments: tuple[str, ...],
    status: int,
) -> None:
    monkeypatch.chdir(tmp_path)
    bundle = write_rule(tmp_path, expression, "Deny")
    Path("in.yaml").write_text(SERVICE)
    Path("old.yaml").write_text(SERVICE.replace("{name: x}", "{name: x, labels: {a: b}}"))
    Path("other.yaml").write_text(SERVICE.replace("name: x", "name: other"))
    operation = ("--operation", *arguments) if arguments else ()

    assert cli.main(["explain", "-f", "in.yaml", *bundle, *operation]) == status
