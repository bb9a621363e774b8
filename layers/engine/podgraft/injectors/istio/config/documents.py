"""What an Istio injector is compiled from: its documents, and what istiod knew besides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from podgraft.jsonvalue import Object
from podgraft.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Documents:
    """The texts of the two ConfigMaps, and the objects that istiod would have looked up.

    ``config`` and ``values`` are the keys of ConfigMap ``istio-sidecar-injector``, ``mesh`` is the
    key of ConfigMap ``istio``. ``proxy_configs`` are ProxyConfig resources, oldest first;
    ``namespaces`` are Namespace objects by name.
    """

    config: str
    values: str = "{}"
    mesh: str = ""
    proxy_configs: tuple[Object, ...] = ()
    namespaces: Mapping[str, Object] = field(default_factory=dict[str, Object])


@dataclass(frozen=True, slots=True, kw_only=True)
class IstiodEnvironment:
    """What istiod took from its flags, environment and cluster; ``None`` means not said.

    ``release`` is MAJOR.MINOR or MAJOR.MINOR.PATCH; not said, it is read from the values'
    ``global.tag``, else from the template (release_choice.py). ``env`` is all that the template
    function ``env`` can see, and answers for a switch that is not said (``ENABLE_NATIVE_SIDECARS``
    and its like). ``default_templates`` and ``injected_annotations`` replace the configuration's
    own.
    """

    release: str | None = None
    revision: str = ""
    native_sidecars: bool | None = None
    platform: str | None = None
    compliance_policy: str | None = None
    legacy_fsgroup_injection: bool | None = None
    rewrite_tcp_probes: bool | None = None
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    default_templates: tuple[str, ...] | None = None
    injected_annotations: Mapping[str, str] | None = None

    def environment(self) -> Mapping[str, str]:
        """``env``, and the switches that were said, under the names that istiod reads them by."""
        said = {
            "ENABLE_NATIVE_SIDECARS": _switch_value(self.native_sidecars),
            "PLATFORM": self.platform,
            "COMPLIANCE_POLICY": self.compliance_policy,
            "ENABLE_LEGACY_FSGROUP_INJECTION": _switch_value(self.legacy_fsgroup_injection),
            "REWRITE_TCP_PROBES": _switch_value(self.rewrite_tcp_probes),
        }
        return dict(self.env) | {name: text for name, text in said.items() if text is not None}


def _switch_value(switch: bool | None) -> str | None:
    return None if switch is None else str(switch).lower()
