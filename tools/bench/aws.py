"""AWS on loopback for cold starts: ministack with the input of the benchmark.

It uses plain HTTP, because the baseline has no TLS either.
"""

import http.client
import json
import os
import signal
import socket
import subprocess
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from botocore.session import get_session

from podgraft.base.jsonvalue import JSON
from podgraft.cli.failure import CommandError
from podgraft.core import bundle
from podgraft.service.store import caller_document
from podgraft.service.store.caller_document import Callers, TokenHash
from podgraft.service.store.registry_document import encode_registry, object_key

from .bench_input import CLUSTER, ROOT, TOKEN, BenchmarkInput
from .callers import make_fleet

# The folder in which `make e2e-aws` installs ministack, or that of the tests.
TOOLS = Path(os.environ.get("PODGRAFT_E2E_TOOLS") or ROOT / ".tools")
PROGRAM = TOOLS / "ministack" / "bin" / "ministack"
MISSING = f"cold start, AWS store: NOT MEASURED, {PROGRAM} is missing; make e2e-aws installs it"
BUCKET = "podgraft-bench"
# The prefix of a stack with a registry of many clusters.
FLEET_PREFIX = "/podgraft-fleet"
FLEET = 3_000
STARTUP_SECONDS = 30


@contextmanager
def aws_environment(inputs: BenchmarkInput, folder: Path) -> Generator[Mapping[str, str] | None]:
    """Yield the environment of a function with a store in AWS; ``None`` without ministack."""
    if not PROGRAM.exists():
        yield None
        return
    with _start_ministack(folder) as address:
        _fill_stores(address, inputs)
        yield {
            **_aws_variables(address),
            "PODGRAFT_STORE": "aws",
            "PODGRAFT_BUCKET": BUCKET,
        }


def _aws_variables(address: str) -> dict[str, str]:
    """What programs need to find this AWS, and to sign."""
    return {
        "AWS_ENDPOINT_URL": f"http://{address}",
        "AWS_REGION": "eu-central-1",
        "AWS_DEFAULT_REGION": "eu-central-1",
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
    }


def _fill_stores(address: str, inputs: BenchmarkInput) -> None:
    session = get_session()
    common: dict[str, Any] = {
        "region_name": "eu-central-1",
        "endpoint_url": f"http://{address}",
        "aws_access_key_id": "test",
        "aws_secret_access_key": "test",
    }
    s3: Any = session.create_client("s3", **common)
    ssm: Any = session.create_client("ssm", **common)
    location = {"LocationConstraint": "eu-central-1"}
    s3.create_bucket(Bucket=BUCKET, CreateBucketConfiguration=location)
    digest = bundle.digest(inputs.files)
    for name, content in inputs.files.items():
        key = f"bundles/default/{digest.removeprefix('sha256:')}/{name}"
        s3.put_object(Bucket=BUCKET, Key=key, Body=content)
    token = TokenHash(caller_document.hash_token(TOKEN), "")
    registry, content = encode_registry(make_fleet(FLEET, {CLUSTER: Callers((token,))}))
    s3.put_object(Bucket=BUCKET, Key=object_key(registry), Body=content)
    documents: Mapping[str, JSON] = {
        "/podgraft/default/policy": {"bundle": digest},
        f"/podgraft/auth/{CLUSTER}": caller_document.to_document(Callers((token,))),
        f"{FLEET_PREFIX}/default/policy": {"bundle": digest},
        f"{FLEET_PREFIX}/callers": {"serial": 1, "callers": registry},
    }
    for name, document in documents.items():
        kind = "String" if name.endswith("/callers") else "SecureString"
        ssm.put_parameter(Name=name, Value=json.dumps(document), Type=kind)


@contextmanager
def _start_ministack(folder: Path) -> Generator[str]:
    """Start ministack on a free port of loopback and give its address; end it with the block."""
    folder.mkdir(parents=True, exist_ok=True)
    address = f"127.0.0.1:{_free_port()}"
    environment = {
        **_aws_variables(address),
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "BIND_HOST": "127.0.0.1",
        "GATEWAY_PORT": address.rpartition(":")[2],
        "IOT_MTLS_ENABLED": "0",
        "SFTP_ENABLED": "0",
    }
    with (folder / "ministack.log").open("w") as log:
        process = subprocess.Popen(
            [PROGRAM], env=environment, cwd=folder, stdout=log, stderr=log, start_new_session=True
        )
        try:
            _wait_until_healthy(address, process)
            yield address
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _wait_until_healthy(address: str, process: "subprocess.Popen[bytes]") -> None:
    ends = monotonic() + STARTUP_SECONDS
    while monotonic() < ends and process.poll() is None:
        connection = http.client.HTTPConnection(address, timeout=5)
        try:
            connection.request("GET", "/_localstack/health")
            connection.getresponse().read()
        except OSError:
            sleep(0.1)
        else:
            return
        finally:
            connection.close()
    raise CommandError(f"ministack: did not start; install it in {TOOLS}: make e2e-aws")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
