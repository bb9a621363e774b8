"""Which release an injector follows: the policy's, else the image tag's, else the template's."""

from podgraft.core.injectors.errors import Diagnostic

from . import releases, shipped_templates
from .config.config_map import Config, Values
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
        return shipped_templates.find_profile(config) or releases.newest()
    try:
        profile = releases.parse_release(text)
    except UnknownReleaseError as error:
        faults.append(
            Diagnostic(document=document, pointer=path, problem=str(error), remedy=_REMEDY)
        )
        return releases.newest()
    difference = _describe_difference(name, profile)
    if difference is not None:
        problem, remedy = difference
        warning = Diagnostic(document=document, pointer=path, problem=problem, remedy=remedy)
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
