"""Keys of a configuration that the release does not read, and keys that no release reads.

Istio's loader is not strict (``yaml.Unmarshal``): it drops such keys without an error. A key of
another release is a warning, since one ConfigMap can serve several releases. A key of no release is
a typing error that changes what is injected, so that ``policy check`` and ``policy push`` refuse
it, and no store switches to it (``podgraft.trial``). A cold start tolerates it, as istiod does.
Only non-empty values count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from podgraft.diagnostics import Severity
from podgraft.injectors.errors import Diagnostic
from podgraft.injectors.istio import releases
from podgraft.injectors.istio.releases import Profile
from podgraft.jsonvalue import JSON
from podgraft.patch import pointer

from .config_map import Config
from .documents import IstiodEnvironment

# The fields of Istio's Config (pkg/kube/inject/inject.go), and whether a release reads them.
_KEYS: Final[Mapping[str, Callable[[Profile], bool]]] = {
    "policy": lambda _: True,
    "template": lambda profile: not profile.pod_templates,
    "templates": lambda profile: profile.pod_templates,
    "defaultTemplates": lambda profile: profile.pod_templates,
    "aliases": lambda profile: profile.pod_templates,
    "neverInjectSelector": lambda profile: profile.selectors,
    "alwaysInjectSelector": lambda profile: profile.selectors,
    "injectedAnnotations": lambda profile: profile.injected_annotations,
}
# Keys that the policy document has too, for every release.
_IN_POLICY = frozenset({"neverInjectSelector", "alwaysInjectSelector"})

# Since 1.9, Istio's chart sets `template` to a text that makes an older istiod fail.
_MISMATCH_CHECK = "Template_Version_And_Istio_Version_Mismatched"

_RELEASE = "set istioRelease in the policy to the release of this configuration"


def unread(
    profile: Profile, config: Config, values: Mapping[str, JSON], surroundings: IstiodEnvironment
) -> Iterator[Diagnostic]:
    """Return a diagnostic for each key that is given and has no effect."""
    yield from _config(profile, config.given, is_newer=_is_newer(surroundings, values))
    # Without a release in the policy, podgraft itself reads the values, for the release.
    if values and surroundings.release is not None and not profile.values_data:
        yield _ignored("values", "", profile, _RELEASE)
    for key in _unread_of_policy(profile, config, surroundings):
        yield _ignored("policy", key, profile, "remove it, or set istioRelease to another release")


def _config(profile: Profile, given: Mapping[str, JSON], *, is_newer: bool) -> Iterator[Diagnostic]:
    names = {name.lower(): name for name in _KEYS}
    for key, value in given.items():
        path = f"/{pointer.escape(key)}"
        name = names.get(key.lower())
        if name is None:
            yield _unknown(path, key, is_newer=is_newer)
        elif value and not _KEYS[name](profile) and not _is_mismatch_check(name, value):
            yield _ignored("config", path, profile, _remedy(name))


def _is_mismatch_check(name: str, value: JSON) -> bool:
    return name == "template" and isinstance(value, str) and _MISMATCH_CHECK in value


def _unread_of_policy(
    profile: Profile, config: Config, surroundings: IstiodEnvironment
) -> Iterator[str]:
    """Return the keys of the policy document that neither the release nor a template reads."""
    has_env = profile.is_available("env", releases.FUNCTIONS)
    texts = (config.template, *config.templates.values()) if has_env else ()
    readers = (
        ("/defaultTemplates", surroundings.default_templates, "", profile.pod_templates),
        (
            "/injectedAnnotations",
            surroundings.injected_annotations,
            "",
            profile.injected_annotations,
        ),
        (
            "/features/nativeSidecars",
            surroundings.native_sidecars,
            "ENABLE_NATIVE_SIDECARS",
            profile.native_sidecars,
        ),
        (
            "/features/compliancePolicy",
            surroundings.compliance_policy,
            "COMPLIANCE_POLICY",
            profile.compliance_policy,
        ),
        (
            "/features/rewriteTCPProbes",
            surroundings.rewrite_tcp_probes,
            "REWRITE_TCP_PROBES",
            profile.tcp_probes_switch,
        ),
        (
            "/features/legacyFSGroupInjection",
            surroundings.legacy_fsgroup_injection,
            "ENABLE_LEGACY_FSGROUP_INJECTION",
            not profile.pod_templates,
        ),
        ("/features/env", surroundings.env, "", has_env),
    )
    for path, value, variable, is_read in readers:
        by_template = variable and any(variable in text for text in texts)
        is_given = isinstance(value, bool) or bool(value)
        if is_given and not is_read and not by_template:
            yield path


def _ignored(document: str, path: str, profile: Profile, remedy: str) -> Diagnostic:
    return Diagnostic(
        document=document,
        pointer=path,
        problem=f"given, but Istio 1.{profile.minor} does not read it",
        remedy=remedy,
        severity=Severity.WARNING,
    )


def _remedy(name: str) -> str:
    return f"move it to the policy document, or {_RELEASE}" if name in _IN_POLICY else _RELEASE


def _unknown(path: str, key: str, *, is_newer: bool) -> Diagnostic:
    """Return an error for a typing error; a release after the newest can have further keys."""
    from difflib import get_close_matches

    close = get_close_matches(key, _KEYS, n=1)
    remedy = f"did you mean {close[0]}?" if close else f"known: {', '.join(_KEYS)}"
    return Diagnostic(
        document="config",
        pointer=path,
        problem="unknown key, which no release of Istio reads",
        remedy=remedy,
        severity=Severity.WARNING if is_newer else Severity.ERROR,
    )


def _is_newer(surroundings: IstiodEnvironment, values: Mapping[str, JSON]) -> bool:
    text = surroundings.release
    if text is None:
        at = values.get("global")
        tag = at.get("tag") if isinstance(at, dict) else None
        text = tag if isinstance(tag, str) else ""
    return releases.is_newer(text)
