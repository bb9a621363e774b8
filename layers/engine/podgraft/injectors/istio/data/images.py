"""The proxy's image: hub, name, tag, and the image type within the tag."""

from __future__ import annotations

from collections.abc import Mapping

from podgraft.injectors.istio.config.config_map import Values
from podgraft.injectors.istio.config.protojson import Message
from podgraft.injectors.istio.releases import Profile
from podgraft.jsonvalue import object_at

TYPE_ANNOTATION = "sidecar.istio.io/proxyImageType"

_DEFAULT_NAME = "proxyv2"
_DEFAULT_TYPE = "default"
_KNOWN_SUFFIXES = ("-distroless", "-debug")


def proxy_image(
    profile: Profile, values: Values, proxy: Message, annotations: Mapping[str, str]
) -> str:
    """The image of istio-proxy."""
    kind = _configured_type(profile, values, proxy)
    return _format_image(values, values.proxy_image, annotations.get(TYPE_ANNOTATION, kind))


def proxy_init_image(values: Values, annotations: Mapping[str, str]) -> str:
    """The image of istio-init, which the ProxyConfig has no say in."""
    kind = annotations.get(TYPE_ANNOTATION, values.variant)
    return _format_image(values, values.proxy_init_image, kind)


def tag_with_type(tag: str, kind: str) -> str:
    """The tag for an image type.

    >>> tag_with_type("1.12-debug", "distroless"), tag_with_type("1.11.2-asm.17-distroless", "default")
    ('1.12-distroless', '1.11.2-asm.17')
    """  # noqa: E501
    if not kind:
        return tag
    bare = next((tag.removesuffix(each) for each in _KNOWN_SUFFIXES if tag.endswith(each)), tag)
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
    return f"{values.hub}/{name or _DEFAULT_NAME}:{tag_with_type(values.tag, kind)}"
