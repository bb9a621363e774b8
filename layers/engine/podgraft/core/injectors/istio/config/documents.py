"""The input of the compiler of Istio's injector: its documents, and the environment of istiod."""

from collections.abc import Mapping

from msgspec import Struct, field

from podgraft.base.jsonvalue import Object
from podgraft.core.policy import Features

# istiod's variables for the features of a policy.
VARIABLES = {
    "native_sidecars": "ENABLE_NATIVE_SIDECARS",
    "platform": "PLATFORM",
    "compliance_policy": "COMPLIANCE_POLICY",
    "legacy_fsgroup_injection": "ENABLE_LEGACY_FSGROUP_INJECTION",
    "rewrite_tcp_probes": "REWRITE_TCP_PROBES",
}


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
        settings = ((variable, getattr(self, name)) for name, variable in VARIABLES.items())
        switches = {
            name: str(value).lower() if isinstance(value, bool) else value
            for name, value in settings
            if value is not None
        }
        return {**(self.env or {}), **switches}
