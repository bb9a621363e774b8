"""A storage with a policy and a folder with a candidate, for ``podgraft rollout``."""

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import pytest

from podgraft.base.jsonvalue import Object
from podgraft.cli import main
from podgraft.core import bundle
from podgraft.kube import yaml
from support.memory_store import labelled_bundle
from support.signers import MemorySigner
from support.store_fixture import BUNDLE, write

BUCKET = "bundles-of-rollouts"
STABLE = f"""\
# The policy of the mesh.
bundle: {bundle.digest(BUNDLE)}
policy: enabled  # all namespaces
features:
  platform: openshift
# The clusters.
clusters:
  dev: {{policy: disabled}}
"""
NEXT = labelled_bundle("2.0")
DIGEST = bundle.digest(NEXT)
ID = "2026-11-22-probes"
Run = Callable[[str], tuple[int, str]]


class World(Protocol):
    """A storage with a policy, and a folder with the candidate."""

    options: str

    def read(self) -> str:
        """The policy in force."""
        ...

    def put(self, text: str) -> None:
        """Put another policy in force."""
        ...

    def put_signed(self, text: str, signer: MemorySigner) -> None:
        """Put another policy in force, with a signature."""
        ...

    def brake(self, *, for_all: bool = False) -> str | None:
        """The text of a brake."""
        ...

    def deny(self, digest: str) -> None:
        """Put a bundle on the deny list."""
        ...


class FolderWorld:
    def __init__(self, path: Path) -> None:
        self.path = path / "store"
        self.options = f"--injector istio --config {self.path}"
        for name, content in BUNDLE.items():
            write(self.path / "istio/bundle" / name, content)
        self.put(STABLE)

    def read(self) -> str:
        return (self.path / "istio/policy.yaml").read_text()

    def put(self, text: str) -> None:
        write(self.path / "istio/policy.yaml", text.encode())

    def put_signed(self, text: str, signer: MemorySigner) -> None:
        self.put(signer.sign_document(text, "folder:istio", 1, bundle.digest(BUNDLE)))

    def brake(self, *, for_all: bool = False) -> str | None:
        path = (self.path if for_all else self.path / "istio") / "brake.yaml"
        return path.read_text() if path.exists() else None

    def deny(self, digest: str) -> None:
        write(self.path / "denied.yaml", f"{digest}: old\n".encode())


class StackWorld:
    def __init__(self, session: Any) -> None:
        self.ssm, self.s3 = session.create_client("ssm"), session.create_client("s3")
        self.options = "--injector istio --config stack:podgraft-dev"
        folder = f"bundles/istio/{bundle.digest(BUNDLE).removeprefix('sha256:')}/"
        for name, content in BUNDLE.items():
            self.s3.put_object(Bucket=BUCKET, Key=folder + name, Body=content)
        self.put(STABLE)

    def put_parameter(self, name: str, text: str) -> None:
        name = f"/podgraft-dev/{name}"
        self.ssm.put_parameter(Name=name, Value=text, Type="String", Overwrite=True)

    def read_parameter(self, name: str) -> str | None:
        try:
            return self.ssm.get_parameter(Name=f"/podgraft-dev/{name}")["Parameter"]["Value"]
        except self.ssm.exceptions.ParameterNotFound:
            return None

    def list_messages(self) -> list[str]:
        """The message of each version of the policy."""
        history = self.ssm.get_paginator("get_parameter_history")
        pages = history.paginate(Name="/podgraft-dev/istio/policy")
        return [each.get("Description", "") for page in pages for each in page["Parameters"]]

    def read(self) -> str:
        return self.read_parameter("istio/policy") or ""

    def put(self, text: str) -> None:
        self.put_parameter("istio/policy", text)

    def put_signed(self, text: str, signer: MemorySigner) -> None:
        number, digest = len(self.list_messages()) + 1, bundle.digest(BUNDLE)
        self.put(signer.sign_document(text, "/podgraft-dev/istio/policy", number, digest))

    def brake(self, *, for_all: bool = False) -> str | None:
        return self.read_parameter("brake" if for_all else "istio/brake")

    def deny(self, digest: str) -> None:
        self.put_parameter("denied", f"{digest}: old\n")


def make_run(world: World, capsys: pytest.CaptureFixture[str]) -> Run:
    def call(line: str) -> tuple[int, str]:
        capsys.readouterr()
        status = main(["policy", "rollout", *shlex.split(line), *shlex.split(world.options)])
        return status, "".join(capsys.readouterr())

    return call


START = f"start next --id {ID} --share 5"


def block(**changes: object) -> Object:
    fields: Object = {"id": ID, "mode": "share", "share": 5, "candidate": {"bundle": DIGEST}}
    return {**fields, **changes}  # pyright: ignore[reportReturnType]


def rollout_of(world: World) -> object:
    document = yaml.load(world.read())
    assert isinstance(document, dict)
    return document.get("rollout")


def write_log(path: str, reviews: int, **changes: object) -> None:
    record = {
        "event": "review",
        "timestamp": "2099-01-01 00:00:00,000+0000",
        "cluster": "prod-eu",
        "namespace": "shop",
        "owner": "Deployment/web",
        "rollout": ID,
        "track": "candidate",
        "candidate": "changed",
        "candidate_kind": "5d0c1fa2b3e4",
        "candidate_paths": "replace spec.containers[istio-proxy].image",
        "candidate_milliseconds": 1.5,
        "milliseconds": 3.0,
        "decision": "inject",
        **changes,
    }
    lines = [json.dumps({**record, "owner": f"Deployment/web-{n}"}) for n in range(reviews)]
    Path(path).write_text("\n".join(["not JSON", "[]", '{"event": "start"}', *lines]))
