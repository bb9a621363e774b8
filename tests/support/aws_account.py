"""An AWS account on loopback: S3, Parameter Store and the like, by moto."""

import json
import re
from collections.abc import Generator, Mapping
from contextlib import closing, contextmanager
from functools import cache
from http import HTTPStatus
from http.client import HTTPConnection
from typing import Any

import botocore.loaders
import botocore.session
import pytest
from moto.server import ThreadedMotoServer
from moto.ssm.exceptions import ValidationException
from moto.ssm.models import SimpleSystemManagerBackend

# The endpoint of each stack.
ENDPOINT = "https://webhook.example.com"
# Who calls where: what a process takes for its own credentials and region.
CREDENTIALS: Mapping[str, str] = {
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_ACCESS_KEY_ID": "x",
    "AWS_SECRET_ACCESS_KEY": "x",
}


@contextmanager
def start_account() -> Generator[tuple[str, int]]:
    """Start an empty account; host and port. Everything in it is gone at the end.

    moto accepts values that Parameter Store rejects.
    """
    backend, put_parameter = SimpleSystemManagerBackend, SimpleSystemManagerBackend.put_parameter

    def reject_references(
        self: Any, name: str, description: str, value: str, *rest: Any, **options: Any
    ) -> Any:
        if re.search(r"\{\{.*?\}\}", value, re.DOTALL):
            raise ValidationException(
                'Parameter value can\'t nest another parameter. Do not use "{{}}" in the value. '
                f"Value is: {value}."
            )
        return put_parameter(self, name, description, value, *rest, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(backend, "put_parameter", reject_references)
        yield from _run_account()


def _run_account() -> Generator[tuple[str, int]]:
    moto = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    moto.start()
    address = moto.get_host_and_port()
    try:
        yield address
    finally:
        _reset_account(*address)
        moto.stop()


@contextmanager
def open_account() -> Generator[Any]:
    """An account that this process calls by its own environment; the session to call it by."""
    with start_account() as (host, port), pytest.MonkeyPatch.context() as environment:
        environment.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
        # Commands make many sessions, and each would read the models of the services again.
        environment.setattr(
            botocore.session, "create_loader", cache(botocore.loaders.create_loader)
        )
        for name, value in CREDENTIALS.items():
            environment.setenv(name, value)
        session: Any = botocore.session.get_session()  # typed for no service in particular
        session.create_client = cache(session.create_client)
        yield session


@contextmanager
def start_account_with_bucket(bucket: str, **fields: Any) -> Generator[Any]:
    """``open_account``, with the stack podgraft-dev and its bucket; *fields* as those of guard."""
    with open_account() as session:
        deploy_stack(session, "podgraft-dev", bucket, guard=fields)
        yield session


def deploy_stack(
    session: Any,
    name: str,
    bucket: str,
    *,
    prefix: str = "",
    owner: bool = True,
    guard: Mapping[str, Any] = {},
) -> None:
    """Deploy what commands need of template.yaml: the bucket, the owner, and the outputs.

    Without an *owner* it is a stack of a version that had none, and without a *guard* too. Without
    ``documents`` in *guard*, its function reads no registry.
    """
    prefix = prefix or f"/{name}"
    fields = {"stack": name, "bucket": bucket, "bundlePrefix": "bundles/", **guard}
    value = json.dumps(fields)
    resources: dict[str, Any] = {
        "Bundles": {"Type": "AWS::S3::Bucket", "Properties": {"BucketName": bucket}}
    }
    if owner:
        resources["PrefixOwner"] = {
            "Type": "AWS::SSM::Parameter",
            "Properties": {"Name": f"{prefix}/stack", "Type": "String", "Value": value},
        }
    outputs = {
        "BundleBucket": {"Value": {"Ref": "Bundles"}},
        "Endpoint": {"Value": ENDPOINT},
        "ParameterPrefix": {"Value": prefix},
        **({"BundlePrefix": {"Value": "bundles/"}} if owner else {}),
    }
    template = json.dumps({"Resources": resources, "Outputs": outputs})
    session.create_client("cloudformation").create_stack(StackName=name, TemplateBody=template)


def _reset_account(host: str, port: int) -> None:
    """Reset moto, which stores its data in the process, for all servers."""
    with closing(HTTPConnection(host, port)) as connection:
        connection.request("POST", "/moto-api/reset")
        assert connection.getresponse().status == HTTPStatus.OK
