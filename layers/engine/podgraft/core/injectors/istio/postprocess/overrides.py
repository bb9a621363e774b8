"""Overrides: containers that the user defines with an injected name.

Source: pkg/kube/inject/webhook.go, reapplyOverwrittenContainers and adjustInitContainerUser.

Merge order: the template is merged over the pod first, which also overwrites the user's container
of the same name. The user's container is then merged over the result, so each field that the user
sets takes precedence over the template.

Hazard: a pod can be injected again, after another webhook changed it. Its containers then have both
the user's fields and those of the first injection, and the second injection must not mistake the
latter for the user's. For this reason, the first injection records the user's containers in the
annotation ``proxy.istio.io/overrides``, and later injections read that record first. Since Istio
1.17, a container that the status annotation lists is not an override.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from podgraft import kube
from podgraft.base.jsonvalue import (
    JSON,
    NotJSONError,
    Object,
    load,
    object_at,
    objects_at,
    string_at,
    without_keys,
)
from podgraft.core.injectors.errors import UserError
from podgraft.core.injectors.istio import status
from podgraft.core.injectors.istio.config.protojson import Message
from podgraft.core.injectors.istio.pod_builder import (
    CONTAINERS,
    INIT,
    INIT_CONTAINERS,
    VALIDATION,
    PodBuilder,
    containers,
    find_by_name,
    find_sidecar,
)
from podgraft.core.injectors.istio.releases import Profile
from podgraft.core.injectors.istio.render.pod_overlay import OverlayError, merge_pod
from podgraft.golang import reflect
from podgraft.golang.json import plain

from .openshift import DEFAULT_ID

ANNOTATION = "proxy.istio.io/overrides"
INTERCEPTION_MODE = "sidecar.istio.io/interceptionMode"
AUTO = "auto"  # this image means the image of the template


# The user's versions of injected containers, by the key of their list.
Overrides: TypeAlias = Mapping[str, Sequence[Object]]
_LISTS = (CONTAINERS, INIT_CONTAINERS)
_NO_NAMES: Mapping[str, tuple[str, ...]] = {}


def parse_overrides(annotations: Mapping[str, str]) -> Overrides:
    """Parse the record of an earlier injection; raises ``UserError`` if it is invalid."""
    if ANNOTATION not in annotations:
        return {}
    try:
        raw = load(annotations[ANNOTATION])
        if raw is None:  # Go accepts null
            return {}
        if not isinstance(raw, dict):
            raise UserError(
                f"annotation {ANNOTATION}: must be a JSON object; remove the annotation"
            )
        for key in _LISTS:
            kube.check(_CONTAINER_LIST, raw.get(key) or [])
    except (NotJSONError, kube.DecodeError) as error:
        raise UserError(f"annotation {ANNOTATION}: {error}; remove the annotation") from error
    return {key: _read_containers(raw, key) for key in _LISTS}


def _read_containers(raw: Object, key: str) -> list[Object]:
    """The containers of a list; Go reads null as an empty one."""
    elements = raw.get(key)
    if not isinstance(elements, list):
        return []
    return [element if isinstance(element, dict) else {} for element in elements]


def reinsert_containers(pod: Object, overrides: Overrides) -> Object:
    """Return the pod with the user's containers added again, as templates read an injected pod."""
    spec = object_at(pod, "spec")
    extended: Object = {
        key: [*objects_at(spec, key), *missing]
        for key, recorded in overrides.items()
        if (missing := _missing_containers(containers(pod, key), recorded))
    }
    return {**pod, "spec": spec | extended} if extended else pod


def reapply_overrides(
    profile: Profile,
    original: Object,
    annotations: Mapping[str, str],
    template: Object,
    merged: Object,
) -> Object:
    """Merge the user's containers over those of ``template`` in the ``merged`` pod.

    ``annotations`` are those of the ``original`` pod.
    """
    recorded = parse_overrides(annotations)
    earlier_status = status.parse_status(annotations) if profile.injected_names else None
    injected = earlier_status.lists if earlier_status else _NO_NAMES
    overrides: dict[str, list[Object]] = {}
    for key in _LISTS:
        is_native = key == INIT_CONTAINERS and profile.native_sidecars
        moved = containers(original) if is_native else []
        sources = (*recorded.get(key, ()), *moved, *containers(original, key))
        overrides[key] = _user_containers(
            profile, containers(template, key), injected.get(key, ()), sources
        )
    for key, user_containers in overrides.items():
        for user_container in user_containers:
            merged = _merge_container(merged, key, user_container)
    if status.ANNOTATION not in annotations and any(overrides.values()):
        text = plain.encode({key: [*found] for key, found in overrides.items() if found})
        merged = _add_annotation(merged, text)
    return merged


def adjust_init_user(
    profile: Profile, original: Object, builder: PodBuilder, read_proxy: Callable[[], Message]
) -> None:
    """Exclude the user id of the pod's own istio-proxy from the traffic rules of istio-init."""
    sidecar = find_sidecar(profile, original)
    context = object_at(sidecar or {}, "securityContext")
    user, group = context.get("runAsUser"), context.get("runAsGroup")
    init = find_by_name(builder.init_containers, INIT) or find_by_name(
        builder.init_containers, VALIDATION
    )
    if init is None or (user is None and group is None):
        return
    mode = read_proxy().get("interceptionMode")
    if "TPROXY" in (mode, builder.annotations.get(INTERCEPTION_MODE)):
        if user is not None:
            _set_run_as(builder.sidecar(profile), {"runAsUser": 0})
    elif init.get("name") == VALIDATION:
        _set_run_as(init, {k: context[k] for k in _IDS if k in context})
    if user:
        init["args"] = _set_user_argument(init.get("args"), str(user))


_IDS = ("runAsUser", "runAsGroup")
_CONTAINER_LIST = reflect.slice_of(kube.CONTAINER)


def _missing_containers(existing: list[Object], recorded: Sequence[Object]) -> list[JSON]:
    names = [container.get("name") for container in existing]
    return [container for container in recorded if container.get("name") not in names]


def _user_containers(
    profile: Profile,
    template: list[Object],
    injected: tuple[str, ...],
    sources: Sequence[Object],
) -> list[Object]:
    """Return the user's versions of the template's containers."""
    versions: dict[JSON, Object] = {}
    for container in sources:
        versions.setdefault(container.get("name"), container)
    overridden = (
        (container, versions[name])
        for container in template
        if (name := string_at(container, "name")) not in injected and name in versions
    )
    if profile.resets_overridden_ids:
        return [_encode_container(_without_ids(user, container)) for container, user in overridden]
    return [_encode_container(user) for _, user in overridden]


def _without_ids(user: Object, template: Object) -> Object:
    """Remove the ids of the container if the template sets another user than 1337."""
    context = object_at(user, "securityContext")
    if not context or object_at(template, "securityContext").get("runAsUser") in (None, DEFAULT_ID):
        return user
    return {**user, "securityContext": without_keys(context, *_IDS)}


def _encode_container(container: Object) -> Object:
    """Encode the container as Go does, without the image ``auto``."""
    if container.get("image") == AUTO:
        container = without_keys(container, "image")
    encoded = kube.encode(kube.CONTAINER, container)
    return encoded if isinstance(encoded, dict) else {}


def _merge_container(pod: Object, key: str, user: Object) -> Object:
    if not user.get("resources"):  # Go prints an empty struct, which must not change anything
        user = without_keys(user, "resources")
    try:
        return merge_pod(kube.POD, pod, {"spec": {key: [user]}})
    except OverlayError as error:
        name = string_at(user, "name")
        raise UserError(f"container {name} does not merge with the templates: {error}") from error


def _add_annotation(pod: Object, text: str) -> Object:
    metadata = object_at(pod, "metadata")
    annotations = {**object_at(metadata, "annotations"), ANNOTATION: text}
    return {**pod, "metadata": {**metadata, "annotations": annotations}}


def _set_run_as(container: Object | None, ids: Object) -> None:
    if container is not None:
        container["securityContext"] = object_at(container, "securityContext") | ids


def _set_user_argument(args: JSON, user: str) -> JSON:
    """Replace the argument after the first ``-u``."""
    arguments = [*args] if isinstance(args, list) else []
    if "-u" in arguments[:-1]:
        arguments[arguments.index("-u") + 1] = user
    return arguments
