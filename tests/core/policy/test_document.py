"""The policy document: what it may say, and every way it can be wrong, all at once."""

from dataclasses import dataclass

import pytest

from podgraft.core import policy
from podgraft.core.policy import Features, InjectionRules, InjectValueSyntax, Policy

DIGEST = "sha256:" + "9f2c" * 16
WHOLE = f"""
bundle: {DIGEST}
policy: enabled
neverInjectSelector:
  - matchLabels: {{sidecar/label: notinject}}
  - matchExpressions: [{{key: sidecar/notinject, operator: Exists}}]
alwaysInjectSelector: []
ignoredNamespaces: [kube-system, shop]
defaultTemplates: [sidecar, spire]
injectedAnnotations: {{example.com/by: podgraft}}
injectValues: strict
revision: canary
istioRelease: "1.30"
features:
  nativeSidecars: true
  platform: openshift
  compliancePolicy: fips-140-3
  legacyFSGroupInjection: false
  rewriteTCPProbes: true
  env: {{PILOT_X: "1"}}
clusters:
  staging:
    policy: disabled
    ignoredNamespaces:
    features: {{platform: ""}}
"""


def test_every_key_is_read() -> None:
    read = policy.parse(WHOLE)
    assert read.never is not None
    assert [selector.matches({"sidecar/notinject": ""}) for selector in read.never] == [False, True]
    assert read == Policy(
        bundle=DIGEST,
        policy="enabled",
        never=read.never,
        always=(),
        ignored_namespaces=frozenset({"kube-system", "shop"}),
        default_templates=("sidecar", "spire"),
        injected_annotations={"example.com/by": "podgraft"},
        inject_values=InjectValueSyntax.STRICT,
        revision="canary",
        istio_release="1.30",
        features=Features(
            native_sidecars=True,
            platform="openshift",
            compliance_policy="fips-140-3",
            legacy_fsgroup_injection=False,
            rewrite_tcp_probes=True,
            env={"PILOT_X": "1"},
        ),
        overrides=read.overrides,
    )


def test_a_cluster_overrides_key_by_key() -> None:
    read = policy.parse(WHOLE)
    staging = read.for_cluster("staging")
    assert (staging.policy, staging.bundle) == ("disabled", DIGEST)
    assert staging.ignored_namespaces == read.ignored_namespaces
    assert (staging.features.platform, staging.features.native_sidecars) == ("", True)


@pytest.mark.parametrize("cluster", [None, "prod"])
def test_a_cluster_without_overrides_has_the_policy_itself(cluster: str | None) -> None:
    read = policy.parse(WHOLE)
    assert read.for_cluster(cluster) is read


@pytest.mark.parametrize("nothing", ["", "{}", "# only a comment\n", "policy:\nfeatures:\n"])
def test_an_empty_document_states_nothing(nothing: str) -> None:
    rules = InjectionRules(policy="disabled", honors_label=False)
    assert policy.parse(nothing) == Policy()
    assert policy.parse(nothing).apply_to(rules) == rules


def test_json_is_read_too() -> None:
    assert policy.parse('{"policy": "disabled"}') == Policy(policy="disabled")


def test_what_the_policy_states_replaces_the_configurations_own_rules() -> None:
    own = InjectionRules(policy="disabled", ignored_namespaces=frozenset({"a"}), honors_label=False)
    said = policy.parse("policy: enabled\nignoredNamespaces: []\ninjectValues: strict")
    assert said.apply_to(own) == InjectionRules(
        policy="enabled",
        ignored_namespaces=frozenset(),
        inject_values=InjectValueSyntax.STRICT,
        honors_label=False,
    )


@dataclass(frozen=True, slots=True)
class InvalidCase:
    name: str
    document: str
    faults: tuple[str, ...]


USE_A_RELEASE = policy.RELEASE_REMEDY
KEYS = (
    "bundle, policy, neverInjectSelector, alwaysInjectSelector, ignoredNamespaces, "
    "defaultTemplates, injectedAnnotations, injectValues, revision, istioRelease, "
    "kubernetesRelease, features, allows, census"
)
A_LIST = "write - before each element, or [] for none"
A_FLAG = "write true or false, without quotes"
A_MAPPING = "write key: value, one a line, or {} for none"
ERRORS = (
    InvalidCase("a list", "[]", (f"/: expected a mapping, got a list; {A_MAPPING}",)),
    InvalidCase("a word", "enabled", (f"/: expected a mapping, got a string; {A_MAPPING}",)),
    InvalidCase(
        "unknown keys",
        "polcy: enabled\nxyz: 1",
        (
            "/polcy: unknown key; did you mean policy?",
            f"/xyz: unknown key; supported keys: {KEYS}, groups, clusters, rollout",
        ),
    ),
    InvalidCase(
        "a number for a string",
        "policy: 1\nrevision: 2\nfeatures: {platform: true}",
        (
            "/policy: expected a string, got a number; put it in quotes",
            "/revision: expected a string, got a number; put it in quotes",
            "/features/platform: expected a string, got true or false; put it in quotes",
        ),
    ),
    InvalidCase(
        "a bundle that is no digest",
        "bundle: latest",
        ('/bundle: got "latest"; use sha256: and 64 hexadecimal digits',),
    ),
    InvalidCase(
        "a list for injectValues",
        "injectValues: [yaml]",
        ('/injectValues: got ["yaml"]; use yaml or strict',),
    ),
    InvalidCase(
        "injectValues", "injectValues: both", ('/injectValues: got "both"; use yaml or strict',)
    ),
    InvalidCase(
        "a release that YAML made a number",
        "istioRelease: 1.30",
        (f"/istioRelease: got 1.3; {USE_A_RELEASE}",),
    ),
    InvalidCase(
        "a release without a minor",
        "istioRelease: v1",
        (f'/istioRelease: got "v1"; {USE_A_RELEASE}',),
    ),
    InvalidCase(
        "lists that are none",
        "neverInjectSelector: {}\nignoredNamespaces: kube-system\ndefaultTemplates: {a: b}",
        (
            f"/neverInjectSelector: expected a list, got a mapping; {A_LIST}",
            f"/ignoredNamespaces: expected a list, got a string; {A_LIST}",
            f"/defaultTemplates: expected a list, got a mapping; {A_LIST}",
        ),
    ),
    InvalidCase(
        "elements of another type",
        "alwaysInjectSelector: [x]\nignoredNamespaces: [a, 1]\ndefaultTemplates: [null]",
        (
            f"/alwaysInjectSelector/0: expected a mapping, got a string; {A_MAPPING}",
            "/ignoredNamespaces/1: expected a string, got a number; put it in quotes",
            "/defaultTemplates/0: expected a string, got nothing; write a string",
        ),
    ),
    InvalidCase(
        "an annotation that is no string",
        "injectedAnnotations: {example.com/a: true}",
        (
            (
                "/injectedAnnotations/example.com~1a: "
                "expected a string, got true or false; put it in quotes"
            ),
        ),
    ),
    InvalidCase(
        "features",
        "features: {nativeSidecars: 'yes', env: [A], native: true}",
        (
            f"/features/nativeSidecars: expected true or false, got a string; {A_FLAG}",
            f"/features/env: expected a mapping, got a list; {A_MAPPING}",
            "/features/native: unknown key; did you mean nativeSidecars?",
        ),
    ),
    InvalidCase(
        "overrides",
        "clusters: {staging: {policy: 1, clusters: {}}, prod: x}",
        (
            "/clusters/staging/policy: expected a string, got a number; put it in quotes",
            f"/clusters/staging/clusters: unknown key; supported keys: {KEYS}",
            f"/clusters/prod: expected a mapping, got a string; {A_MAPPING}",
        ),
    ),
)


@pytest.mark.parametrize("case", ERRORS, ids=lambda case: case.name)
def test_every_fault_is_named_with_its_place_and_remedy(case: InvalidCase) -> None:
    with pytest.raises(policy.PolicyError) as error:
        policy.parse(case.document)
    assert tuple(map(str, error.value.errors)) == case.faults
    assert str(error.value) == f"policy: {'. '.join(case.faults)}"


def test_text_that_is_not_yaml_states_the_location() -> None:
    with pytest.raises(
        policy.PolicyError, match=r"^policy: /: invalid YAML: line .*; correct this"
    ):
        policy.parse("policy: [")


def test_repeated_keys_are_a_fault() -> None:
    with pytest.raises(policy.PolicyError, match="policy"):
        policy.parse("policy: enabled\npolicy: disabled")


def test_a_long_value_is_shown_cut() -> None:
    with pytest.raises(policy.PolicyError) as error:
        policy.parse(f"bundle: {'x' * 5000}")
    assert len(str(error.value)) < 200


def test_what_istio_tolerates_is_tolerated_and_noted() -> None:
    """At run time an invalid selector is skipped and an unknown policy injects nothing."""
    read = policy.parse(
        "policy: maybe\n"
        "neverInjectSelector:\n"
        "  - matchExpressions: [{key: a, operator: Within}]\n"
        "  - matchLabels: {app: web}\n"
    )
    assert read.policy == "maybe"
    assert read.never is not None
    assert len(read.never) == 1
    paths = [fault.pointer for fault in read.warnings]
    assert paths == ["/policy", "/neverInjectSelector/0/matchExpressions/0/operator"]
    assert str(read.warnings[0]) == (
        '/policy: got "maybe", which injects nothing; use enabled or disabled'
    )
    assert str(read.warnings[1]).endswith(
        'operator: got "Within"; the selector selects nothing; use In, NotIn, Exists, DoesNotExist'
    )


def test_a_newer_kubernetes_is_a_warning_at_its_place() -> None:
    read = policy.parse(
        "{kubernetesRelease: '1.37', clusters: {a: {kubernetesRelease: '1.38'}, b: {}}}"
    )
    (warning,) = read.warnings
    assert warning.is_warning
    assert str(warning) == (
        "/clusters/a/kubernetesRelease: Kubernetes 1.38 is newer than podgraft, which follows "
        "1.37; update podgraft"
    )


def test_what_would_be_tolerated_is_reported_with_what_is_not() -> None:
    with pytest.raises(policy.PolicyError) as error:
        policy.parse("policy: maybe\nalwaysInjectSelector: [{matchLabels: {a b: c}}]\nbundle: x")
    assert [fault.pointer for fault in error.value.errors] == ["/bundle"]
    assert [fault.pointer for fault in error.value.warnings] == [
        "/policy",
        "/alwaysInjectSelector/0/matchLabels",
    ]


def test_a_tolerated_fault_of_an_override_is_noted_once_at_its_place() -> None:
    read = policy.parse("policy: enabled\nclusters: {staging: {policy: off-ish}}")
    assert [fault.pointer for fault in read.warnings] == ["/clusters/staging/policy"]
    assert read.for_cluster("staging").policy == "off-ish"
