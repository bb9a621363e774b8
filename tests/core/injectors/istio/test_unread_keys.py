"""Keys of a configuration that have no effect: a release does not read them, or none does."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest

from podgraft.base.diagnostics import Severity
from podgraft.core.injectors import istio
from podgraft.core.injectors.istio import releases

OLD = 'template: "containers: []"\n'
NEW = "templates: {sidecar: 'spec: {}'}\n"
MISMATCH = "{{ Template_Version_And_Istio_Version_Mismatched_Check_Installation }}"
SELECTOR = "[{matchLabels: {a: b}}]"
MOVE = (
    "move it to the policy document, or set istioRelease in the policy to the release of this "
    "configuration"
)
RELEASE = "set istioRelease in the policy to the release of this configuration"


@dataclass(frozen=True)
class Case:
    """A configuration for a release, and the paths of what has no effect there."""

    release: str
    config: str
    warned: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.release} {self.config[:60]}"


CASES = (
    # The stock configurations
    Case("1.0", OLD + "policy: enabled"),
    Case("1.8", OLD + f"neverInjectSelector: {SELECTOR}\ninjectedAnnotations: {{a: b}}"),
    Case("1.30", NEW + f'template: "{MISMATCH}"\naliases: {{a: [sidecar]}}'),
    Case("1.30", NEW + f"alwaysInjectSelector: {SELECTOR}\ndefaultTemplates: [sidecar]"),
    # Keys of another release
    Case("1.0", OLD + f"neverInjectSelector: {SELECTOR}", ("/neverInjectSelector",)),
    Case("1.0", OLD + f"AlwaysInjectSelector: {SELECTOR}", ("/AlwaysInjectSelector",)),
    Case("1.0", OLD + "injectedAnnotations: {a: b}", ("/injectedAnnotations",)),
    # Templates of another layout: the template that the release needs is missing
    Case("1.0", NEW, refused=("/template",)),
    Case("1.8", NEW + "defaultTemplates: [x]", refused=("/template",)),
    Case("1.8", OLD + "aliases: {a: [b]}", ("/aliases",)),
    Case("1.30", NEW + OLD, ("/template",)),
    # Empty values are nothing to read
    Case("1.0", OLD + "neverInjectSelector: []\naliases: {}\ndefaultTemplates:\ntemplates: {}"),
    # Keys of no release
    Case("1.30", NEW + "polcy: enabled", refused=("/polcy",)),
    Case("1.0", OLD + "polcy: enabled", refused=("/polcy",)),
    Case("1.30", NEW + "a/b: 1", refused=("/a~1b",)),
    Case("1.30", NEW + "polcy:", refused=("/polcy",)),
    # A release after the newest can have keys that no supported release has
    Case("1.99", NEW + "polcy: enabled", ("/polcy",)),
    # Letters of both cases, as encoding/json
    Case("1.30", "TEMPLATES: {sidecar: 'spec: {}'}\nPolicy: enabled"),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_keys_without_effect_are_reported(case: Case) -> None:
    injector = compile_injector(case.release, case.config)
    found = [fault for fault in injector.config.warnings if fault.document == "config"]
    by_severity = {
        severity: tuple(fault.pointer for fault in found if fault.severity is severity)
        for severity in Severity
    }
    assert by_severity == {Severity.WARNING: case.warned, Severity.ERROR: case.refused}


def compile_injector(release: str, config: str, **surroundings: object) -> istio.Injector:
    around = istio.IstiodEnvironment(release=release, **surroundings)  # pyright: ignore[reportArgumentType]
    return istio.compile_(istio.Documents(config=config), around)


def test_the_messages_name_the_release_and_the_remedy() -> None:
    [never, annotations] = compile_injector(
        "1.0", OLD + f"neverInjectSelector: {SELECTOR}\ninjectedAnnotations: {{a: b}}"
    ).config.warnings
    given = "is set, but Istio 1.0 does not read it"
    assert str(never) == f"config /neverInjectSelector: {given}; {MOVE}"
    assert str(annotations) == f"config /injectedAnnotations: {given}; {RELEASE}"


@pytest.mark.parametrize(
    ("key", "remedy"), [("polcy", "did you mean policy?"), ("zzz", "known: policy, template, ")]
)
def test_a_misspelled_key_is_reported_with_a_suggestion(key: str, remedy: str) -> None:
    [fault] = compile_injector("1.30", NEW + f"{key}: enabled").config.warnings
    assert fault.problem == "unknown key, which no release of Istio reads"
    assert fault.remedy.startswith(remedy)


POLICY = (
    ("1.0", "default_templates", ("a",), "/defaultTemplates"),
    ("1.0", "injected_annotations", {"a": "b"}, "/injectedAnnotations"),
    ("1.0", "env", {"A": "b"}, "/features/env"),
    ("1.18", "native_sidecars", True, "/features/nativeSidecars"),
    ("1.18", "native_sidecars", False, "/features/nativeSidecars"),
    ("1.18", "compliance_policy", "fips-140-3", "/features/compliancePolicy"),
    ("1.30", "rewrite_tcp_probes", False, "/features/rewriteTCPProbes"),
    ("1.30", "legacy_fsgroup_injection", False, "/features/legacyFSGroupInjection"),
)


@pytest.mark.parametrize(("release", "key", "value", "path"), POLICY)
def test_an_unread_key_of_the_policy_is_reported(
    release: str, key: str, value: object, path: str
) -> None:
    config = OLD if release == "1.0" else NEW
    found = [
        (fault.document, fault.pointer, fault.severity)
        for fault in compile_injector(release, config, **{key: value}).config.warnings
        if fault.pointer == path
    ]
    assert found == [("policy", path, Severity.WARNING)]


@pytest.mark.parametrize(
    ("release", "key", "value"),
    [
        ("1.30", "native_sidecars", True),
        ("1.16", "rewrite_tcp_probes", False),
        ("1.8", "legacy_fsgroup_injection", False),
        ("1.8", "env", {"A": "b"}),
        ("1.0", "native_sidecars", None),
        ("1.0", "env", {}),
    ],
)
def test_a_key_that_the_release_reads_is_not_reported(
    release: str, key: str, value: object
) -> None:
    config = OLD if release in {"1.0", "1.8"} else NEW
    assert compile_injector(release, config, **{key: value}).config.warnings == ()


def test_a_template_can_read_a_switch_that_the_release_does_not() -> None:
    own = 'templates: {sidecar: \'spec: {{ env "ENABLE_NATIVE_SIDECARS" "{}" }}\'}\n'
    assert compile_injector("1.18", own, native_sidecars=True).config.warnings == ()


def test_values_that_no_template_can_read_are_reported() -> None:
    documents = istio.Documents(config=OLD, values=json.dumps({"global": {"tag": "1.0.9"}}))
    [fault] = istio.compile_(documents, istio.IstiodEnvironment(release="1.0")).config.warnings
    assert (fault.document, fault.pointer) == ("values", "")
    assert fault.problem == "is set, but Istio 1.0 does not read it"
    # Without a release in the policy, it is read from the values.
    assert istio.compile_(documents, istio.IstiodEnvironment()).config.warnings == ()


@pytest.mark.parametrize("minor", releases.KNOWN)
def test_a_selector_without_effect_is_reported(minor: int) -> None:
    """For each release of the table, used keys have an effect, and unused keys are reported."""
    profile = releases.profile(minor)
    config = (NEW if profile.pod_templates else OLD) + f"neverInjectSelector: {SELECTOR}\n"
    injector = compile_injector(f"1.{minor}", config)
    is_reported = any(fault.pointer == "/neverInjectSelector" for fault in injector.config.warnings)
    assert is_reported is (injector.config.rules.never == ())


def test_a_deferred_compilation_does_not_search_for_unread_keys() -> None:
    documents = istio.Documents(config=NEW + "polcy: enabled")
    around = istio.IstiodEnvironment(release="1.30")
    assert istio.compile_(documents, around, deferred=True).config.warnings == ()


NATIVE = "templates: {sidecar: '{{ if .NativeSidecars }}{}{{ end }}'}\n"


@pytest.mark.parametrize(
    ("release", "config", "settings", "warned"),
    [
        ("1.30", NATIVE, {}, True),
        ("1.30", NATIVE, {"env": {"ENABLE_NATIVE_SIDECARS": "auto"}}, True),
        ("1.30", NATIVE, {"native_sidecars": False}, False),
        ("1.30", NATIVE, {"env": {"ENABLE_NATIVE_SIDECARS": "true"}}, False),
        ("1.30", NEW, {}, False),
        ("1.26", NATIVE, {}, False),
    ],
)
def test_a_decision_that_istio_takes_from_the_nodes_is_reported(
    release: str, config: str, settings: dict[str, Any], *, warned: bool
) -> None:
    environment = istio.IstiodEnvironment(release=release, **settings)
    compiled = istio.compile_(istio.Documents(config=config), environment)
    found = {warning.pointer for warning in compiled.config.warnings}
    assert ("/features/nativeSidecars" in found) is warned
