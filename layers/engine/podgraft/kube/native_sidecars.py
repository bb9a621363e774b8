"""Native sidecars (KEP-753): init containers with ``restartPolicy: Always``.

Webhooks with a Kubernetes client older than 1.28 remove the field, because it is unknown to them.
The container is then an ordinary init container, which never ends, so the pod never starts.
"""

from podgraft.base.jsonvalue import Object, objects_at, string_at


def find_native_sidecars(spec: Object) -> frozenset[str]:
    """The names of the native sidecars of a pod spec."""
    return frozenset(
        string_at(container, "name")
        for container in _init_containers(spec)
        if container.get("restartPolicy") == "Always"
    )


def find_lost_sidecars(before: Object, after: Object) -> tuple[str, ...]:
    """The init containers of ``before`` that are native sidecars only in ``after``.

    If ``after`` is the result of an injection of ``before``, these containers were injected
    earlier, and another webhook removed their ``restartPolicy``. A container that overrides fields
    of an injected one does not have its image.
    """
    native = find_native_sidecars(after) - find_native_sidecars(before)
    images = {string_at(each, "name"): each.get("image") for each in _init_containers(after)}
    return tuple(
        name
        for container in _init_containers(before)
        if (name := string_at(container, "name")) in native
        and container.get("image") == images[name]
    )


def _init_containers(spec: Object) -> list[Object]:
    return objects_at(spec, "initContainers")
