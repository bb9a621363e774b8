"""The input of the compiler of Istio's injector: its documents, and the environment of istiod."""

from collections.abc import Mapping

from msgspec import Struct, field

from podgraft.base.jsonvalue import Object
from podgraft.core.policy import Features


class Documents(Struct, frozen=True, kw_only=True):
    """The texts of the two ConfigMaps, and the objects that istiod reads from the cluster.

    ``config`` and ``values`` are the keys of ConfigMap ``istio-sidecar-injector``, ``mesh`` is the
    key of ConfigMap ``istio``. ``proxy_configs`` are ProxyConfig resources, oldest first;
    ``namespaces`` are Namespace objects by name.
    """

    config: str
    values: str = "{}"
    mesh: str = ""
    proxy_configs: tuple[Object, ...] = ()
    namespaces: Mapping[str, Object] = field(default_factory=dict[str, Object])


class IstiodEnvironment(Features, frozen=True, kw_only=True):
    """The settings that istiod reads from its flags, environment, and cluster; None means unset.

    ``release`` is MAJOR.MINOR or MAJOR.MINOR.PATCH. If it is unset, ``global.tag`` of the values or
    the template determines the release (release_choice.py). ``env`` has the variables for the
    template function ``env``; they also set an unset switch (``ENABLE_NATIVE_SIDECARS``).
    ``default_templates`` and ``injected_annotations`` replace those of the configuration.
    """

    release: str | None = None
    revision: str = ""
    default_templates: tuple[str, ...] | None = None
    injected_annotations: Mapping[str, str] | None = None

    def environment(self) -> Mapping[str, str]:
        """Return ``env`` with the variables of the set switches, by istiod's names."""
        switches = {
            "ENABLE_NATIVE_SIDECARS": _switch_value(self.native_sidecars),
            "PLATFORM": self.platform,
            "COMPLIANCE_POLICY": self.compliance_policy,
            "ENABLE_LEGACY_FSGROUP_INJECTION": _switch_value(self.legacy_fsgroup_injection),
            "REWRITE_TCP_PROBES": _switch_value(self.rewrite_tcp_probes),
        }
        return {**(self.env or {}), **{k: v for k, v in switches.items() if v is not None}}


def _switch_value(switch: bool | None) -> str | None:
    return None if switch is None else str(switch).lower()
