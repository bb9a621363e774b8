"""The security context of the pod, which lets the proxy read its token.

Source: pkg/kube/inject/webhook.go and inject.go of 1.1 to 1.8.
"""

from podgraft.base.jsonvalue import Object
from podgraft.core.injectors.istio.config.protojson import Message
from podgraft.core.injectors.istio.pod_builder import merge_keys
from podgraft.core.injectors.istio.releases import Profile

_FS_GROUP: Object = {"fsGroup": 1337}  # the proxy's group


def make_security_context(
    profile: Profile, mesh: Message, own: Object, *, switch: bool = False
) -> Object:
    """Extend the context *own* of the pod; *switch* is the setting of istiod in 1.8."""
    if not (_uses_sds(profile, mesh) if profile.fs_group_by_sds else switch):
        return own
    return _FS_GROUP if profile.fs_group_replaces else merge_keys(own, _FS_GROUP)


def _uses_sds(profile: Profile, mesh: Message) -> bool:
    """Whether the proxy gets its certificate from SDS with a token."""
    if profile.fs_group_by_token_mount and mesh.get("enableSdsTokenMount") is not True:
        return False
    return bool(mesh.get("sdsUdsPath"))
