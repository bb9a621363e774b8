"""Resource types and names on the command line: ``pod/web-1``, ``deploy web``, ``pods``."""

from collections.abc import Sequence

from msgspec import Struct

from podgraft.cli.failure import CommandError


class ResourceType(Struct, frozen=True):
    """A workload type, with the path of its API and its names on the command line."""

    kind: str
    api_version: str
    plural: str
    short_names: tuple[str, ...] = ()

    @property
    def singular(self) -> str:
        """The name of one object."""
        return self.kind.lower()

    def list_path(self, namespace: str | None) -> str:
        """Return the URL path of the list; None is all namespaces."""
        root = "/api" if "/" not in self.api_version else "/apis"
        scope = f"/namespaces/{namespace}" if namespace is not None else ""
        return f"{root}/{self.api_version}{scope}/{self.plural}"

    @property
    def names(self) -> frozenset[str]:
        """The names that kubectl accepts, without a version."""
        group = self.api_version.partition("/")[0] if "/" in self.api_version else ""
        names = {self.singular, self.plural, *self.short_names}
        qualified = {f"{name}.{group}" for name in names} if group else set[str]()
        return frozenset(names | qualified)


POD = ResourceType("Pod", "v1", "pods", ("po",))
DEPLOYMENT = ResourceType("Deployment", "apps/v1", "deployments", ("deploy",))

RESOURCE_TYPES = (
    POD,
    DEPLOYMENT,
    ResourceType("StatefulSet", "apps/v1", "statefulsets", ("sts",)),
    ResourceType("DaemonSet", "apps/v1", "daemonsets", ("ds",)),
    ResourceType("ReplicaSet", "apps/v1", "replicasets", ("rs",)),
    ResourceType("ReplicationController", "v1", "replicationcontrollers", ("rc",)),
    ResourceType("Job", "batch/v1", "jobs"),
    ResourceType("CronJob", "batch/v1", "cronjobs", ("cj",)),
    ResourceType("Rollout", "argoproj.io/v1alpha1", "rollouts"),
    ResourceType("DeploymentConfig", "apps.openshift.io/v1", "deploymentconfigs", ("dc",)),
)
_TYPES_BY_NAME = {name: resource for resource in RESOURCE_TYPES for name in resource.names}
TYPES_BY_KIND = {(resource.api_version, resource.kind): resource for resource in RESOURCE_TYPES}


class Target(Struct, frozen=True):
    """A type and the name of an object; an empty name is all objects of the type."""

    resource: ResourceType
    name: str = ""


def parse_targets(words: Sequence[str]) -> list[Target]:
    """Parse ``TYPE/NAME …``, ``TYPE NAME …``, or ``TYPE``; raises ``CommandError``."""
    if not words:
        return []
    if any("/" in word for word in words):
        return [_parse_target(word) for word in words]
    resource = _lookup_type(words[0])
    return [Target(resource, name) for name in words[1:]] or [Target(resource)]


def _parse_target(word: str) -> Target:
    type_name, slash, name = word.partition("/")
    if not slash or not name or "/" in name:
        raise CommandError(f"{word}: expected TYPE/NAME; use pod/web-1 or deployment/web")
    return Target(_lookup_type(type_name, example=f"pod/{name}"), name)


def _lookup_type(name: str, *, example: str = "") -> ResourceType:
    resource = _TYPES_BY_NAME.get(name.lower())
    if resource is None:
        known_types = ", ".join(resource.singular for resource in RESOURCE_TYPES)
        remedy = f"write TYPE/NAME, such as {example or f'pod/{name}'}, with one of the types"
        if "," in name:  # as kubectl get accepts
            remedy = "use one of the types"
        raise CommandError(f"{name}: unknown type; {remedy} {known_types}")
    return resource
