"""Native sidecars (KEP-753): init containers with ``restartPolicy: Always``.

Webhooks with a Kubernetes client older than 1.28 remove the field, because it is unknown to them.
The container is then an ordinary init container, which never ends, so the pod never starts.
"""

from podgraft.jsonvalue import Object, objects_at, string_at


def find_native_sidecars(spec: Object) -> frozenset[str]:
    """The names of the native sidecars of a pod spec."""
    return frozenset(
        string_at(container, "name")
        for container in objects_at(spec, "initContainers")
        if container.get("restartPolicy") == "Always"
    )


def find_lost_sidecars(before: Object, after: Object) -> tuple[str, ...]:
    """The init containers of ``before`` that are native sidecars only in ``after``.

    If ``after`` is the result of an injection of ``before``, these containers were injected
    earlier, and another webhook removed their ``restartPolicy``.
    """
    native = find_native_sidecars(after) - find_native_sidecars(before)
    names = (string_at(container, "name") for container in objects_at(before, "initContainers"))
    return tuple(name for name in names if name in native)
