"""Containers the user wrote under an injected name: they win, field by field, over the template.

Source: pkg/kube/inject/webhook.go, reapplyOverwrittenContainers and adjustInitContainerUser. The
first injection keeps what the user wrote in an annotation, so that later ones know it from what
was injected.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from itertools import chain

from podgraft import kube
from podgraft.go import reflect
from podgraft.injectors.errors import UserError
from podgraft.injectors.istio import gojson, status
from podgraft.injectors.istio.config.protojson import Message
from podgraft.injectors.istio.pod_builder import (
    CONTAINERS,
    INIT,
    INIT_CONTAINERS,
    VALIDATION,
    PodBuilder,
    containers,
    find_by_name,
    find_sidecar,
    merge_keys,
    pod_annotations,
)
from podgraft.injectors.istio.releases import Profile
from podgraft.jsonvalue import JSON, NotJSONError, Object, load, object_at, objects_at, string_at
from podgraft.lazy_dataclass import dataclass
from podgraft.patch import strategic

from .openshift import DEFAULT_ID

ANNOTATION = "proxy.istio.io/overrides"
INTERCEPTION_MODE = "sidecar.istio.io/interceptionMode"
AUTO = "auto"  # the image that stands for: the one the template names


@dataclass(slots=True)
class Overrides:
    """The user's versions of injected containers."""

    containers: list[Object] = field(default_factory=list[Object])
    init_containers: list[Object] = field(default_factory=list[Object])

    def to_json(self) -> str:
        """The annotation's text."""
        shown = {CONTAINERS: self.containers, INIT_CONTAINERS: self.init_containers}
        return gojson.encode({key: [*listed] for key, listed in shown.items() if listed})


def parse_overrides(annotations: Mapping[str, str]) -> Overrides:
    """What an earlier injection kept; raises ``UserError`` for an unreadable annotation."""
    if ANNOTATION not in annotations:
        return Overrides()
    try:
        raw = load(annotations[ANNOTATION])
        if raw is None:  # to Go, null is no error
            return Overrides()
        if not isinstance(raw, dict):
            raise UserError(f"annotation {ANNOTATION}: it must hold a JSON object")
        for key in (CONTAINERS, INIT_CONTAINERS):
            kube.check(_LIST, raw.get(key) or [])
    except (NotJSONError, kube.DecodeError) as error:
        raise UserError(f"annotation {ANNOTATION}: {error}; remove the annotation") from error
    return Overrides(objects_at(raw, CONTAINERS), objects_at(raw, INIT_CONTAINERS))


def reinsert_containers(pod: Object, overrides: Overrides) -> Object:
    """The pod with the user's own containers back in: what templates see of an injected pod."""
    spec = object_at(pod, "spec")
    lists = {CONTAINERS: overrides.containers, INIT_CONTAINERS: overrides.init_containers}
    added = {
        key: missing
        for key, listed in lists.items()
        if listed and (missing := _missing_containers(containers(pod, key), listed))
    }
    if not added:
        return pod
    listed: Object = {key: [*objects_at(spec, key), *new] for key, new in added.items()}
    return merge_keys(pod, {"spec": merge_keys(spec, listed)})


def reapply_overrides(
    profile: Profile, original: Object, template: Object, merged: Object
) -> Object:
    """``merged`` with the user's containers laid over those that ``template`` brought."""
    annotations = pod_annotations(original)
    kept, before = parse_overrides(annotations), status.parse_status(annotations)
    injected = before if before and profile.injected_names else status.InjectionStatus()
    native = profile.native_sidecars
    listed, init_listed = containers(original), containers(original, INIT_CONTAINERS)
    found = Overrides(
        _user_containers(
            profile, containers(template), injected.containers, (kept.containers, listed)
        ),
        _user_containers(
            profile,
            containers(template, INIT_CONTAINERS),
            injected.init_containers,
            (kept.init_containers, *((listed,) if native else ()), init_listed),
        ),
    )
    for key, users in ((CONTAINERS, found.containers), (INIT_CONTAINERS, found.init_containers)):
        for user in users:
            merged = _merge_container(merged, key, user)
    if status.ANNOTATION not in annotations and (found.containers or found.init_containers):
        merged = _add_annotation(merged, found.to_json())
    return merged


def adjust_init_user(profile: Profile, original: Object, draft: PodBuilder, proxy: Message) -> None:
    """Let the rules of istio-init spare the user id that the pod's own istio-proxy runs with."""
    sidecar = find_sidecar(profile, original)
    wanted = object_at(sidecar or {}, "securityContext")
    user, group = wanted.get("runAsUser"), wanted.get("runAsGroup")
    init = find_by_name(draft.init_containers, INIT) or find_by_name(
        draft.init_containers, VALIDATION
    )
    if init is None or (user is None and group is None):
        return
    mode = (proxy.get("interceptionMode"), draft.annotations.get(INTERCEPTION_MODE))
    if "TPROXY" in mode:
        if user is not None:
            _set_run_as(draft.sidecar(profile), {"runAsUser": 0})
    elif init.get("name") == VALIDATION:
        _set_run_as(init, {k: wanted[k] for k in ("runAsUser", "runAsGroup") if k in wanted})
    if user:
        init["args"] = _set_user_argument(init.get("args"), str(user))


_IDS = ("runAsUser", "runAsGroup")
_LIST = reflect.slice_of(kube.CONTAINER)


def _missing_containers(present: list[Object], kept: list[Object]) -> list[JSON]:
    names = [each.get("name") for each in present]
    return [each for each in kept if each.get("name") not in names]


def _user_containers(
    profile: Profile,
    template: list[Object],
    injected: tuple[str, ...],
    sources: tuple[list[Object], ...],
) -> list[Object]:
    """The user's version of each of the template's containers that has one."""
    versions: dict[JSON, Object] = {}
    for each in chain(*sources):
        versions.setdefault(each.get("name"), each)
    overridden = (
        (each, versions[name])
        for each in template
        if (name := string_at(each, "name")) not in injected and name in versions
    )
    if profile.resets_overridden_ids:
        return [_encode_container(_without_ids(user, each)) for each, user in overridden]
    return [_encode_container(user) for _, user in overridden]


def _without_ids(user: Object, template: Object) -> Object:
    """The container without its ids, if the template runs it as another user than 1337."""
    context = object_at(user, "securityContext")
    if not context or _template_user(template) in (None, DEFAULT_ID):
        return user
    others: Object = {key: value for key, value in context.items() if key not in _IDS}
    return merge_keys(user, {"securityContext": others})


def _template_user(template: Object) -> JSON:
    return object_at(template, "securityContext").get("runAsUser")


def _encode_container(container: Object) -> Object:
    """The container as Go prints it; the image ``auto`` leaves the choice to the template."""
    if container.get("image") == AUTO:
        container = {key: value for key, value in container.items() if key != "image"}
    encoded = kube.encode(kube.CONTAINER, container)
    return encoded if isinstance(encoded, dict) else {}


def _merge_container(pod: Object, key: str, user: Object) -> Object:
    if not user.get("resources"):  # Go prints the empty struct, which changes nothing
        user = {name: value for name, value in user.items() if name != "resources"}
    merged = strategic.merge(pod, {"spec": {key: [user]}}, kube.POD)
    return merged if isinstance(merged, dict) else {}


def _add_annotation(pod: Object, text: str) -> Object:
    metadata = object_at(pod, "metadata")
    annotations = merge_keys(object_at(metadata, "annotations"), {ANNOTATION: text})
    return merge_keys(pod, {"metadata": merge_keys(metadata, {"annotations": annotations})})


def _set_run_as(container: Object | None, ids: Object) -> None:
    if container is not None:
        container["securityContext"] = object_at(container, "securityContext") | ids


def _set_user_argument(args: JSON, user: str) -> JSON:
    """The arguments with ``user`` behind the first ``-u``."""
    listed = [*args] if isinstance(args, list) else []
    if "-u" in listed[:-1]:
        listed[listed.index("-u") + 1] = user
    return listed
