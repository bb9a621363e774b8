"""The configuration of an injector of Istio, compiled: the same for all pods."""

from collections.abc import Mapping

from msgspec import Struct

from podgraft.base.jsonvalue import Object
from podgraft.core.injectors.errors import Diagnostic
from podgraft.core.injectors.istio.config.config_map import Values
from podgraft.core.injectors.istio.config.protojson import Message
from podgraft.core.injectors.istio.releases import Profile
from podgraft.core.injectors.istio.render.templates import TemplateSet
from podgraft.core.policy import InjectionRules


class InjectorConfig(Struct, frozen=True, kw_only=True):
    """The values that all injections of one configuration read.

    ``proxy`` is the lowest layer of the webhook's proxy configurations: that of the mesh.
    ``newer_release`` is the release that the settings name, if podgraft does not know it.
    """

    profile: Profile
    rules: InjectionRules
    values: Values
    mesh: Message
    proxy: Message
    templates: TemplateSet
    injected_annotations: Mapping[str, str]
    proxy_configs: tuple[Object, ...]
    namespaces: Mapping[str, Object]
    revision: str
    native_sidecars: bool
    openshift: bool
    compliance_policy: str
    tcp_probes: bool
    legacy_fsgroup: bool
    template_version: str
    newer_release: str = ""
    warnings: tuple[Diagnostic, ...] = ()
