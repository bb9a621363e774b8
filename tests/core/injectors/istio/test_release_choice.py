"""Which release an injector follows, and what it reports about that."""

from __future__ import annotations

import json
from hashlib import sha256

import pytest

from podgraft.core.injectors import istio
from podgraft.core.injectors.errors import Diagnostic, InvalidDocumentsError
from podgraft.core.injectors.istio import release_choice, releases


def _compile_injector(
    release: str | None = None, tag: object = None, **config: object
) -> istio.Injector:
    values = {} if tag is None else {"global": {"tag": tag}}
    return istio.compile_(
        istio.Documents(config=json.dumps(config), values=json.dumps(values)),
        istio.IstiodEnvironment(release=release),
    )


def _warnings(injector: istio.Injector) -> list[Diagnostic]:
    return [
        each
        for each in injector.config.warnings
        if each.pointer in ("/istioRelease", "/global/tag")
    ]


CHOICES = (
    # the policy's, the tag, the release that is followed, what the warning says
    ("1.28.6", "1.30.3", "1.28.6", ""),
    ("1.28", None, "1.28.10", ""),
    (None, "1.28.6-distroless", "1.28.6", ""),
    (None, "1.31.0-rc.0", "1.31.0", ""),
    (None, 1.24, "1.24.6", ""),
    ("1.28.99", None, "1.28.10", "Istio 1.28.99 is newer than all supported releases"),
    (None, "1.99.0", "1.32.0", "Istio 1.99.0 is newer than all supported releases"),
    ("1.11.2-asm.17", None, "1.11.2", '"1.11.2-asm.17" is a vendor\'s release'),
    (None, "1.11.2-asm.17-distroless", "1.11.2", "podgraft follows Istio 1.11.2"),
)


@pytest.mark.parametrize(("stated", "tag", "release", "warning"), CHOICES)
def test_the_release_is_stated_or_read_from_the_tag(
    stated: str | None, tag: object, release: str, warning: str
) -> None:
    injector = _compile_injector(stated, tag, templates={"sidecar": ""})
    problems = [each.problem for each in _warnings(injector)]

    assert injector.profile.release == release
    assert len(problems) == bool(warning)
    assert all(warning in problem for problem in problems)


def test_an_unsupported_tag_names_the_remedy() -> None:
    with pytest.raises(InvalidDocumentsError) as caught:
        _compile_injector(tag="0.8.0")

    assert [(each.document, each.pointer) for each in caught.value.errors] == [
        ("values", "/global/tag")
    ]
    assert "set istioRelease in the policy" in caught.value.errors[0].remedy


TEXTS: tuple[tuple[dict[str, object], str], ...] = (
    # the configuration, without a release in policy and tag; the release that is followed
    ({"template": "containers: [[ .Spec ]]"}, "1.0.9"),
    ({"template": "rewriteAppHTTPProbe: false\ncontainers: [[ .Spec ]]"}, "1.1.17"),
    ({"template": "containers: {{ .Spec }}"}, "1.8.6"),
    ({"template": "x", "templates": {"sidecar": ""}}, "1.32.0"),
    ({"templates": {"sidecar": "{{/* .EstimatedConcurrency */}}"}}, "1.17.8"),
    ({"templates": {"sidecar": "{{/* ENABLE_LEGACY_FSGROUP_INJECTION */}}"}}, "1.18.7"),
    ({"templates": {"sidecar": '{{/* "ENABLE_NATIVE_SIDECARS" */}}'}}, "1.26.8"),
    ({"templates": {"custom": "{{/* .EstimatedConcurrency */}}"}}, "1.32.0"),
    ({}, "1.32.0"),
)


@pytest.mark.parametrize(("config", "release"), TEXTS)
def test_without_a_release_the_template_determines_it(
    config: dict[str, object], release: str
) -> None:
    assert _compile_injector(None, "latest", **config).profile.release == release


def test_a_shipped_template_determines_its_release(monkeypatch: pytest.MonkeyPatch) -> None:
    digest = sha256(b"metadata: {}").hexdigest()[:16]
    monkeypatch.setattr(release_choice, "DIGESTS", {digest: "1.26.2"})

    found = _compile_injector(templates={"sidecar": "\nmetadata: {}\n\n"})
    assert found.profile.release == "1.26.2"
    assert (
        _compile_injector("1.24.3", templates={"sidecar": "metadata: {}"}).profile.release
        == "1.24.3"
    )


def test_the_digests_of_shipped_templates_name_supported_releases() -> None:
    digests = release_choice.DIGESTS

    assert all(
        releases.parse_release(release).release.startswith(release) for release in digests.values()
    )
    assert {release.split(".")[1] for release in digests.values()} == {
        str(minor)
        for minor in releases.KNOWN
        if minor > 1  # Helm renders the templates before
    }
