"""What an endpoint shows of its caller: the cluster of the token, and the injectors."""

import http.client
from urllib.parse import urlsplit

from podgraft.base import jsonvalue
from podgraft.base.jsonvalue import Object, string_at
from podgraft.cli.certs.endpoint import Address
from podgraft.cli.client_config import split_stage

from .endpoint import EndpointTarget, make_connection
from .faults import Fault, Finding

_SECONDS = 3
_MAX_BYTES = 1 << 20


def read_readiness(target: EndpointTarget) -> Object:
    """Return what ``/readyz`` shows to the caller; empty without credentials, and if it fails."""
    address = Address.parse(target.url)
    token = target.path_token or target.token
    if not token and target.client_files is None:
        return {}
    connection = make_connection(address, target, _SECONDS)
    try:
        stage, _ = split_stage(address.host, urlsplit(target.url).path)
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        connection.request("GET", f"{stage}/readyz", headers=headers)
        return jsonvalue.load_object(connection.getresponse().read(_MAX_BYTES)) or {}
    except (OSError, http.client.HTTPException):
        return {}
    finally:
        connection.close()


def find_other_cluster(target: EndpointTarget, ready: Object, cluster: str) -> Finding | None:
    """Return that the caller in *ready* is not *cluster*: its reviews get other overrides."""
    known = string_at(ready, "caller", "cluster")
    if known in {"", cluster}:
        return None
    credential = "token" if target.path_token or target.token else "client certificate"
    problem = f"the {credential} belongs to {known}"
    remedy = f"register {cluster} with its own {credential}"
    return Finding(Fault.OTHER_CLUSTER, target.place, problem, remedy, breaks=False)
