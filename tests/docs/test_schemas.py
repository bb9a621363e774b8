"""The published schemas and our own readers agree on what is a good document."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from podgraft.base.jsonvalue import JSON, Object
from podgraft.cli.test.document import OUTCOMES, REASONS, parse_document
from podgraft.core import policy
from podgraft.core.injectors.overlay import overlay
from podgraft.core.policy import Cursor, Diagnostics, PolicyError
from podgraft.kube import yaml

ROOT = Path(__file__).parents[2]
SCHEMAS = ROOT / "docs" / "schemas"


class Schema:
    """A published schema; jsonschema's own types are only partly known."""

    def __init__(self, name: str) -> None:
        schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text())
        Draft202012Validator.check_schema(schema)
        self._validator: Any = Draft202012Validator(schema)

    def find_errors(self, document: JSON) -> list[str]:
        """What it finds wrong with a document."""
        return [str(error.message) for error in self._validator.iter_errors(document)]


POLICY = Schema("policy")
OVERLAY = Schema("overlay")
TEST = Schema("test")

GOOD_POLICIES = (
    "",
    "policy: enabled",
    "policy: disabled\nbundle: null",
    f"bundle: sha256:{'0f' * 32}",
    "neverInjectSelector: []",
    "neverInjectSelector: [{matchLabels: {app: web}}]",
    "alwaysInjectSelector: [{matchExpressions: [{key: a/b, operator: Exists}]}]",
    "alwaysInjectSelector: [{matchExpressions: [{key: a, operator: NotIn, values: [x, z]}]}]",
    "ignoredNamespaces: [kube-system]",
    "defaultTemplates: [sidecar, gateway]",
    "injectedAnnotations: {a/b: c}",
    "injectValues: strict",
    "revision: canary",
    'istioRelease: "1.30"',
    "istioRelease: 1.30.3",
    "istioRelease: 1.28.6-distroless",
    "istioRelease: 1.31.0-rc.0",
    "istioRelease: HEAD",
    "features: {nativeSidecars: true, platform: openshift, compliancePolicy: fips-140-3}",
    "features: {legacyFSGroupInjection: false, rewriteTCPProbes: true, env: {A: b}}",
    "clusters: {staging: {policy: disabled}, prod: null}",
    "clusters: {staging: {features: {env: {A: b}}}}",
    "allows: {}",
    "allows: {presets: [istio], capabilities: {a: [NET_ADMIN], '*': [ALL]}, privileged: null}",
    "allows: {runAsRoot: [a], hostPath: [/a/b], hostPorts: [1], hostNamespaces: [hostUsers]}",
    "allows: {sysctls: [net.core.somaxconn], serviceAccounts: [a.b]}",
    "allows: {registries: [docker.io/istio, 'localhost:5000', localhost/a, r.io/a/b:1]}",
    "clusters: {staging: {allows: {procMount: [a], seccompUnconfined: []}}}",
    "rollout: null",
    "rollout: {id: a, mode: shadow, candidate: {policy: enabled}}",
    (
        "rollout: {id: 1.a-b, mode: share, share: 0.29, clusters: {dev: 100, a: null}, "
        "by: namespace, candidate: {features: {platform: ''}}, "
        "needs: {reviews: 1, minutes: null}, reason: a b}"
    ),
)
BAD_POLICIES = (
    "[]",
    "policy: enable",
    "policy: true",
    "bundle: sha256:00",
    "bundle: 5",
    "neverInjectSelector: {}",
    "neverInjectSelector: [app]",
    "neverInjectSelector: [{matchLabels: {app: [a]}}]",
    "neverInjectSelector: [{matchLabels: {'a b': c}}]",
    "neverInjectSelector: [{matchLabels: {a: 'b c'}}]",
    "neverInjectSelector: [{matchExpressions: [{key: a, operator: Is}]}]",
    "neverInjectSelector: [{matchExpressions: [{key: a, operator: In, values: []}]}]",
    "neverInjectSelector: [{matchExpressions: [{key: a, operator: Exists, values: [b]}]}]",
    "ignoredNamespaces: kube-system",
    "ignoredNamespaces: [1]",
    "defaultTemplates: {a: b}",
    "injectedAnnotations: {a: true}",
    "injectValues: 'true'",
    "revision: 1",
    "istioRelease: 1.30",
    'istioRelease: "1"',
    'istioRelease: "1.30."',
    "istioRelease: latest",
    "features: {nativeSidecars: 'yes'}",
    "features: {native: true}",
    "features: {env: [A]}",
    "clusters: [staging]",
    "clusters: {staging: {policy: maybe}}",
    "clusters: {staging: {clusters: {}}}",
    "polcy: enabled",
    "allows: istio",
    "allows: {privilged: []}",
    "allows: {presets: [linkerd]}",
    "allows: {privileged: [A]}",
    "allows: {capabilities: {a: [CAP_NET_ADMIN]}}",
    "allows: {capabilities: {A: [ALL]}}",
    "allows: {hostPath: [a]}",
    "allows: {hostPath: [/a/..]}",
    "allows: {hostPorts: [0]}",
    "allows: {hostPorts: ['1']}",
    "allows: {hostNamespaces: [hostNet]}",
    "allows: {sysctls: [a b]}",
    "allows: {serviceAccounts: [A]}",
    "allows: {registries: [istio/proxyv2]}",
    "allows: {registries: ['https://r.io']}",
    "rollout: []",
    "rollout: {}",
    "rollout: {mode: share, candidate: {policy: enabled}}",
    "rollout: {id: A, mode: share, candidate: {policy: enabled}}",
    "rollout: {id: a, mode: canary, candidate: {policy: enabled}}",
    "rollout: {id: a, mode: share, candidate: {}}",
    "rollout: {id: a, mode: share, candidate: {clusters: {}}}",
    "rollout: {id: a, mode: share, candidate: {bundle: a}}",
    "rollout: {id: a, mode: share, share: 101, candidate: {policy: enabled}}",
    "rollout: {id: a, mode: share, clusters: {a: b}, candidate: {policy: enabled}}",
    "rollout: {id: a, mode: share, needs: {reviews: -1}, candidate: {policy: enabled}}",
    "rollout: {id: a, mode: share, needs: {owners: 1}, candidate: {policy: enabled}}",
    "rollout: {id: a, mode: share, by: pod, candidate: {policy: enabled}}",
    "clusters: {staging: {rollout: null}}",
)

RULE = "{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}"
SPEC = f"matchConstraints: {{resourceRules: [{RULE}]}}\ntemplate: 'spec: {{}}'\n"
GOOD_SPECS = (
    SPEC,
    "matchConstraints: {}\ntemplate: a",
    SPEC + "values: {a: {b: [c]}}",
    SPEC + "matchConditions: [{name: a, expression: 'true'}]",
    SPEC + "matchConditions: [{expression: 'true'}]",
    f"template: a\nmatchConstraints: {{excludeResourceRules: [{RULE}], matchPolicy: Exact}}",
    "template: a\nmatchConstraints: {objectSelector: {matchLabels: {a: b}}, namespaceSelector: {}}",
    f"template: a\nmatchConstraints: {{resourceRules: [{RULE[:-1]}, scope: Namespaced}}]}}",
    f"template: a\nmatchConstraints: {{resourceRules: [{RULE[:-1]}, resourceNames: [a]}}]}}",
)
BAD_SPECS = (
    "{}",
    "template: a",
    "matchConstraints: {}",
    "matchConstraints: []\ntemplate: a",
    SPEC + "values: []",
    SPEC + "matchConditions: [{name: a}]",
    SPEC + "matchConditions: [{name: 1, expression: 'true'}]",
    SPEC + "matchConditions: {}",
    SPEC + "when: now",
    "matchConstraints: {}\ntemplate: {a: b}",
    "template: a\nmatchConstraints: {resourceRules: [{}]}",
    "template: a\nmatchConstraints: {resourceRules: {}}",
    f"template: a\nmatchConstraints: {{resourceRules: [{RULE[:-1]}, scope: Pod}}]}}",
    f"template: a\nmatchConstraints: {{resourceRules: [{RULE.replace('CREATE', 'WRITE')}]}}",
    f"template: a\nmatchConstraints: {{resourceRules: [{RULE.replace('[pods]', '[]')}]}}",
    f"template: a\nmatchConstraints: {{resourceRules: [{RULE[:-1]}, kinds: [Pod]}}]}}",
    "template: a\nmatchConstraints: {matchPolicy: Close}",
    "template: a\nmatchConstraints: {objectSelector: [a]}",
    "template: a\nmatchConstraints: {objectSelector: {matchLabels: {a: 1}}}",
)


def is_valid_policy(text: str) -> bool:
    """Whether ``policy check`` finds nothing wrong with a policy document."""
    try:
        found = policy.parse(text)
    except PolicyError:
        return False
    return not (found.warnings or found.rollout_errors)


@pytest.mark.parametrize("text", GOOD_POLICIES)
def test_a_good_policy_pleases_schema_and_reader(text: str) -> None:
    assert POLICY.find_errors(yaml.load(text)) == []
    assert is_valid_policy(text)


@pytest.mark.parametrize("text", BAD_POLICIES)
def test_a_bad_policy_pleases_neither(text: str) -> None:
    assert POLICY.find_errors(yaml.load(text))
    assert not is_valid_policy(text)


def manifest(spec: str) -> JSON:
    found: Object = {
        "apiVersion": "podgraft.dev/v1",
        "kind": "Overlay",
        "metadata": {"name": "a"},
        "spec": yaml.load(spec),
    }
    return found


def find_overlay_errors(spec: str) -> list[str]:
    notes = Diagnostics()
    overlay.parse_overlay(Cursor(yaml.load(spec), "/spec", notes), "a")
    return [str(fault) for fault in notes.errors]


@pytest.mark.parametrize("spec", GOOD_SPECS)
def test_a_good_overlay_pleases_schema_and_reader(spec: str) -> None:
    assert OVERLAY.find_errors(manifest(spec)) == []
    assert find_overlay_errors(spec) == []


@pytest.mark.parametrize("spec", BAD_SPECS)
def test_a_bad_overlay_pleases_neither(spec: str) -> None:
    assert OVERLAY.find_errors(manifest(spec))
    assert find_overlay_errors(spec)


GOOD_TESTS = (
    "{name: a, file: a.yaml, expect: {outcome: injected}}",
    "{name: a, file: a.yaml, select: Pod/web, expect: {outcome: not reviewed}, object: null}",
    "{name: a, object: {kind: Pod}, expect: {outcome: null, reason: inject-false}}",
    "{name: a, object: {kind: Pod}, file: null, expect: {warnings: []}}",
    "{name: a, file: a, expect: {message: m, contains: {a: null}, patch: [], responses: r.json}}",
    "{name: a, file: a, expect: {pod: {patch: p.yaml}}, clusters: [a], releases: ['1.30']}",
    "{name: a, file: a, expect: {outcome: failed}, routes: [inject, validate]}",
    "{name: a, file: a, expect: {pod: null, result: r.yaml}, env: {A: b}, network: net1}",
    (
        "{name: a, file: a, oldObject: b.yaml, operation: UPDATE, user: {username: u}, expect:"
        " {outcome: allowed}, dryRun: true, subResource: resize}"
    ),
    (
        "{name: a, file: a, namespace: shop, namespaceLabels: {a: b}, webhookConfig: w.yaml,"
        " injector: istio, istioClusterId: c, expect: {outcome: denied}}"
    ),
)
BAD_TESTS = (
    "{}",
    "[]",
    "{name: a, file: a}",
    "{file: a, expect: {outcome: denied}}",
    "{name: a, expect: {outcome: denied}}",
    "{name: a, file: a, expect: {}}",
    "{name: a, file: a, expect: {outcome: null}}",
    "{name: a, file: a, expect: {outcome: inject}}",
    "{name: a, file: a, expect: {reason: hostnetwork}}",
    "{name: a, file: a, expect: {pod: {}}}",
    "{name: a, file: a, expect: {patch: {}}}",
    "{name: a, file: a, expect: {result: [], outcome: denied}}",
    "{name: a, file: a, expect: {warnings: w}}",
    "{name: a, file: a, expect: {outcom: denied, reason: user}}",
    "{name: a, file: a, object: {kind: Pod}, expect: {outcome: denied}}",
    "{name: a, object: {kind: Pod}, select: Pod/a, expect: {outcome: denied}}",
    "{name: a, object: {}, expect: {outcome: denied}}",
    "{name: a, file: a, select: web, expect: {outcome: denied}}",
    "{name: a, file: a, operation: PATCH, expect: {outcome: denied}}",
    "{name: a, file: a, releases: [1.30], expect: {outcome: denied}}",
    "{name: a, file: a, dryRun: 'yes', expect: {outcome: denied}}",
    "{name: a, file: a, routes: [], expect: {outcome: denied}}",
    "{name: a, file: a, routes: [ping], expect: {outcome: denied}}",
    "{name: 1, file: a, expect: {outcome: denied}}",
    "{name: a, file: a, cluster: a, expect: {outcome: denied}}",
)
GOOD_TEST = "{name: a, file: a.yaml, expect: {outcome: injected}}"
HEAD = "apiVersion: podgraft.dev/v1\nkind: Test\n"
GOOD_FILES = (
    f"{HEAD}tests: [{GOOD_TEST}]",
    f"{HEAD}metadata: {{name: a}}\nbundle: b\npolicy: p.yaml\nnamespace: a\ntests: [{GOOD_TEST}]",
    f"{HEAD}clusters: null\nreleases: []\nenv: {{A: null}}\ntests: [{GOOD_TEST}]",
)
BAD_FILES = (
    "",
    HEAD,
    f"{HEAD}tests: []",
    f"{HEAD}tests: {GOOD_TEST}",
    f"kind: Test\ntests: [{GOOD_TEST}]",
    f"apiVersion: v1\nkind: Test\ntests: [{GOOD_TEST}]",
    f"{HEAD}bundle: ''\ntests: [{GOOD_TEST}]",
    f"{HEAD}metadata: a\ntests: [{GOOD_TEST}]",
    f"{HEAD}expect: {{}}\ntests: [{GOOD_TEST}]",
)


def find_test_errors(document: JSON) -> list[str]:
    notes = Diagnostics()
    parse_document(Cursor(document, "", notes), Path("podgraft-test.yaml"))
    return [str(fault) for fault in notes.errors]


@pytest.mark.parametrize("text", [*GOOD_FILES, *(f"{HEAD}tests: [{test}]" for test in GOOD_TESTS)])
def test_a_good_test_file_pleases_schema_and_reader(text: str) -> None:
    assert TEST.find_errors(yaml.load(text)) == []
    assert find_test_errors(yaml.load(text)) == []


@pytest.mark.parametrize("text", [*BAD_FILES, *(f"{HEAD}tests: [{test}]" for test in BAD_TESTS)])
def test_a_bad_test_file_pleases_neither(text: str) -> None:
    assert TEST.find_errors(yaml.load(text))
    assert find_test_errors(yaml.load(text))


def test_the_schema_of_tests_has_all_outcomes_and_reasons() -> None:
    schema = json.loads((SCHEMAS / "test.schema.json").read_text())
    properties = schema["$defs"]["expect"]["properties"]

    assert properties["outcome"]["enum"] == [*OUTCOMES, None]
    assert properties["reason"]["enum"] == [*REASONS, None]


@pytest.mark.parametrize("path", sorted(ROOT.glob("samples/**/*.yaml")), ids=str)
def test_samples_name_the_schema_that_they_keep(path: Path) -> None:
    """So that an editor with the YAML language server completes them."""
    text = path.read_text()
    for document in yaml.load_all(text):
        if isinstance(document, dict) and document.get("kind") == "Overlay":
            assert OVERLAY.find_errors(document) == []
            assert (
                "yaml-language-server: $schema=https://podgraft.dev/schemas/overlay.schema.json"
                in text
            )
    if path.name == "podgraft-test.yaml":
        assert TEST.find_errors(yaml.load(text)) == []
        address = "https://podgraft.dev/schemas/test.schema.json"
        assert f"yaml-language-server: $schema={address}" in text
    if path.name == "policy.yaml" and path.parent.parent.name == "samples":
        assert POLICY.find_errors(yaml.load(text)) == []
        assert (
            "yaml-language-server: $schema=https://podgraft.dev/schemas/policy.schema.json" in text
        )
