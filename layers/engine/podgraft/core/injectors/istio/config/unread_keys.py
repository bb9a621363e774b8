"""Keys of a configuration that the release does not read, and keys that no release reads.

Istio's loader is not strict (``yaml.Unmarshal``): it drops such keys without an error. A key of
another release is a warning, because several releases can share a ConfigMap. A key of no release is
a misspelling that changes the injection. ``podgraft check`` and ``podgraft push`` reject it, and no
store activates such a version (``podgraft.core.trial``). A cold start ignores it, as istiod does.
Only non-empty values are checked.
"""

from collections.abc import Callable, Iterator, Mapping

from podgraft.base.diagnostics import Severity, find_similar
from podgraft.base.jsonvalue import JSON
from podgraft.core.injectors.errors import Diagnostic
from podgraft.core.injectors.istio.releases import Profile
from podgraft.golang import strings
from podgraft.kube.patch import pointer

from .config_map import KEYS, Config
from .documents import VARIABLES, IstiodEnvironment

# Keys that the policy document has too, for every release.
_POLICY_KEYS = frozenset({"neverInjectSelector", "alwaysInjectSelector"})

# Since 1.9, Istio's chart sets `template` to a text that makes an older istiod fail.
_MISMATCH_CHECK = "Template_Version_And_Istio_Version_Mismatched"

_NATIVE_FIELD = ".NativeSidecars"  # the templates of 1.27 and later read it

_RELEASE_REMEDY = "set istioRelease in the policy to the release of this configuration"


def find_ineffective_keys(
    profile: Profile,
    config: Config,
    values: Mapping[str, JSON],
    environment: IstiodEnvironment,
    newer_release: str,
) -> Iterator[Diagnostic]:
    """Yield a diagnostic for each key without an effect, and for an undecided switch.

    *newer_release* is the release that the settings name if podgraft does not know it.
    """
    yield from _find_config_keys(profile, config.given, is_newer=bool(newer_release))
    # Without a release in the policy, podgraft reads the values to determine the release.
    if values and environment.release is not None and not profile.values_data:
        yield _unread_key_warning("values", "", profile, _RELEASE_REMEDY)
    for key in _find_policy_keys(profile, config, environment):
        yield _unread_key_warning(
            "policy", key, profile, "remove it, or set istioRelease to another release"
        )
    yield from _find_undecided_switches(profile, config, environment.environment())


def _find_undecided_switches(
    profile: Profile, config: Config, env: Mapping[str, str]
) -> Iterator[Diagnostic]:
    """Return a diagnostic for native sidecars if Istio would decide by the versions of the nodes.

    *env* is the environment of istiod. Since 1.27, ``auto`` is the default
    (pilot/pkg/features/pilot.go), and podgraft has no access to the nodes.
    """
    is_read = any(_NATIVE_FIELD in text for text in config.templates.values())
    if profile.native_flag and is_read and env.get("ENABLE_NATIVE_SIDECARS", "auto") == "auto":
        yield Diagnostic(
            f"is not set; Istio 1.{profile.minor} injects native sidecars if every kubelet "
            "is 1.33 or later, and podgraft injects ordinary containers",
            "set it to true or false",
            document="policy",
            pointer="/features/nativeSidecars",
            severity=Severity.WARNING,
        )


def _find_config_keys(
    profile: Profile, config_keys: Mapping[str, JSON], *, is_newer: bool
) -> Iterator[Diagnostic]:
    names = {name.lower(): name for name in KEYS}
    for key, value in config_keys.items():
        path = f"/{pointer.escape(key)}"
        name = names.get(strings.fold_name(key))
        if name is None:
            yield _unknown_key_diagnostic(path, key, is_newer=is_newer)
        elif value and not KEYS[name](profile):
            if name == "template" and isinstance(value, str) and _MISMATCH_CHECK in value:
                continue
            move = "move it to the policy document, or " if name in _POLICY_KEYS else ""
            yield _unread_key_warning("config", path, profile, f"{move}{_RELEASE_REMEDY}")


# The keys of a policy: each with its setting, and whether a release reads it.
_READERS: tuple[tuple[str, str, Callable[[Profile], bool]], ...] = (
    ("/defaultTemplates", "default_templates", lambda p: p.pod_templates),
    ("/injectedAnnotations", "injected_annotations", lambda p: p.injected_annotations),
    ("/features/nativeSidecars", "native_sidecars", lambda p: p.native_sidecars),
    ("/features/compliancePolicy", "compliance_policy", lambda p: p.compliance_policy),
    ("/features/rewriteTCPProbes", "rewrite_tcp_probes", lambda p: p.tcp_probes_switch),
    ("/features/legacyFSGroupInjection", "legacy_fsgroup_injection", lambda p: not p.pod_templates),
    ("/features/env", "env", lambda p: p.has_function("env")),
)


def _find_policy_keys(
    profile: Profile, config: Config, environment: IstiodEnvironment
) -> Iterator[str]:
    """Return the keys of the policy that neither the release nor a template reads."""
    has_env = profile.has_function("env")
    texts = (config.template, *config.templates.values()) if has_env else ()
    for path, name, is_read in _READERS:
        value, variable = getattr(environment, name), VARIABLES.get(name)
        is_read_by_template = variable and any(variable in text for text in texts)
        is_set = isinstance(value, bool) or bool(value)
        if is_set and not is_read(profile) and not is_read_by_template:
            yield path


def _unread_key_warning(document: str, path: str, profile: Profile, remedy: str) -> Diagnostic:
    return Diagnostic(
        f"is set, but Istio 1.{profile.minor} does not read it",
        remedy,
        document=document,
        pointer=path,
        severity=Severity.WARNING,
    )


def _unknown_key_diagnostic(path: str, key: str, *, is_newer: bool) -> Diagnostic:
    """Return an error for an unknown key, or a warning for a release newer than all supported."""
    similar = find_similar(key, KEYS)
    remedy = f"did you mean {similar}?" if similar else f"known: {', '.join(KEYS)}"
    return Diagnostic(
        "unknown key, which no release of Istio reads",
        remedy,
        document="config",
        pointer=path,
        severity=Severity.WARNING if is_newer else Severity.ERROR,
    )
