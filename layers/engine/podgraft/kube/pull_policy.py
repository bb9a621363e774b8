"""The default imagePullPolicy of an image."""

import re

# docker's reference: an optional registry, lowercase path components, a tag, and a digest.
_IMAGE = re.compile(
    r"(?:(?:localhost|[\w.-]*[.:A-Z][\w.:-]*|[\w.-]+:\d+)/)?"
    r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*"
    r"(?::(?P<tag>\w[\w.-]{0,127}))?(?P<digest>@[A-Za-z][\w+.-]*:[0-9a-fA-F]{32,})?",
    re.ASCII,
)


def find_pull_policy(image: str) -> str:
    """Always for the tag latest and without tag and digest; IfNotPresent for invalid names too."""
    match = _IMAGE.fullmatch(image)
    latest = match is not None and (
        match["tag"] == "latest" or (match["tag"] is None and match["digest"] is None)
    )
    return "Always" if latest else "IfNotPresent"
