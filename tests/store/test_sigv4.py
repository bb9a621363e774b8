"""Signatures are AWS's: as its reference shows, and as botocore makes them."""

import datetime as dt
from typing import Any

import botocore.auth
import pytest
from botocore.auth import S3SigV4Auth, SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials as TheirCredentials
from hypothesis import given
from hypothesis import strategies as st

from podgraft.store.aws.sigv4 import AwsCredentials, Request, sign_headers

NOW = dt.datetime(2026, 11, 21, 6, 0, 0, tzinfo=dt.UTC)
STAMP = "20261121T060000Z"

texts = st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), max_size=12)
names = st.text("abcdefghijklmnopqrstuvwxyz-", min_size=1, max_size=8)
words = st.text("abcXYZ019-_.~ /+=%$&", max_size=12)


@pytest.fixture(autouse=True, scope="module")
def frozen() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(botocore.auth, "get_current_datetime", lambda: NOW)
        yield


def botocore_authorization(
    request: Request, credentials: AwsCredentials, service: str, region: str
) -> str:
    """The header ``Authorization`` by botocore."""
    query = f"?{request.query}" if request.query else ""
    made = AWSRequest(
        request.method,
        f"https://{request.host}{request.escaped_path}{query}",
        headers={**request.headers},
        data=request.body,
    )
    who = TheirCredentials(credentials.key, credentials.secret, credentials.token or None)
    kind = S3SigV4Auth if service == "s3" else SigV4Auth
    if service != "s3":  # signed all the same: a service may take it or leave it
        made.headers["X-Amz-Content-SHA256"] = sign_headers(
            request, credentials, service, region, STAMP
        )["x-amz-content-sha256"]
    kind(who, service, region).add_auth(made)
    return made.headers["Authorization"]


@given(
    bucket=st.from_regex(r"[a-z0-9][a-z0-9.-]{1,20}[a-z0-9]", fullmatch=True),
    key=st.lists(texts.filter(lambda part: part not in ("", ".", "..")), max_size=3),
    parameters=st.dictionaries(names, words, max_size=3),
    token=st.sampled_from(["", "a/token+of=a-session"]),
)
def test_requests_of_objects(
    bucket: str, key: list[str], parameters: dict[str, str], token: str
) -> None:
    request = Request(
        method="GET",
        host="s3.eu-central-1.amazonaws.com",
        path="/" + "/".join([bucket, *key]),
        parameters=parameters,
    )
    credentials = AwsCredentials("AKIDEXAMPLE", "secret/+of=AKID", token)
    ours = sign_headers(request, credentials, "s3", "eu-central-1", STAMP)["authorization"]
    assert ours == botocore_authorization(request, credentials, "s3", "eu-central-1")


@given(body=st.binary(max_size=60), operation=names, region=st.sampled_from(["us-east-1", "x-1"]))
def test_requests_with_bodies(body: bytes, operation: str, region: str) -> None:
    headers = {
        "content-type": "application/x-amz-json-1.1",
        "x-amz-target": f"AmazonSSM.{operation}",
    }
    request = Request(method="POST", host="127.0.0.1:4566", headers=headers, body=body)
    credentials = AwsCredentials("AKIDEXAMPLE", "secret")
    ours = sign_headers(request, credentials, "ssm", region, STAMP)["authorization"]
    assert ours == botocore_authorization(request, credentials, "ssm", region)


def test_the_example_of_the_reference() -> None:
    """Amazon S3 API reference, "Authenticating requests: GET object"."""
    request = Request(
        method="GET",
        host="examplebucket.s3.amazonaws.com",
        path="/test.txt",
        headers={"Range": "bytes=0-9"},
    )
    key = AwsCredentials("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
    sent = sign_headers(request, key, "s3", "us-east-1", "20130524T000000Z")
    assert sent["authorization"].endswith(
        "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, "
        "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
    )


def test_secrets_are_not_shown() -> None:
    assert repr(AwsCredentials("AKID", "hidden", "hidden")) == "AwsCredentials(key='AKID')"
