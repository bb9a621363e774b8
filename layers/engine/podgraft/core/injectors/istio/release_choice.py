"""Which release an injector follows: the policy's, else the image tag's, else the template's.

Istio's charts copy the template into the ConfigMap as it is, and it changes with every minor, in
many minors with patches, too. So its digest is that of one release, or of several in a row.
A template that an operator has edited still uses switches that only some releases have.
"""

from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Final

from podgraft.base.tables import read_table
from podgraft.core.injectors.errors import Diagnostic

from . import releases
from .config.config_map import Config, Values
from .release_spans import Span, since
from .releases import Profile, ReleaseName, UnknownReleaseError

_REMEDY = 'set istioRelease in the policy to the release to follow, such as "1.30.3"'


def choose_profile(
    stated: str | None,
    config: Config,
    values: Values,
    faults: list[Diagnostic],
    warnings: list[Diagnostic],
) -> Profile:
    """The profile to follow; *stated* is the policy's release, if it names one.

    Adds to *faults* if the text names an unsupported release, and to *warnings* if the release
    that is followed is another one.
    """
    text, document, path = stated, "policy", "/istioRelease"
    if text is None:
        text, document, path = values.tag, "values", "/global/tag"
    name = releases.parse_name(text)
    if stated is None and name is None:
        return find_profile(config) or releases.newest()
    try:
        profile = releases.parse_release(text)
    except UnknownReleaseError as error:
        faults.append(Diagnostic(str(error), _REMEDY, document=document, pointer=path))
        return releases.newest()
    difference = _describe_difference(name, profile)
    if difference is not None:
        problem, remedy = difference
        warning = Diagnostic(problem, remedy, document=document, pointer=path)
        warnings.append(warning.as_warning())
    return profile


def find_newer_release(stated: str | None, values: Values) -> str:
    """Return the release that the policy or the image tag names if podgraft does not know it."""
    name = releases.parse_name(values.tag if stated is None else stated)
    return name.text if name is not None and name.is_newer else ""


def add_update(newer_release: str, remedy: str) -> str:
    """Return the remedy for an unknown name, which a newer release of Istio can have added."""
    if not newer_release:
        return remedy
    return f"if it came with Istio {newer_release}, use a newer podgraft; otherwise, {remedy}"


def _describe_difference(name: ReleaseName | None, profile: Profile) -> tuple[str, str] | None:
    """Problem and remedy if the profile is not exactly the release of that name."""
    if name is None:
        return None
    source = releases.UNRELEASED.get(profile.minor)
    followed = f"podgraft follows Istio {profile.release}" + (f" ({source})" if source else "")
    if name.is_newer:
        problem = f"Istio {name.text} is newer than all supported releases; {followed}"
        return problem, f'write "{profile.release}", or update podgraft'
    if name.is_vendors:
        problem = f'"{name.text}" is a vendor\'s release; {followed}'
        return problem, "to follow another release, set istioRelease in the policy"
    return None


_SIDECAR = "sidecar"

# The first 16 digits of SHA-256 of the template in files/injection-template.yaml of the chart
# istio-discovery (up to 1.4, of the chart istio), without blanks at both ends, and the last patch
# that ships it. The templates of 1.0 and 1.1 are rendered by Helm, so they have no digest.
DIGESTS: Final[Mapping[str, str]] = read_table(__file__, "shipped_templates.json")

# Before 1.1, no template of Istio's decides about probes.
_SINCE_1_1 = "rewriteAppHTTPProbe"

# Text in templates that istiod reads in some releases only.
_TRACES: Final[Mapping[str, Span]] = {
    ".EstimatedConcurrency": since("1.10", until=("1.18",)),
    "ENABLE_LEGACY_FSGROUP_INJECTION": since("1.9", until=("1.19",)),
    '"ENABLE_NATIVE_SIDECARS"': since("1.19", until=("1.27",)),
}


def find_profile(config: Config) -> Profile | None:
    """The profile of the release that the sidecar template was written for, if that is clear."""
    text = config.templates.get(_SIDECAR, "") if config.templates else config.template
    release = DIGESTS.get(sha256(text.strip().encode()).hexdigest()[:16])
    if release is not None:
        return releases.parse_release(release)
    return _newest_of_traces(text) if config.templates else _newest_of_layout(text)


def _newest_of_layout(text: str) -> Profile | None:
    """The newest release with a single template and its delimiters; none without a template."""
    braces = "{{" in text or "[[" not in text
    if not braces and _SINCE_1_1 not in text:
        return releases.profile(0)
    return _find_newest(
        lambda p: bool(text) and not p.pod_templates and p.brace_delimiters == braces
    )


def _newest_of_traces(text: str) -> Profile | None:
    spans = [span for trace, span in _TRACES.items() if trace in text]
    return _find_newest(
        lambda p: bool(spans) and all(span.contains(p.minor, p.patch) for span in spans)
    )


def _find_newest(fits: Callable[[Profile], bool]) -> Profile | None:
    return next(filter(fits, map(releases.profile, reversed(releases.KNOWN))), None)
