"""AWS on this machine: ministack on loopback, our template deployed to it by sam.

Both run in environments of their own, which ``make e2e-aws`` makes: ministack's functions see its
site-packages, so a dependency that no layer declares would pass unnoticed in ours.
"""

import http.client
import json
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tomllib
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

import botocore.session
import pytest

ROOT = Path(__file__).parents[3]
REGION = "eu-central-1"
HOST = "execute-api.localhost"
RUNTIME = f"python{sys.version_info.major}.{sys.version_info.minor}"
ARCHITECTURE = {"x86_64": "x86_64", "aarch64": "arm64", "arm64": "arm64"}[os.uname().machine]
STARTUP_SECONDS = 30
_TOOLS = "PODGRAFT_E2E_TOOLS"
_SERVER = Path(__file__).with_name("ministack_server.py")
_FILE = ("--config-file", str(ROOT / "samconfig.toml"))
_CONFIG = tomllib.loads((ROOT / "samconfig.toml").read_text())
# ministack runs all functions in its own Python, whatever their Runtime: the layers are for it.
_MACHINE = (f"Architecture={ARCHITECTURE}",)


@dataclass(frozen=True, slots=True)
class Tools:
    """The folder with an environment for sam and one for ministack."""

    folder: Path

    def program(self, environment: str, name: str) -> str:
        """The path of a program of one environment."""
        return str(self.folder / environment / "bin" / name)


def find_tools() -> Tools:
    """The environments that ``make e2e-aws`` makes; skips the test without them."""
    folder = os.environ.get(_TOOLS)
    if not folder:
        pytest.skip(f"{_TOOLS} names no folder with sam and ministack; run make e2e-aws")
    return Tools(Path(folder).resolve())


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back over HTTPS."""

    status: int
    headers: Mapping[str, str]
    body: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Cloud:
    """A running ministack."""

    tools: Tools
    port: int
    authority: Path
    home: Path
    region: str = REGION

    @property
    def sam(self) -> str:
        """The path of sam."""
        return self.tools.program("sam", "sam")

    @property
    def environment(self) -> dict[str, str]:
        """What programs need to find this AWS instead of the real one."""
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "AWS_ENDPOINT_URL": f"https://127.0.0.1:{self.port}",
            "AWS_CA_BUNDLE": str(self.authority),
            "AWS_DEFAULT_REGION": self.region,
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_MAX_ATTEMPTS": "1",
            "SAM_CLI_TELEMETRY": "0",
        }

    def run(self, *command: str, **further: str) -> str:
        """Run a program against this AWS; its output, all of it in the failure.

        *further* variables are added to its environment, which has nothing else of ours.
        """
        done = self.attempt(*command, **further)
        assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def attempt(self, *command: str, **further: str) -> subprocess.CompletedProcess[str]:
        """Run a program that may fail."""
        environment = {**self.environment, **further}
        return subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
        )

    def client(self, service: str) -> Any:
        """A client of one service."""
        session = botocore.session.get_session()
        return session.create_client(
            service,
            region_name=self.region,
            endpoint_url=self.environment["AWS_ENDPOINT_URL"],
            verify=str(self.authority),
            aws_access_key_id="test",
            aws_secret_access_key="test",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Stack:
    """The deployed template."""

    cloud: Cloud
    name: str
    outputs: Mapping[str, str]

    @property
    def host(self) -> str:
        """The API's own host name."""
        return (
            self.outputs["Endpoint"].removeprefix("http://").removeprefix("https://").split(":")[0]
        )

    def logs(self) -> str:
        """Everything that the stack's function has written."""
        logs = self.cloud.client("logs")
        events = logs.filter_log_events(logGroupName=self.outputs["LogGroup"])["events"]
        return "\n".join(event["message"] for event in events)

    def lines(self) -> list[dict[str, Any]]:
        """The lines of JSON in the log."""
        return [json.loads(line) for line in self.logs().splitlines() if line.startswith("{")]

    def call(
        self, method: str, path: str, body: bytes = b"", headers: Mapping[str, str] = {}
    ) -> Answer:
        """One HTTPS request, the certificate verified against our CA."""
        context = ssl.create_default_context(cafile=str(self.cloud.authority))
        sock = socket.create_connection(("127.0.0.1", self.cloud.port), timeout=60)
        with context.wrap_socket(sock, server_hostname=self.host) as wrapped:
            connection = http.client.HTTPSConnection(self.host, self.cloud.port)
            connection.sock = wrapped
            sent = {"Host": self.host, "Content-Type": "application/json", **headers}
            connection.request(method, path, body or None, sent)
            response = connection.getresponse()
            text = response.read()
            kind = response.headers.get_content_type()
            value = json.loads(text) if kind == "application/json" else text
            return Answer(response.status, dict(response.headers), value)


@contextmanager
def ministack(tools: Tools, folder: Path, region: str = REGION) -> Generator[Cloud]:
    """Start ministack on a free port with a certificate of our own CA; stop it at the end."""
    certificate, key, authority = _certificate(folder)
    cloud = Cloud(tools=tools, port=_free_port(), authority=authority, home=folder, region=region)
    environment = {
        **cloud.environment,
        "BIND_HOST": "127.0.0.1",
        "GATEWAY_PORT": str(cloud.port),
        "IOT_MTLS_ENABLED": "0",
        "SFTP_ENABLED": "0",
        "USE_SSL": "1",
        "MINISTACK_SSL_CERT": str(certificate),
        "MINISTACK_SSL_KEY": str(key),
    }
    with (folder / "ministack.log").open("w") as log:
        process = subprocess.Popen(
            [tools.program("ministack", "python"), "-P", str(_SERVER)],
            env=environment,
            cwd=folder,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        try:
            _wait_until_healthy(cloud, process)
            yield cloud
        finally:
            # Its own end waits for open connections and idle workers; there is nothing to save.
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage of samconfig.toml: its name there, what it sets, and another name of its stack."""

    config_env: str
    stack_name: str = ""

    @property
    def name(self) -> str:
        """The name of its stack."""
        return self.stack_name or str(self._settings["stack_name"])

    @property
    def options(self) -> tuple[str, ...]:
        """The options of sam for the stage."""
        own = ("--stack-name", self.stack_name, "--s3-prefix", self.stack_name)
        return ("--config-env", self.config_env, *(own if self.stack_name else ()))

    @property
    def overrides(self) -> list[str]:
        """Its parameters, with those that this machine and a test need."""
        own = str(self._settings["parameter_overrides"]).split()
        return [*own, *_MACHINE, "RefreshSeconds=1"]

    @property
    def _settings(self) -> Mapping[str, Any]:
        return _CONFIG[self.config_env]["deploy"]["parameters"]


@contextmanager
def built(cloud: Cloud) -> Generator[Path]:
    """Build the real template once for all stages; the folder with what sam deploys."""
    build = cloud.home / "build"
    cloud.run(
        *(cloud.sam, "build", *_FILE, "--build-dir", str(build)),
        *("--parameter-overrides", *_MACHINE),
        PODGRAFT_RUNTIME=RUNTIME,
        PODGRAFT_ARCHITECTURE=ARCHITECTURE,
    )
    adapt_template(build / "template.yaml")
    yield build
    shutil.rmtree(build)


def adapt_template(template: Path, endpoint: str = "") -> None:
    """Remove the saved queries, the only resources that ministack does not have.

    *endpoint* replaces the address of the API in the outputs.
    """
    parts = re.split(r"(?m)^  (?=\w+:$)", template.read_text())
    kept = [part for part in parts if "Type: AWS::Logs::QueryDefinition" not in part]
    assert len(kept) < len(parts)
    if endpoint:
        [index] = [index for index, part in enumerate(kept) if part.startswith("Endpoint:\n")]
        kept[index] = f"Endpoint:\n    Value: {endpoint}\n"
    template.write_text("  ".join(kept))


def deploy(
    cloud: Cloud, build: Path, stage: Stage, *overrides: str
) -> subprocess.CompletedProcess[str]:
    """Run ``sam deploy`` as samconfig.toml sets it; *overrides* follow the stage's own."""
    return cloud.attempt(
        *(cloud.sam, "deploy", *_FILE, *stage.options),
        *("--template-file", str(build / "template.yaml"), "--no-confirm-changeset"),
        *("--parameter-overrides", *stage.overrides, *overrides),
    )


@contextmanager
def deploy_stack(cloud: Cloud, build: Path, stage: Stage, *overrides: str) -> Generator[Stack]:
    """Deploy a stage; delete its stack at the end."""
    done = deploy(cloud, build, stage, *overrides)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    try:
        yield read_stack(cloud, stage)
    finally:
        cloud.run(cloud.sam, "delete", *_FILE, *stage.options, "--no-prompts")


def read_stack(cloud: Cloud, stage: Stage) -> Stack:
    """The deployed stack of a stage."""
    [found] = cloud.client("cloudformation").describe_stacks(StackName=stage.name)["Stacks"]
    outputs = {entry["OutputKey"]: entry["OutputValue"] for entry in found["Outputs"]}
    return Stack(cloud=cloud, name=stage.name, outputs=outputs)


def _certificate(folder: Path) -> tuple[Path, Path, Path]:
    """A CA and a certificate for the endpoint, by our own script, as an operator would."""
    certs = [sys.executable, str(ROOT / "scripts" / "certs.py")]
    for arguments in (
        ["ca", "--dir", str(folder)],
        ["server", "--dir", str(folder), f"*.{HOST}", "localhost", "127.0.0.1"],
    ):
        subprocess.run([*certs, *arguments], check=True, capture_output=True)
    return folder / "server.pem", folder / "server.key", folder / "ca.pem"


def _wait_until_healthy(cloud: Cloud, process: subprocess.Popen[bytes]) -> None:
    context = ssl.create_default_context(cafile=str(cloud.authority))
    ends = monotonic() + STARTUP_SECONDS
    while monotonic() < ends:
        assert process.poll() is None, (cloud.home / "ministack.log").read_text()
        connection = http.client.HTTPSConnection(
            "127.0.0.1", cloud.port, context=context, timeout=5
        )
        try:
            connection.request("GET", "/_localstack/health")
            connection.getresponse().read()
        except OSError:
            continue
        else:
            return
        finally:
            connection.close()
    raise AssertionError("ministack did not start: " + (cloud.home / "ministack.log").read_text())


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
