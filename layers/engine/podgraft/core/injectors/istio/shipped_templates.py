"""Which release a sidecar template comes from, if nothing else names one.

Istio's charts copy the template into the ConfigMap as it is, and it changes with every minor, in
many minors with patches, too. So its digest is that of one release, or of several in a row.
A template that an operator has edited still uses switches that only some releases have.
"""

from collections.abc import Mapping
from hashlib import sha256
from typing import Final

from podgraft.base.tables import read_table

from . import releases
from .config.config_map import Config
from .release_spans import Span, since
from .releases import Profile

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
    return _newest_of_layout(text) if not config.templates else _newest_of_traces(text)


def _newest_of_layout(text: str) -> Profile | None:
    """The newest release with a single template and its delimiters; none without a template."""
    braces = "{{" in text or "[[" not in text
    if not braces and _SINCE_1_1 not in text:
        return releases.profile(0)
    candidates = map(releases.profile, reversed(releases.KNOWN))
    return next(
        (
            profile
            for profile in candidates
            if text and not profile.pod_templates and profile.brace_delimiters == braces
        ),
        None,
    )


def _newest_of_traces(text: str) -> Profile | None:
    traces = [span for trace, span in _TRACES.items() if trace in text]
    candidates = map(releases.profile, reversed(releases.KNOWN))
    return next(
        (
            profile
            for profile in candidates
            if traces and all(span.contains(profile.minor, profile.patch) for span in traces)
        ),
        None,
    )
