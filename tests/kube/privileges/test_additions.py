"""The privileges that a change adds: only those that the object did not have."""

from copy import deepcopy
from typing import Any

import pytest

from podgraft.base.jsonvalue import JSON, Object
from podgraft.kube.privileges import Privilege, find_added

IMAGE = "registry.example.com/web:1"


def container(name: str = "web", **fields: JSON) -> Object:
    return {"name": name, "image": IMAGE, **fields}


def secured(name: str = "side", **context: JSON) -> Object:
    return container(name, securityContext=context)


def pod(*containers: Object, annotations: Object | None = None, **spec: JSON) -> Object:
    metadata: Object = {"name": "p", "annotations": annotations or {}}
    return {"kind": "Pod", "metadata": metadata, "spec": {"containers": [*containers], **spec}}


def find(before: Object, after: Object) -> list[str]:
    """The additions, without the images, which are in every added container."""
    return [str(each) for each in find_added(before, after) if each.kind != "registries"]


WEB = container()

# The settings of an added container, and its privileges.
ADDED: tuple[tuple[dict[str, Any], list[str]], ...] = (
    ({}, []),
    ({"privileged": True}, ["container side is privileged"]),
    ({"privileged": False}, []),
    ({"capabilities": {"add": ["NET_ADMIN"]}}, ["container side adds the capability NET_ADMIN"]),
    ({"capabilities": {"add": ["NET_RAW"]}}, ["container side adds the capability NET_RAW"]),
    ({"capabilities": {"add": ["ALL"]}}, ["container side adds the capability ALL"]),
    (
        {"capabilities": {"add": ["cap_sys_admin"]}},
        ["container side adds the capability SYS_ADMIN"],
    ),
    ({"capabilities": {"add": ["CHOWN"], "drop": ["ALL"]}}, []),
    ({"runAsUser": 0}, ["container side can run as root"]),
    ({"runAsUser": 0, "runAsNonRoot": True}, ["container side can run as root"]),
    ({"runAsNonRoot": False}, ["container side can run as root"]),
    ({"runAsNonRoot": False, "runAsUser": 1337}, []),
    ({"allowPrivilegeEscalation": True}, ["container side allows privilege escalation"]),
    ({"allowPrivilegeEscalation": False}, []),
    (
        {"seccompProfile": {"type": "Unconfined"}},
        ["container side runs without a seccomp profile"],
    ),
    ({"seccompProfile": {"type": "Localhost", "localhostProfile": "p"}}, []),
    ({"seccompProfile": {"type": "OCI"}}, ["container side runs without a seccomp profile"]),
    (
        {"appArmorProfile": {"type": "Unconfined"}},
        ["container side runs without an AppArmor profile"],
    ),
    ({"procMount": "Unmasked"}, ["container side unmasks /proc"]),
    ({"procMount": "Other"}, ["container side unmasks /proc"]),
    ({"seLinuxOptions": {"type": "spc_t"}}, ["container side sets SELinux options"]),
    ({"seLinuxOptions": {"level": "s0"}}, []),
    (
        {"windowsOptions": {"hostProcess": True}},
        ["container side is a host process on Windows"],
    ),
)


@pytest.mark.parametrize("key", ["containers", "initContainers", "ephemeralContainers"])
@pytest.mark.parametrize(("context", "privileges"), ADDED, ids=str)
def test_an_added_container(key: str, context: dict[str, Any], privileges: list[str]) -> None:
    after = pod(WEB)
    spec = after["spec"]
    assert isinstance(spec, dict)
    own = spec.get(key)
    added: list[JSON] = [*(own if isinstance(own, list) else []), secured(**context)]
    spec[key] = added
    assert find(pod(WEB), after) == privileges


@pytest.mark.parametrize(("context", "privileges"), ADDED, ids=str)
def test_a_container_that_had_it_before(context: dict[str, Any], privileges: list[str]) -> None:
    """The pod's own privileges are no additions, wherever the container moves."""
    del privileges
    before = pod(WEB, secured(**context))
    init: list[JSON] = [{**secured(**context), "restartPolicy": "Always"}]
    after = pod(WEB, initContainers=init)
    assert find(before, after) == []


OCI: dict[str, Any] = {"seccompProfile": {"type": "OCI", "oci": {"ref": "r.example.com/p"}}}
UNCONFINED: dict[str, Any] = {"seccompProfile": {"type": "Unconfined"}}

# The own container before and after, and what it gets.
CHANGED: tuple[tuple[dict[str, Any], dict[str, Any], list[str]], ...] = (
    ({"runAsNonRoot": True}, {}, ["container web can run as root"]),
    ({"runAsUser": 1000}, {}, ["container web can run as root"]),
    ({"allowPrivilegeEscalation": False}, {}, ["container web allows privilege escalation"]),
    (
        {"seccompProfile": {"type": "RuntimeDefault"}},
        {},
        ["container web runs without a seccomp profile"],
    ),
    (
        {"capabilities": {"drop": ["ALL"]}},
        {"capabilities": {"drop": ["ALL"], "add": ["NET_BIND_SERVICE"]}},
        ["container web adds the capability NET_BIND_SERVICE"],
    ),
    (
        {"capabilities": {"drop": ["NET_RAW", "KILL"]}},
        {"capabilities": {"drop": ["KILL"]}},
        ["container web adds the capability NET_RAW"],
    ),
    ({"privileged": True}, {"privileged": True, "capabilities": {"add": ["SYS_ADMIN"]}}, []),
    ({"capabilities": {"add": ["ALL"]}}, {"capabilities": {"add": ["ALL", "SYS_ADMIN"]}}, []),
    ({}, {"privileged": True}, ["container web is privileged"]),
    ({}, {"runAsNonRoot": True}, []),
    # A value of a newer Kubernetes can restrict the container.
    (OCI, {}, ["container web runs without a seccomp profile"]),
    (OCI, UNCONFINED, ["container web runs without a seccomp profile"]),
    (UNCONFINED, OCI, []),
    (OCI, {"seccompProfile": {"type": "RuntimeDefault"}}, []),
    (OCI, {**OCI, "runAsNonRoot": True}, []),
    (
        {"appArmorProfile": {"type": "Other"}},
        {"appArmorProfile": {"type": "Unconfined"}},
        ["container web runs without an AppArmor profile"],
    ),
    ({"procMount": "Other"}, {"procMount": "Unmasked"}, ["container web unmasks /proc"]),
    ({"procMount": "Unmasked"}, {"procMount": "Other"}, []),
    (
        {"seLinuxOptions": {"type": "spc_t"}},
        {"seLinuxOptions": {"type": "spc_t"}, "privileged": True},
        ["container web is privileged"],
    ),
    ({"seLinuxOptions": {"type": "spc_t"}}, {"seLinuxOptions": {"type": "container_t"}}, []),
)


@pytest.mark.parametrize(("before", "after", "privileges"), CHANGED, ids=str)
def test_a_changed_container(
    before: dict[str, Any], after: dict[str, Any], privileges: list[str]
) -> None:
    assert find(pod(secured("web", **before)), pod(secured("web", **after))) == privileges


# Fields of the pod before and after.
OF_POD: tuple[tuple[dict[str, Any], dict[str, Any], list[str]], ...] = (
    ({}, {"hostNetwork": True}, ["the pod uses the host namespace hostNetwork"]),
    ({}, {"hostPID": True}, ["the pod uses the host namespace hostPID"]),
    ({"hostIPC": True}, {"hostIPC": True}, []),
    ({"hostUsers": False}, {}, ["the pod uses the host namespace hostUsers"]),
    ({}, {"hostUsers": True}, []),
    ({"hostUsers": False}, {"hostUsers": False}, []),
    (
        {},
        {"volumes": [{"name": "v", "hostPath": {"path": "/var//log/"}}]},
        ["the pod mounts the host path /var/log"],
    ),
    (
        {"volumes": [{"name": "v", "hostPath": {"path": "/var/log"}}]},
        {"volumes": [{"name": "w", "hostPath": {"path": "/var/log/"}}]},
        [],
    ),
    (
        {},
        {"securityContext": {"sysctls": [{"name": "net/core/somaxconn", "value": "1"}]}},
        ["the pod sets the unsafe sysctl net.core.somaxconn"],
    ),
    (
        {},
        {"securityContext": {"sysctls": [{"name": "net.ipv4.tcp_syncookies", "value": "1"}]}},
        [],
    ),
    ({}, {"serviceAccountName": "admin"}, ["the pod gets the service account admin"]),
    ({}, {"serviceAccountName": "default"}, []),
    ({}, {"serviceAccount": "admin"}, ["the pod gets the service account admin"]),
    ({"serviceAccount": "admin"}, {"serviceAccountName": "admin"}, []),
    # The containers inherit these.
    ({}, {"securityContext": {"runAsUser": 0}}, ["container web can run as root"]),
    ({"securityContext": {"runAsNonRoot": True}}, {}, ["container web can run as root"]),
    (
        {},
        {"securityContext": {"seccompProfile": {"type": "Unconfined"}}},
        ["container web runs without a seccomp profile"],
    ),
    (
        {},
        {"securityContext": {"windowsOptions": {"hostProcess": True}}},
        ["container web is a host process on Windows"],
    ),
)


@pytest.mark.parametrize(("before", "after", "privileges"), OF_POD, ids=str)
def test_fields_of_the_pod(
    before: dict[str, Any], after: dict[str, Any], privileges: list[str]
) -> None:
    assert find(pod(WEB, **before), pod(WEB, **after)) == privileges


def test_an_added_container_inherits_what_the_author_set() -> None:
    own: dict[str, Any] = {"securityContext": {"runAsUser": 0}}
    assert find(pod(WEB, **own), pod(WEB, container("side"), **own)) == []


def test_an_added_container_weakens_the_own_setting_of_the_pod() -> None:
    own: dict[str, Any] = {"securityContext": {"runAsNonRoot": True, "runAsUser": 1000}}
    after = pod(WEB, secured(runAsNonRoot=False, runAsUser=0), **own)
    assert find(pod(WEB, **own), after) == ["container side can run as root"]


def test_an_annotation_of_apparmor() -> None:
    key = "container.apparmor.security.beta.kubernetes.io/web"
    unconfined = pod(WEB, annotations={key: "unconfined"})
    assert find(pod(WEB), unconfined) == ["container web runs without an AppArmor profile"]
    assert find(unconfined, unconfined) == []
    confined = pod(WEB, annotations={key: "runtime/default"})
    assert find(pod(WEB), confined) == []
    assert find(confined, pod(WEB)) == ["container web runs without an AppArmor profile"]
    own_profile = pod(WEB, annotations={key: "localhost/p"})
    assert find(pod(WEB), own_profile) == []
    granted = container(securityContext={"appArmorProfile": {"type": "Unconfined"}})
    assert find(pod(WEB), pod(granted, annotations={key: "runtime/default"})) == [
        "container web runs without an AppArmor profile"
    ]
    unknown = container(securityContext={"appArmorProfile": {"type": "Other"}})
    added = find(pod(WEB), pod(unknown, annotations={key: "runtime/default"}))
    assert added == ["container web runs without an AppArmor profile"]


def test_ports_and_probes() -> None:
    before = pod(container(ports=[{"containerPort": 80, "hostPort": 80}]))
    after = pod(
        container(
            ports=[{"containerPort": 80, "hostPort": 80}, {"containerPort": 1, "hostPort": 8126}],
            livenessProbe={"httpGet": {"host": "169.254.169.254", "port": 80}},
        )
    )
    assert find(before, after) == [
        "container web has a probe or a lifecycle hook that calls another host",
        "container web uses the host port 8126",
    ]


def test_images_of_containers_and_volumes() -> None:
    before = pod(WEB)
    volumes: list[JSON] = [{"name": "v", "image": {"reference": "evil/x"}}]
    after = pod({**WEB, "image": "other/web:1"}, container("side", image="s:1"), volumes=volumes)
    assert [(each.container, each.value) for each in find_added(before, after)] == [
        ("", "evil/x"),
        ("web", "other/web:1"),
        ("side", "s:1"),
    ]


def test_an_image_that_stays_is_no_addition() -> None:
    after = pod({**WEB, "securityContext": {"privileged": True}}, {"name": "side"})
    assert [(each.container, each.kind) for each in find_added(pod(WEB), after)] == [
        ("web", "privileged")
    ]


def test_a_privilege_has_the_image_of_its_container() -> None:
    after = pod({**secured(name="web", privileged=True), "image": "other/web:1"})
    assert [(each.kind, each.image) for each in find_added(pod(WEB), after)] == [
        ("privileged", "other/web:1"),
        ("registries", ""),
    ]


TEMPLATE: Object = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [WEB]}}
CHANGED_TEMPLATE: Object = {
    **TEMPLATE,
    "spec": {"containers": [WEB, secured(privileged=True)], "hostPID": True},
}
WORKLOADS: tuple[Object, ...] = (
    {"kind": "Deployment", "spec": {"template": TEMPLATE}},
    {"kind": "PodTemplate", "template": TEMPLATE},
    {"kind": "CronJob", "spec": {"jobTemplate": {"spec": {"template": TEMPLATE}}}},
    {"kind": "RayCluster", "spec": {"groups": [{"name": "g", "template": TEMPLATE}]}},
    {"kind": "Prometheus", "spec": TEMPLATE["spec"]},
)


def with_template(value: JSON) -> JSON:
    if value is TEMPLATE:
        return CHANGED_TEMPLATE
    if value is TEMPLATE["spec"]:
        return CHANGED_TEMPLATE["spec"]
    if isinstance(value, dict):
        return {key: with_template(member) for key, member in value.items()}
    return [with_template(each) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize("workload", WORKLOADS, ids=lambda workload: workload["kind"])
def test_pod_templates_in_any_kind(workload: Object) -> None:
    after = with_template(workload)
    assert isinstance(after, dict)
    assert find(workload, after) == [
        "the pod uses the host namespace hostPID",
        "container side is privileged",
    ]
    assert find(after, deepcopy(after)) == []


def test_templates_without_names_are_compared_by_their_order() -> None:
    own: list[JSON] = [CHANGED_TEMPLATE, TEMPLATE]
    assert (
        find({"kind": "Set", "templates": own}, {"kind": "Set", "templates": deepcopy(own)}) == []
    )
    moved: list[JSON] = [TEMPLATE, CHANGED_TEMPLATE]
    assert find({"kind": "Set", "templates": own}, {"kind": "Set", "templates": moved}) == [
        "the pod uses the host namespace hostPID",
        "container side is privileged",
    ]


def test_a_mapping_can_be_a_spec_and_have_one() -> None:
    before: Object = {"kind": "Set", "containers": [WEB], "spec": {"containers": [WEB]}}
    after: Object = {**before, "containers": [WEB, secured(privileged=True)]}
    assert find(before, after) == ["container side is privileged"]


def test_names_and_settings_of_any_type_in_any_kind() -> None:
    """A custom resource can have a mapping or a list in the place of a text."""
    names: list[JSON] = [{"name": {"exact": "a"}}, {"name": ["b"]}]
    before: Object = {"kind": "Route", "hosts": [*names], "spec": {"containers": [WEB]}}
    side: JSON = {**WEB, "name": "side", "securityContext": {"procMount": ["Unmasked"]}}
    after: Object = {"kind": "Route", "hosts": [{}, *names], "spec": {"containers": [WEB, side]}}
    assert find(before, after) == ["container side unmasks /proc"]


def test_a_description_without_values_of_the_author() -> None:
    (path,) = find_added(pod(), pod(volumes=[{"name": "v", "hostPath": {"path": "/secret"}}]))
    assert path.redact() == "the pod mounts the host path"
    (namespace,) = find_added(pod(), pod(hostPID=True))
    assert namespace.redact() == "the pod uses the host namespace hostPID"
    (image,) = find_added(pod(), pod(container("side", image="evil/x")))
    assert image.redact() == "container side uses an image of a registry that is not listed"
    assert Privilege(image.kind, "S3cret value", "x").redact().startswith("a container uses an")
    assert Privilege(path.kind, "S3cret value").redact().startswith("a container")
