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

from podgraft.cli.failure import CommandError
from podgraft.core import bundle
from podgraft.service.store import caller_document

from .bench_input import CLUSTER, ROOT, TOKEN, BenchmarkInput

# The folder in which `make e2e-aws` installs ministack, or that of the tests.
TOOLS = Path(os.environ.get("PODGRAFT_E2E_TOOLS") or ROOT / ".tools")
PROGRAM = TOOLS / "ministack" / "bin" / "ministack"
MISSING = f"cold start, AWS store: NOT MEASURED, {PROGRAM} is missing; make e2e-aws installs it"
BUCKET = "podgraft-bench"
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
    callers = {"tokens": [{"sha256": caller_document.hash_token(TOKEN)}]}
    for name, document in {
        "default/policy": {"bundle": digest},
        f"auth/{CLUSTER}": callers,
    }.items():
        ssm.put_parameter(Name=f"/podgraft/{name}", Value=json.dumps(document), Type="SecureString")


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
