"""The release that a configuration without a release is written for, by the form of its templates.

Istio 1.0 and 1.1 use ``[[ ]]`` in key ``template``, 1.2 to 1.8 use ``{{ }}`` there, and later
releases use key ``templates``, which does not show the release. Source: pkg/kube/inject of each.
"""

from __future__ import annotations

from . import releases
from .releases import Profile, UnknownReleaseError
from .settings import Config

_LAST_OF_TEMPLATE = "1.8"

# Template functions of 1.1 that 1.0 lacks.
_SINCE_1_1 = ("directory", "fromJSON", "kubevirtInterfaces", "toJSON", "toYaml", "valueOrDefault")


def from_template(config: Config) -> Profile | None:
    """The profile for the form of the templates; ``None`` if the form does not show it."""
    text = config.template
    if config.templates or not text:
        return None
    if "{{" in text or "[[" not in text:
        return releases.parse(_LAST_OF_TEMPLATE)
    release = "1.1" if any(name in text for name in _SINCE_1_1) else "1.0"
    try:
        return releases.parse(release)
    except UnknownReleaseError:
        return releases.parse("1.0")
