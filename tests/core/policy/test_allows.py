"""The key ``allows``: its readers, its presets, and which privileges it lists."""

import pytest

from podgraft.core import policy
from podgraft.core.policy import PolicyError
from podgraft.core.policy.allows import PRESETS, Allows
from podgraft.kube.privileges import Kind, Privilege


def parse(allows: str) -> Allows:
    parsed = policy.parse(f"allows: {allows}\n").allows
    assert parsed is not None
    return parsed


def test_without_the_key_nothing_is_checked() -> None:
    assert policy.parse("policy: enabled").allows is None
    assert policy.parse("allows: null").allows is None


@pytest.mark.parametrize(
    ("allows", "privilege"),
    [
        ("{privileged: [side]}", Privilege(Kind.PRIVILEGED, "side")),
        ("{privileged: ['*']}", Privilege(Kind.PRIVILEGED, "web")),
        ("{capabilities: {side: [NET_ADMIN]}}", Privilege(Kind.CAPABILITY, "side", "NET_ADMIN")),
        ("{capabilities: {side: [ALL]}}", Privilege(Kind.CAPABILITY, "side", "SYS_ADMIN")),
        ("{capabilities: {'*': [KILL]}}", Privilege(Kind.CAPABILITY, "web", "KILL")),
        ("{runAsRoot: [side]}", Privilege(Kind.ROOT, "side")),
        ("{hostPorts: [80]}", Privilege(Kind.HOST_PORT, "side", "80")),
        ("{hostPath: [/var//log/]}", Privilege(Kind.HOST_PATH, value="/var/log")),
        ("{hostNamespaces: [hostPID]}", Privilege(Kind.HOST_NAMESPACE, value="hostPID")),
        ("{sysctls: [net/core/somaxconn]}", Privilege(Kind.SYSCTL, value="net.core.somaxconn")),
        ("{serviceAccounts: [a.b]}", Privilege(Kind.SERVICE_ACCOUNT, value="a.b")),
        ("{presets: [istio]}", Privilege(Kind.CAPABILITY, "istio-init", "NET_RAW")),
        ("{presets: [istio]}", Privilege(Kind.ROOT, "istio-proxy")),
        ("{}", Privilege(Kind.IMAGE, "side", "anything")),
        ("{registries: [docker.io/istio]}", Privilege(Kind.IMAGE, "side", "istio/proxyv2:1")),
        ("{privileged: [side]}", Privilege(Kind.PRIVILEGED, "side", image="evil.io/x")),
        ("{privileged: ['*'], registries: []}", Privilege(Kind.PRIVILEGED, "a", image="evil.io/x")),
        (
            "{capabilities: {'*': [ALL]}, registries: []}",
            Privilege(Kind.CAPABILITY, "a", "KILL", "x"),
        ),
        ("{privileged: [a], registries: [x.io]}", Privilege(Kind.PRIVILEGED, "a", image="x.io/x")),
    ],
)
def test_a_listed_privilege(allows: str, privilege: Privilege) -> None:
    assert parse(allows).find_unlisted([privilege]) == ()


@pytest.mark.parametrize(
    ("allows", "privilege"),
    [
        ("{}", Privilege(Kind.PRIVILEGED, "side")),
        ("{privileged: [other]}", Privilege(Kind.PRIVILEGED, "side")),
        ("{privileged: [side]}", Privilege(Kind.ROOT, "side")),
        ("{capabilities: {side: [NET_RAW]}}", Privilege(Kind.CAPABILITY, "side", "NET_ADMIN")),
        ("{capabilities: {other: [ALL]}}", Privilege(Kind.CAPABILITY, "side", "NET_ADMIN")),
        ("{capabilities: {side: [NET_ADMIN]}}", Privilege(Kind.CAPABILITY, "side", "ALL")),
        ("{hostPath: [/var]}", Privilege(Kind.HOST_PATH, value="/var/log")),
        ("{presets: [istio]}", Privilege(Kind.PRIVILEGED, "istio-init")),
        ("{presets: [istio]}", Privilege(Kind.CAPABILITY, "istio-init", "SYS_ADMIN")),
        ("{registries: []}", Privilege(Kind.IMAGE, "side", "istio/proxyv2:1")),
        ("{registries: [docker.io/istio]}", Privilege(Kind.IMAGE, "side", "evil.io/istio/x")),
    ],
)
def test_an_unlisted_privilege(allows: str, privilege: Privilege) -> None:
    assert parse(allows).find_unlisted([privilege]) == (privilege,)


@pytest.mark.parametrize(
    ("allows", "error"),
    [
        ("[]", "/allows: expected a mapping, got a list; write key: value"),
        ("istio", "/allows: expected a mapping, got a string; write key: value"),
        ("{presets: [linkerd]}", '/allows/presets/0: got "linkerd"; use istio'),
        ("{capabilites: {}}", "/allows/capabilites: unknown key; did you mean capabilities?"),
        ("{privileged: side}", "/allows/privileged: expected a list, got a string"),
        ("{privileged: [Side]}", '/allows/privileged/0: got "Side"; use the name of a container'),
        ("{capabilities: [NET_ADMIN]}", "/allows/capabilities: expected a mapping, got a list"),
        (
            "{capabilities: {side: [CAP_NET_ADMIN]}}",
            '/allows/capabilities/side/0: got "CAP_NET_ADMIN"; use a capability of Linux',
        ),
        ("{capabilities: {S: [KILL]}}", '/allows/capabilities/S: got "S"; use the name'),
        ("{hostPath: [var]}", '/allows/hostPath/0: got "var"; use an absolute path'),
        ("{hostPath: [/var/../etc]}", '/allows/hostPath/0: got "/var/../etc"; use an absolute'),
        ("{hostPorts: [0]}", "/allows/hostPorts/0: got 0; use a port from 1 to 65535"),
        ("{hostPorts: [true]}", "/allows/hostPorts/0: got true; use a port"),
        ("{hostNamespaces: [pid]}", '/allows/hostNamespaces/0: got "pid"; use hostNetwork'),
        ("{hostNamespaces: true}", "/allows/hostNamespaces: expected a list"),
        ("{sysctls: ['a b']}", '/allows/sysctls/0: got "a b"; use the name of a sysctl'),
        ("{serviceAccounts: [A]}", '/allows/serviceAccounts/0: got "A"; use the name'),
        (
            "{registries: [istio/proxyv2]}",
            (
                '/allows/registries/0: got "istio/proxyv2", which names no registry; '
                "add the registry: docker.io/istio/proxyv2"
            ),
        ),
        ("{registries: ['https://x.io']}", '/allows/registries/0: got "https://x.io"'),
    ],
)
def test_an_error_has_location_problem_and_remedy(allows: str, error: str) -> None:
    with pytest.raises(PolicyError) as caught:
        policy.parse(f"allows: {allows}\n")
    (diagnostic,) = caught.value.errors
    assert str(diagnostic).startswith(error)
    assert "; " in str(diagnostic)


@pytest.mark.parametrize(
    ("allows", "privilege"),
    [
        ("presets: [istio]", Privilege(Kind.ROOT, "istio-init", image="evil.io/istio/x")),
        ("privileged: [a]", Privilege(Kind.PRIVILEGED, "a", image="evil")),
        ("capabilities: {a: [ALL]}", Privilege(Kind.CAPABILITY, "a", "KILL", "evil")),
    ],
)
def test_a_listed_name_gives_nothing_to_an_unlisted_image(
    allows: str, privilege: Privilege
) -> None:
    """A pod's author can have a container with the name of the sidecar."""
    image = Privilege(Kind.IMAGE, privilege.container, privilege.image)
    listed = parse(f"{{{allows}, registries: [docker.io/istio]}}")
    assert listed.find_unlisted([privilege, privilege]) == (image,)


def test_a_cluster_replaces_the_key_and_cannot_remove_it() -> None:
    document = """\
allows: {privileged: [side]}
clusters:
  narrow: {allows: {}}
  other: {allows: {runAsRoot: [side]}}
  same: {policy: disabled}
  none: {allows: null}
"""
    parsed = policy.parse(document)
    privileged, root = Privilege(Kind.PRIVILEGED, "side"), Privilege(Kind.ROOT, "side")

    def listed(cluster: str) -> list[Privilege]:
        allows = parsed.for_cluster(cluster).allows
        assert allows is not None
        return [each for each in (privileged, root) if allows.lists(each)]

    assert {cluster: listed(cluster) for cluster in parsed.clusters} == {
        "narrow": [],
        "other": [root],
        "same": [privileged],
        "none": [privileged],
    }


def test_policies_with_other_privileges_share_a_bundle_and_no_trial() -> None:
    left, right = policy.parse("allows: {}"), policy.parse("policy: enabled")
    assert left.shares_bundle_with(right)
    assert not left.renders_like(right)
    assert left.renders_like(policy.parse("allows: {}\npolicy: disabled"))


def test_the_union_has_the_registries_of_both() -> None:
    preset = PRESETS["istio"]
    merged = preset.merge(Allows(registries=("docker.io/istio",)))
    assert merged.registries == ("docker.io/istio",)
    assert merged.names == preset.names
