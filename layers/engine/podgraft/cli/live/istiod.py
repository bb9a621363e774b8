"""The inputs of istiod that a policy sets: environment variables, release, and kubelet versions.

Sources: pilot/pkg/features/pilot.go and pkg/kube/inject of Istio 1.30; ``features`` of the policy
has the same switches.
"""

import re
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from podgraft.base.jsonvalue import JSON, Object, objects_at, string_at
from podgraft.core.injectors.istio import releases

# Names a ConfigMap that istiod merges below the mesh configuration of the revision.
SHARED_MESH = "SHARED_MESH_CONFIG"

_CONTAINER = "discovery"
# By variable: the key below features, and whether it is a boolean.
_SWITCHES = {
    "PLATFORM": ("platform", False),
    "COMPLIANCE_POLICY": ("compliancePolicy", False),
    "ENABLE_LEGACY_FSGROUP_INJECTION": ("legacyFSGroupInjection", True),
    "REWRITE_TCP_PROBES": ("rewriteTCPProbes", True),
}
_NATIVE = "ENABLE_NATIVE_SIDECARS"
_READ_BY_CODE = frozenset({*_SWITCHES, _NATIVE, SHARED_MESH, "REVISION", "CLUSTER_ID"})
_AUTO_SINCE = 27  # the minor of Istio 1 that detects native sidecars by the nodes
_NATIVE_KUBELET = (1, 33)
_TEMPLATE_ENV = re.compile(r"\benv\s+[\"`]([A-Za-z_][A-Za-z0-9_]*)[\"`]")
_VERSION = re.compile(r"v?(\d+)\.(\d+)")
# strconv.ParseBool, which Istio uses.
_TRUE = frozenset({"1", "t", "T", "TRUE", "true", "True"})


class IstiodEnvironment(Struct, frozen=True):
    """The environment of istiod: readable variables, and the names of the others."""

    variables: Mapping[str, str]
    references: frozenset[str] = frozenset()
    has_sources: bool = False  # envFrom
    image: str = ""

    @property
    def tag(self) -> str:
        """The tag of the image."""
        return self.image.partition("@")[0].rpartition("/")[2].partition(":")[2]


def parse_deployment(deployment: Object) -> IstiodEnvironment:
    """Return the environment of istiod's container."""
    containers = objects_at(deployment, "spec", "template", "spec", "containers")
    selected = [each for each in containers if each.get("name") == _CONTAINER] or containers
    container: Object = selected[0] if selected else {}
    entries = objects_at(container, "env")
    return IstiodEnvironment(
        variables={
            string_at(entry, "name"): string_at(entry, "value")
            for entry in entries
            if "valueFrom" not in entry
        },
        references=frozenset(string_at(entry, "name") for entry in entries if "valueFrom" in entry),
        has_sources=bool(objects_at(container, "envFrom")),
        image=string_at(container, "image"),
    )


def find_template_variables(config: str) -> frozenset[str]:
    """Return the names of the variables that templates read with ``env``."""
    return frozenset(_TEMPLATE_ENV.findall(config))


def make_features(environment: IstiodEnvironment, template_variables: frozenset[str]) -> Object:
    """Return ``features`` of the policy, without ``nativeSidecars``."""
    variables = environment.variables
    features: Object = {}
    for name, (key, is_boolean) in _SWITCHES.items():
        if variables.get(name):
            features[key] = variables[name] in _TRUE if is_boolean else variables[name]
    names = sorted(template_variables & variables.keys() - {_NATIVE})
    env: Object = {name: variables[name] for name in names if variables[name]}
    return {**features, "env": env} if env else features


def find_native_mode(environment: IstiodEnvironment, release: str | None) -> str:
    """Return ``true``, ``false``, or ``auto``, as istiod reads it."""
    minor = _parse_minor(release or environment.tag)
    default = "false" if minor is not None and minor < _AUTO_SINCE else "auto"
    value = environment.variables.get(_NATIVE) or default
    if default == "false":
        return "true" if value in _TRUE else "false"
    return value if value in {"true", "auto"} else "false"


def _parse_minor(text: str) -> int | None:
    name = releases.parse_name(text)
    return None if name is None else name.minor


def are_kubelets_native(versions: Iterable[str]) -> bool:
    """Whether every kubelet supports native sidecars by default, as istiod decides."""
    for text in versions:
        match = _VERSION.match(text)
        if match is None or (int(match[1]), int(match[2])) < _NATIVE_KUBELET:
            return False
    return True


def find_unread(
    environment: IstiodEnvironment, template_variables: frozenset[str]
) -> Iterator[str]:
    """Yield a warning for each input that the policy cannot contain."""
    for name in sorted(environment.references & (_READ_BY_CODE | template_variables)):
        yield (
            f"istiod: variable {name}: its value is in another object; set it in the policy, "
            "under features"
        )
    if environment.has_sources:
        names = ", ".join(sorted(template_variables | {*_SWITCHES, _NATIVE}))
        yield (
            "istiod: envFrom: its variables are not read; if it sets one of "
            f"{names}, add it to features of the policy"
        )


def choose_release(environment: IstiodEnvironment, values_tag: JSON) -> str | None:
    """Return ``istioRelease`` if the values name another release than the image of istiod."""
    image = releases.parse_name(environment.tag) if environment.tag else None
    values = releases.parse_name(values_tag) if isinstance(values_tag, str) else None
    if image is None or (values is not None and values[1:4] == image[1:4]):
        return None
    return image.text
