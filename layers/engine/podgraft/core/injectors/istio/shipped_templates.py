"""Which release a sidecar template comes from, if nothing else names one.

Istio's charts copy the template into the ConfigMap as it is, and it changes with every minor, in
many minors with patches, too. So its digest is that of one release, or of several in a row.
A template that an operator has edited still uses switches that only some releases have.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Final

from . import releases
from .config.config_map import Config
from .release_spans import Span, since
from .releases import Profile

_SIDECAR = "sidecar"

# The first 16 digits of SHA-256 of the template in files/injection-template.yaml of the chart
# istio-discovery (up to 1.4, of the chart istio), without blanks at both ends, and the last patch
# that ships it. The templates of 1.0 and 1.1 are rendered by Helm, so they have no digest.
DIGESTS: Final[Mapping[str, str]] = {
    "761ebc5a63976754": "1.2.10",
    "610f2b5742375d30": "1.3.0",
    "2696c96840179bdc": "1.3.6",
    "4d1a6fdc6aa09ab9": "1.3.8",
    "612b89ee7fc4d43b": "1.4.2",
    "023ae377d1a89813": "1.4.4",
    "805d5a8f492b8fa2": "1.4.5",
    "7d3a4daf8f4b6208": "1.4.10",
    "1cdb312e0b39910b": "1.5.0",
    "64f53c7f7e9dca50": "1.5.1",
    "fca84600f9d5ec31": "1.5.5",
    "e08631b4e66c4382": "1.5.9",
    "3bc68d1f27d8b6b9": "1.5.10",
    "d36ff46d2def0cab": "1.6.2",
    "e16b88389e2d0f30": "1.6.4",
    "ed4e6e8ed4ffa03f": "1.6.8",
    "7986efd232806f42": "1.6.14",
    "8e6e902b765af607": "1.7.8",
    "e2cb9d4837cda958": "1.8.6",
    "ccb55ed8e0fcc3b0": "1.9.9",
    "8ac87cc83c64ffde": "1.10.6",
    "7aecf2e8943cdf95": "1.11.8",
    "19a9ccb2ecacbb64": "1.12.1",
    "204cd398922d8d36": "1.12.9",
    "e5427538bafa2e91": "1.13.9",
    "4e2ca3f73d4f2eb9": "1.14.6",
    "7f75664dbb0856e5": "1.15.7",
    "1598882de0a9fa2d": "1.16.0",
    "db0ae5d064dfca67": "1.16.7",
    "c92d25766e9f0224": "1.17.2",
    "7b2b99c3fc032fee": "1.17.8",
    "1b3eb21d532dac00": "1.18.7",
    "b085d89b06049bf7": "1.19.7",
    "322907fc322efe55": "1.19.10",
    "588b920e509f858e": "1.20.3",
    "dc51d639d698dd2d": "1.20.8",
    "aa4a45d762204a5c": "1.21.6",
    "298a9e8707821c27": "1.22.8",
    "30ba645d8b1b7e3f": "1.23.6",
    "4687793ef3310aa5": "1.24.6",
    "70fcb00fd8a06621": "1.25.3",
    "42892cd3c787774c": "1.25.5",
    "851a4d51fecd8109": "1.26.1",
    "e33f46fb36083d53": "1.26.2",
    "5ada4e20290e0bec": "1.26.4",
    "91afb3145166f284": "1.26.8",
    "fc1cc98c296787a6": "1.27.1",
    "c0873c4758c37966": "1.27.5",
    "64d6e73e99d02070": "1.27.9",
    "80073b2381d19824": "1.28.3",
    "73ab2f073cf02a9d": "1.28.5",
    "ee7c5b247573f9f3": "1.28.10",
    "01a0b4a1716f27b2": "1.29.0",
    "6dbfa179aaf12532": "1.29.6",
    "cfc0c59c4773a8c9": "1.30.3",
    "1f9033707fbd8ef3": "1.31.0",
    "c42c60b82d5847ba": "1.32",
}

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
