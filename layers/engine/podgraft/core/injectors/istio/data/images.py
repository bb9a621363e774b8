"""The image of the proxy: hub, name, tag, and the image type in the tag."""

from collections.abc import Mapping

from podgraft.base.jsonvalue import object_at
from podgraft.core.injectors.istio.config.config_map import Values
from podgraft.core.injectors.istio.config.protojson import Message
from podgraft.core.injectors.istio.releases import Profile

TYPE_ANNOTATION = "sidecar.istio.io/proxyImageType"

_DEFAULT_NAME = "proxyv2"
_DEFAULT_TYPE = "default"
_TYPE_SUFFIXES = ("-distroless", "-debug")


def proxy_image(
    profile: Profile, values: Values, proxy: Message, annotations: Mapping[str, str]
) -> str:
    """The image of istio-proxy."""
    kind = _configured_type(profile, values, proxy)
    return _format_image(values, values.proxy_image, annotations.get(TYPE_ANNOTATION, kind))


def proxy_init_image(values: Values, annotations: Mapping[str, str]) -> str:
    """The image of istio-init, which does not depend on the ProxyConfig."""
    kind = annotations.get(TYPE_ANNOTATION, values.variant)
    return _format_image(values, values.proxy_init_image, kind)


def make_tag(tag: str, kind: str) -> str:
    """Return the tag for an image type.

    >>> make_tag("1.12-debug", "distroless"), make_tag("1.11.2-asm.17-distroless", "default")
    ('1.12-distroless', '1.11.2-asm.17')
    """
    if not kind:
        return tag
    bare = next(
        (tag.removesuffix(suffix) for suffix in _TYPE_SUFFIXES if tag.endswith(suffix)), tag
    )
    return bare if kind == _DEFAULT_TYPE else f"{bare}-{kind}"


def _configured_type(profile: Profile, values: Values, proxy: Message) -> str:
    """The image type before annotations: ProxyConfig's, or the values' variant.

    ==================  ===============  ==============
    ProxyConfig.image   until 1.30       since 1.31
    ==================  ===============  ==============
    absent              variant          variant
    without imageType   none             variant
    with imageType      imageType        imageType
    ==================  ===============  ==============
    """
    variant = values.variant if profile.image_variant else ""
    kind = object_at(proxy, "image").get("imageType")
    if isinstance(kind, str) and kind:
        return kind
    return "" if "image" in proxy and not profile.image_type_falls_back else variant


def _format_image(values: Values, name: str, kind: str) -> str:
    return f"{values.hub}/{name or _DEFAULT_NAME}:{make_tag(values.tag, kind)}"
