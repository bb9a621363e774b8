"""Templates that istiod's gateway controller renders itself, and that fail for other pods."""

import re

_FAILED = re.compile(r'failed to run injection template "([^"]+)"')


def find_remedy(problem: str) -> str:
    """Return the remedy for the failure of such a template, else an empty string."""
    match = _FAILED.search(problem)
    if match is None:
        return ""
    from podgraft.core.trial.istio import CONTROLLER_TEMPLATES  # most runs do not need it

    if match[1] not in CONTROLLER_TEMPLATES:
        return ""
    return (
        f'istiod renders the template "{match[1]}" itself, for Gateways of the Gateway API; '
        "create a Gateway instead of a pod with the annotation inject.istio.io/templates"
    )
