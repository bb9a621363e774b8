"""What the conversion of pods and pod templates sets until 1.36, and their defaults set since."""

from podgraft.base.jsonvalue import Object, object_at, objects_at

from .workload import INJECTED


def convert_pod(type_name: str, encoded: Object) -> None:
    """Set what the conversion of pods and pod templates sets, until 1.36."""
    path = INJECTED.get(type_name.removeprefix("v1."))
    if path is None:
        return
    _fill_pod_ips(object_at(encoded, "status"))
    spec = object_at(encoded, *path.spec)
    account = spec.get("serviceAccountName") or spec.get("serviceAccount")
    if account:
        spec["serviceAccountName"] = spec["serviceAccount"] = account
    grace = spec.get("terminationGracePeriodSeconds")
    if not path.template and isinstance(grace, int) and grace < 0:
        spec["terminationGracePeriodSeconds"] = 1


def _fill_pod_ips(status: Object) -> None:
    """Set the address of a pod by its list of addresses; if both exist, the address wins."""
    address, addresses = status.get("podIP"), objects_at(status, "podIPs")
    if address and (not addresses or addresses[0].get("ip") != address):
        status["podIPs"] = [{"ip": address}]
    elif addresses and addresses[0].get("ip"):
        status["podIP"] = addresses[0]["ip"]
