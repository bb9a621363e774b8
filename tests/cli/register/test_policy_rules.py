"""``podgraft register FOLDER``: the webhook that the mutating policies of a bundle need."""

from pathlib import Path
from typing import Any

import pytest

from podgraft.cli import main
from podgraft.kube import yaml

SAMPLES = Path(__file__).parents[3] / "samples"
Capture = pytest.CaptureFixture[str]
RULE = "{apiGroups: [%s], apiVersions: [v1], operations: [%s], resources: [%s]}"
MUTATION = "{patchType: ApplyConfiguration, applyConfiguration: {expression: 'Object{}'}}"


def policy(name: str, rule: str, conditions: str = "[]", reinvocation: str = "Never") -> str:
    return f"""
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {{name: {name}}}
spec:
  matchConstraints: {{resourceRules: [{rule}]}}
  matchConditions: {conditions}
  reinvocationPolicy: {reinvocation}
  mutations: [{MUTATION}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {{name: {name}}}
spec: {{policyName: {name}}}
---
"""


def register(folder: Path, capsys: Capture, *documents: str) -> Any:
    """The webhook for /mutate."""
    (folder / "bundle").mkdir()
    (folder / "bundle" / "policies.yaml").write_text("".join(documents))
    command = ["register", "--url", "https://example.com", "--no-inject", "--all-namespaces"]
    assert main([*command, str(folder)]) == 0
    configuration: Any = yaml.load_document(capsys.readouterr().out)
    (webhook,) = configuration["webhooks"]
    return webhook


def test_the_rules_are_those_of_all_policies(tmp_path: Path, capsys: Capture) -> None:
    webhook = register(
        tmp_path,
        capsys,
        policy("a", RULE % ("apps", "CREATE", "deployments, statefulsets")),
        policy("b", RULE % ("apps", "UPDATE", "deployments")),
    )
    assert [(rule["resources"], rule["operations"]) for rule in webhook["rules"]] == [
        (["deployments"], ["CREATE", "UPDATE"]),
        (["statefulsets"], ["CREATE"]),
    ]
    assert "matchConditions" not in webhook


def test_the_condition_is_true_if_one_policy_matches(tmp_path: Path, capsys: Capture) -> None:
    webhook = register(
        tmp_path,
        capsys,
        policy("a", RULE % ("apps", "CREATE", "deployments"), "[{name: x, expression: 'true'}]"),
        policy(
            "b",
            RULE % ("apps", "CREATE", "deployments"),
            "[{name: spec, expression: has(object.spec)}, {name: dry, expression: request.dryRun}]",
        ),
    )
    expression = "((true)) || ((has(object.spec)) && (request.dryRun))"
    assert webhook["matchConditions"] == [{"name": "podgraft-policies", "expression": expression}]


def test_a_condition_that_reads_the_namespace_stays_with_podgraft(
    tmp_path: Path, capsys: Capture
) -> None:
    condition = "[{name: x, expression: namespaceObject == null}]"
    webhook = register(
        tmp_path, capsys, policy("a", RULE % ("apps", "CREATE", "deployments"), condition)
    )
    assert "matchConditions" not in webhook


@pytest.mark.parametrize("reinvocation", ["Never", "IfNeeded"])
def test_a_reinvoked_policy_needs_a_reinvoked_webhook(
    tmp_path: Path, capsys: Capture, reinvocation: str
) -> None:
    document = policy("a", RULE % ("apps", "CREATE", "deployments"), "[]", reinvocation)
    assert register(tmp_path, capsys, document)["reinvocationPolicy"] == reinvocation


def test_a_policy_without_a_binding_needs_no_webhook(tmp_path: Path, capsys: Capture) -> None:
    bound = policy("a", RULE % ("apps", "CREATE", "deployments"))
    unbound, _, _ = policy("b", RULE % ("apps", "CREATE", "statefulsets")).partition("---")
    webhook = register(tmp_path, capsys, bound, f"{unbound}---\n")
    assert [rule["resources"] for rule in webhook["rules"]] == [["deployments"]]


def test_the_policies_of_the_cluster_need_no_rule(tmp_path: Path, capsys: Capture) -> None:
    texts = [policy(name, RULE % ('""', "CREATE", f"{name}s")) for name in ("pod", "secret")]
    (tmp_path / "bundle").mkdir()
    (tmp_path / "bundle" / "policies.yaml").write_text("".join(texts))
    command = ["register", "--url", "https://example.com", "--no-inject", "--all-namespaces"]
    command += [str(tmp_path)]
    export = ["policy", "export", "--native", "--kubernetes", "1.36", "-o", str(tmp_path / "all")]
    assert main([*export, "--config", str(tmp_path / "bundle")]) == 0
    (tmp_path / "secret.yaml").write_text(texts[1])
    unbound = texts[1].split("---")[0]
    (tmp_path / "unbound.yaml").write_text(unbound)
    capsys.readouterr()

    assert main([*command, "--native", str(tmp_path / "secret.yaml")]) == 0
    printed = capsys.readouterr()
    configuration: Any = yaml.load_document(printed.out)
    assert [rule["resources"] for rule in configuration["webhooks"][0]["rules"]] == [["pods"]]
    assert "remove secret from the bundle of this cluster" in printed.err
    assert main([*command, "--native", str(tmp_path / "all")]) == 1
    assert "kubectl delete mutatingwebhookconfiguration podgraft" in capsys.readouterr().err
    assert main([*command, "--native", str(tmp_path / "unbound.yaml")]) == 1
    assert "with a binding; export the bundle again" in capsys.readouterr().err
    assert main([*command[:-1], "--native", str(tmp_path / "all")]) == 1
    assert "add FOLDER" in capsys.readouterr().err


def test_exported_overlays_have_no_rule(tmp_path: Path, capsys: Capture) -> None:
    hello, native = str(SAMPLES / "hello"), str(tmp_path / "native")
    export = ["policy", "export", "--native", "--kubernetes", "1.36", "-o", native]
    assert main([*export, "--config", hello]) == 0
    capsys.readouterr()
    register = ["register", "--url", "https://example.com", "--all-namespaces"]
    assert main([*register, hello, "--native", native]) == 1
    message = "overlays have no rules; leave out --native, and remove the exported overlays"
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("https://example.com/a.yaml", "pipe it to --native -"),
        ("a.yaml,b.yaml", "use --native once for each file"),
    ],
)
def test_native_is_a_file(value: str, message: str, capsys: Capture) -> None:
    assert main(["register", "--native", value]) == 2
    assert message in " ".join(capsys.readouterr().err.split())
