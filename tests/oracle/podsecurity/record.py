"""Pods for the oracle of the Pod Security Standards, and the fixture of its answers.

python -m oracle.podsecurity.record        (in tests/, with the repository's environment)
"""

from pathlib import Path
from random import Random

from oracle import program
from podgraft.base.jsonvalue import JSON, Object

FIXTURE = Path(__file__).parents[2] / "kube" / "privileges" / "fixtures" / "pod_security.jsonl"
PODS = 600

PROFILES: tuple[JSON, ...] = (
    *({"type": name} for name in ("RuntimeDefault", "Unconfined", "OCI")),
    {"type": "Localhost", "localhostProfile": "p"},
)
CAPABILITIES: tuple[JSON, ...] = (
    *({"add": [name]} for name in ("NET_ADMIN", "NET_RAW", "CHOWN", "NET_BIND_SERVICE", "ALL")),
    *({"drop": ["ALL"]}, {"drop": ["ALL"], "add": ["NET_BIND_SERVICE"]}, {"drop": ["KILL"]}),
    *({"drop": ["ALL"], "add": ["SYS_ADMIN", "chown"]}, {}, {"add": []}),
)
SELINUX: tuple[JSON, ...] = (
    *({"type": name} for name in ("container_t", "container_engine_t", "spc_t", "")),
    *({"user": "u"}, {"role": "r"}, {"level": "s0"}, {}),
)
WINDOWS: tuple[JSON, ...] = ({"hostProcess": True}, {"hostProcess": False}, {})
# The possible values of fields of both securityContexts, and of the container's.
SHARED: dict[str, tuple[JSON, ...]] = {
    "runAsNonRoot": (True, False),
    "runAsUser": (0, 1000),
    "seccompProfile": PROFILES,
    "appArmorProfile": PROFILES,
    "seLinuxOptions": SELINUX,
    "windowsOptions": WINDOWS,
}
OF_CONTAINER: dict[str, tuple[JSON, ...]] = {
    **SHARED,
    "privileged": (True, False),
    "allowPrivilegeEscalation": (True, False),
    "capabilities": CAPABILITIES,
    "procMount": ("Default", "Unmasked"),
}
SYSCTLS = (
    *("kernel.msgmax", "kernel.shm_rmid_forced", "net.core.somaxconn"),
    *(
        f"net.ipv4.{name}"
        for name in (
            *("ip_local_port_range", "ip_local_reserved_ports", "ip_unprivileged_port_start"),
            *("ping_group_range", "tcp_fin_timeout", "tcp_keepalive_intvl"),
            *("tcp_keepalive_probes", "tcp_keepalive_time", "tcp_mem", "tcp_notsent_lowat"),
            *("tcp_rmem", "tcp_slow_start_after_idle", "tcp_syncookies", "tcp_wmem"),
        )
    ),
)
VOLUMES: tuple[Object, ...] = (
    *({"emptyDir": {}}, {"hostPath": {"path": "/"}}, {"nfs": {"server": "s", "path": "/"}}),
    *({"secret": {"secretName": "s"}}, {"projected": {"sources": []}}, {"csi": {"driver": "d"}}),
    *(
        {"image": {"reference": "i"}},
        {"gitRepo": {"repository": "r"}},
        {"configMap": {"name": "c"}},
    ),
)
HANDLERS: tuple[Object, ...] = (
    {"httpGet": {"port": 1}},
    {"httpGet": {"port": 1, "host": "h"}},
    {"tcpSocket": {"port": 1, "host": "h"}},
    {"exec": {"command": ["x"]}},
)
COMPLIANT: Object = {
    "allowPrivilegeEscalation": False,
    "runAsNonRoot": True,
    "capabilities": {"drop": ["ALL"]},
    "seccompProfile": {"type": "RuntimeDefault"},
}


def main() -> None:
    """Record the fixture again."""
    random = Random(0)  # noqa: S311 - the same rows every time
    rows = [{"pod": make_pod(random)} for _ in range(PODS)]
    program.write(FIXTURE, program.ask_program("podsecurity", rows))


def make_pod(random: Random) -> Object:
    """A pod with a few settings, of which any can be a violation."""
    spec: Object = {
        "containers": [make_container(random, name) for name in "ab"[: random.randint(1, 2)]],
        "securityContext": choose(random, SHARED, 0.15),
        "volumes": [
            {"name": f"v{number}", **random.choice(VOLUMES)}
            for number in range(random.randrange(3))
        ],
    }
    if random.random() < 0.3:
        spec["initContainers"] = [make_container(random, "i")]
    if random.random() < 0.2:
        spec["ephemeralContainers"] = [make_container(random, "e", handlers=False)]
    for field in ("hostNetwork", "hostPID", "hostIPC", "hostUsers"):
        if random.random() < 0.1:
            spec[field] = random.choice((True, False))
    if random.random() < 0.3:
        names = random.sample(SYSCTLS, 2)
        context = spec["securityContext"]
        assert isinstance(context, dict)
        context["sysctls"] = [{"name": name, "value": "1"} for name in names]
    metadata: Object = {"name": "p"}
    if random.random() < 0.2:
        profile = random.choice(("unconfined", "runtime/default", "localhost/p", ""))
        metadata["annotations"] = {"container.apparmor.security.beta.kubernetes.io/a": profile}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def make_container(random: Random, name: str, *, handlers: bool = True) -> Object:
    """A container: half of them comply with the level restricted, except for a few settings."""
    context: Object = dict(COMPLIANT) if random.random() < 0.5 else {}
    container: Object = {
        "name": name,
        "image": "i",
        "securityContext": context | choose(random, OF_CONTAINER, 0.1),
    }
    if random.random() < 0.15:
        port: Object = {"containerPort": 80, "hostPort": random.choice((0, 80))}
        container["ports"] = [port]
    if handlers and random.random() < 0.2:
        container[random.choice(("livenessProbe", "readinessProbe", "startupProbe"))] = (
            random.choice(HANDLERS)
        )
    if handlers and random.random() < 0.1:
        container["lifecycle"] = {random.choice(("postStart", "preStop")): random.choice(HANDLERS)}
    return container


def choose(random: Random, fields: dict[str, tuple[JSON, ...]], share: float) -> Object:
    """Some of the fields, each with one of its values."""
    return {key: random.choice(values) for key, values in fields.items() if random.random() < share}


if __name__ == "__main__":
    main()
