"""``podgraft validate``, as it is typed: ValidatingAdmissionPolicies on the objects of files."""

import io
import json
from pathlib import Path

import pytest

from podgraft import cli

SAMPLES = Path(__file__).parents[2] / "samples"
LIMITS = SAMPLES / "require-limits"
BUNDLE = ("--bundle", str(LIMITS / "bundle"))
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
    return "--bundle", str(bundle)


@pytest.mark.parametrize(
    ("files", "status", "last"),
    [
        ((GOOD,), 0, "1 allowed"),
        ((BAD,), 4, "1 denied"),
        ((GOOD, BAD), 4, "1 allowed, 1 denied"),
        (("service",), 3, "1 allowed"),
        (("service", GOOD), 0, "2 allowed"),
        ((WEB,), 4, "1 allowed, 1 denied"),  # the pod of the Deployment
    ],
)
def test_the_exit_status_is_that_of_all_objects(
    tmp_path: Path, capsys: Out, files: tuple[str, ...], status: int, last: str
) -> None:
    (tmp_path / "service.yaml").write_text(SERVICE)
    names = [str(tmp_path / "service.yaml") if each == "service" else each for each in files]
    options = [option for name in names for option in ("-f", name)]

    assert cli.main(["validate", *options, *BUNDLE]) == status
    assert capsys.readouterr().out.splitlines()[-1] == last


def test_each_message_has_its_action(capsys: Out) -> None:
    assert cli.main(["validate", "-f", BAD, *BUNDLE]) == 4
    subject, denial, warning, annotation, _ = capsys.readouterr().out.splitlines()
    assert subject == "Pod/bad in shop: denied"
    assert denial.startswith("  deny   ValidatingAdmissionPolicy 'require-limits'")
    assert warning.startswith(
        "  warn   Validation failed for ValidatingAdmissionPolicy 'pin-images'"
    )
    assert annotation == "  audit  require-limits.containers: 3"


@pytest.mark.parametrize(
    ("action", "status", "line"),
    [
        (
            "Deny",
            4,
            "  deny   ValidatingAdmissionPolicy 'rule' with binding 'rule' denied request:",
        ),
        ("Warn", 0, "  warn   Validation failed for ValidatingAdmissionPolicy 'rule'"),
        ("Audit", 0, "  audit  a rule"),
    ],
)
def test_the_action_of_the_binding_decides(
    tmp_path: Path,
    capsys: Out,
    monkeypatch: pytest.MonkeyPatch,
    action: str,
    status: int,
    line: str,
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(SERVICE))
    bundle = write_rule(tmp_path, "object.metadata.name == 'y'", action)

    assert cli.main(["validate", "-f", "-", *bundle]) == status
    assert line in capsys.readouterr().out


def test_an_object_without_a_matching_policy_is_marked(tmp_path: Path, capsys: Out) -> None:
    (tmp_path / "service.yaml").write_text(SERVICE)

    assert cli.main(["validate", "-f", str(tmp_path), *BUNDLE]) == 3
    assert capsys.readouterr().out == (
        "Service/x in default: allowed, no policy matches\n1 allowed\n"
    )


def test_the_results_as_json(capsys: Out) -> None:
    assert cli.main(["validate", "-f", BAD, "-f", GOOD, *BUNDLE, "-o", "json"]) == 4
    bad, good = json.loads(capsys.readouterr().out)
    assert (bad["verdict"], bad["object"], bad["namespace"]) == ("denied", "Pod/bad", "shop")
    assert bad["file"] == BAD
    assert bad["policies"] == [
        "pin-images, binding pin-images",
        "require-limits, binding require-limits",
    ]
    assert good["messages"] == good["warnings"] == []
    assert good["auditAnnotations"] == {"require-limits.containers": "1"}


CASES = (
    # (expression, arguments, status): the request has the operation, the user, and the old object
    ("request.operation == 'CREATE'", (), 0),
    ("request.operation == 'DELETE' && oldObject.metadata.name == 'x'", ("DELETE",), 0),
    ("object.metadata.name == oldObject.metadata.name", ("UPDATE", "--old", "old.yaml"), 0),
    ("!has(oldObject.metadata.labels)", ("UPDATE", "--old", "old.yaml"), 4),
    ("request.userInfo.username == 'amy'", ("CREATE", "--as", "amy"), 0),
    ("'ops' in request.userInfo.groups", ("CREATE", "--as", "amy", "--as-group", "ops"), 0),
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

    assert cli.main(["validate", "-f", "in.yaml", *bundle, *operation]) == status


def test_a_bundle_without_policies_is_an_error(capsys: Out) -> None:
    bundle = str(SAMPLES / "logging" / "bundle")

    assert cli.main(["validate", "-f", GOOD, "--bundle", bundle]) == 1
    assert "contains no ValidatingAdmissionPolicy" in capsys.readouterr().err
