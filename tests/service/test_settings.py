"""The environment: what it may say, and that every impossible value is named at once."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from podgraft.service import settings
from podgraft.service.settings import Auth, Settings, SettingsError
from podgraft.service.store import AwsStoreConfig, FolderStoreConfig

AWS = {"PODGRAFT_STORE": "aws", "PODGRAFT_BUCKET": "podgraft-bundles"}


def test_a_folder_needs_nothing_more(tmp_path: Path) -> None:
    read = settings.parse_settings(
        {"PODGRAFT_STORE": f"file:{tmp_path}", "PATH": "/bin", "PODGRAF": "x"}
    )
    assert read == Settings(FolderStoreConfig(tmp_path), Auth.TOKEN)


def test_aws_needs_a_bucket_and_is_the_default_on_lambda() -> None:
    wanted = AwsStoreConfig(
        bucket="podgraft-bundles",
        bundle_prefix="bundles/",
        parameter_prefix="/podgraft",
        refresh_seconds=30,
    )
    assert settings.parse_settings(AWS).store_config == wanted
    on_lambda = {"AWS_LAMBDA_FUNCTION_NAME": "f", "PODGRAFT_BUCKET": "podgraft-bundles"}
    assert settings.parse_settings(on_lambda).store_config == wanted


def test_every_variable_of_aws_is_read() -> None:
    given = {
        **AWS,
        "PODGRAFT_BUNDLE_PREFIX": "a/b/",
        "PODGRAFT_PARAMETER_PREFIX": "/team/podgraft",
        "PODGRAFT_REFRESH_SECONDS": "3600",
        "PODGRAFT_AUTH": "mtls",
        "PODGRAFT_CLUSTER_METRICS": "false",
    }
    assert settings.parse_settings(given) == Settings(
        AwsStoreConfig(
            bucket="podgraft-bundles",
            bundle_prefix="a/b/",
            parameter_prefix="/team/podgraft",
            refresh_seconds=3600,
        ),
        Auth.MTLS,
        metric_clusters=0,
    )


def test_the_stack_separates_two_deployments_that_set_nothing_more() -> None:
    read = settings.parse_settings({**AWS, "PODGRAFT_STACK": "podgraft-dev"})
    assert read.stack == "podgraft-dev"
    assert isinstance(read.store_config, AwsStoreConfig)
    assert read.store_config.parameter_prefix == "/podgraft-dev"
    own = settings.parse_settings({**AWS, "PODGRAFT_STACK": "a", "PODGRAFT_PARAMETER_PREFIX": "/b"})
    assert isinstance(own.store_config, AwsStoreConfig)
    assert own.store_config.parameter_prefix == "/b"


STARTS = {
    "on-demand": False,
    "provisioned-concurrency": True,
    "snap-start": True,
}


@pytest.mark.parametrize(("start", "ahead"), STARTS.items())
def test_no_one_waits_for_a_start_ahead(start: str, ahead: bool) -> None:
    on_lambda = {**AWS, "AWS_LAMBDA_FUNCTION_NAME": "f", "AWS_LAMBDA_INITIALIZATION_TYPE": start}
    assert settings.parse_settings(on_lambda).priming_enabled is ahead
    assert not settings.parse_settings(
        {**AWS, "AWS_LAMBDA_INITIALIZATION_TYPE": start}
    ).priming_enabled


@pytest.mark.parametrize("auth", Auth)
def test_every_kind_of_authentication_is_known(auth: Auth) -> None:
    assert settings.parse_settings({**AWS, "PODGRAFT_AUTH": auth}).auth is auth


@dataclass(frozen=True, slots=True)
class InvalidCase:
    name: str
    given: Mapping[str, str]
    faults: tuple[str, ...]


KNOWN = (
    "PODGRAFT_STACK, PODGRAFT_RELEASE, PODGRAFT_STORE, PODGRAFT_BUCKET, PODGRAFT_BUNDLE_PREFIX, "
    "PODGRAFT_PARAMETER_PREFIX, PODGRAFT_AUTH, PODGRAFT_REFRESH_SECONDS, "
    "PODGRAFT_SIGNER, PODGRAFT_REQUIRE_SIGNATURE, PODGRAFT_CLUSTER_METRICS, PODGRAFT_CENSUS"
)
ERRORS = (
    InvalidCase("no store", {}, ("PODGRAFT_STORE: got ''; use aws or file:<folder>",)),
    InvalidCase(
        "no such store",
        {"PODGRAFT_STORE": "s3://b"},
        ("PODGRAFT_STORE: got 's3://b'; use aws or file:<folder>",),
    ),
    InvalidCase(
        "no folder",
        {"PODGRAFT_STORE": "file:"},
        ("PODGRAFT_STORE: got 'file:'; use aws or file:<folder>",),
    ),
    InvalidCase(
        "a folder that is not there",
        {"PODGRAFT_STORE": "file:/no/such"},
        ("PODGRAFT_STORE: got 'file:/no/such'; use an existing folder",),
    ),
    InvalidCase(
        "no bucket",
        {"PODGRAFT_STORE": "aws"},
        ("PODGRAFT_BUCKET: got ''; use the name of the bucket with the bundles",),
    ),
    InvalidCase(
        "a misspelt name",
        {**AWS, "PODGRAFT_ATUH": "none"},
        (f"PODGRAFT_ATUH: unknown variable; use one of: {KNOWN}",),
    ),
    InvalidCase(
        "everything at once",
        {
            "PODGRAFT_STACK": "1st/stack",
            "PODGRAFT_STORE": "aws",
            "PODGRAFT_BUCKET": "Not A Bucket",
            "PODGRAFT_BUNDLE_PREFIX": "bundles",
            "PODGRAFT_PARAMETER_PREFIX": "podgraft",
            "PODGRAFT_AUTH": "nobody",
            "PODGRAFT_REFRESH_SECONDS": "0",
            "PODGRAFT_SIGNER": "x",
            "PODGRAFT_REQUIRE_SIGNATURE": "yes",
            "PODGRAFT_CLUSTER_METRICS": "no",
        },
        (
            "PODGRAFT_AUTH: got 'nobody'; use token, mtls, none",
            "PODGRAFT_STACK: got '1st/stack'; use the name of a CloudFormation stack",
            "PODGRAFT_BUCKET: got 'Not A Bucket'; use the name of the bucket with the bundles",
            (
                "PODGRAFT_BUNDLE_PREFIX: got 'bundles'; "
                "use an empty value, or a prefix that ends with /"
            ),
            "PODGRAFT_PARAMETER_PREFIX: got 'podgraft'; use a path that starts with /",
            "PODGRAFT_REFRESH_SECONDS: got '0'; use an integer from 1 to 3600",
            "PODGRAFT_REQUIRE_SIGNATURE: got 'yes'; use false, true",
            (
                "PODGRAFT_SIGNER: expected a public key of the curve P-256; use the output of "
                "aws kms get-public-key --query PublicKey --output text, or a PEM"
            ),
            "PODGRAFT_CLUSTER_METRICS: got 'no'; use auto, true, false",
        ),
    ),
    InvalidCase(
        "a required signature without a key",
        {**AWS, "PODGRAFT_REQUIRE_SIGNATURE": "true"},
        (
            (
                "PODGRAFT_SIGNER: is missing; set the public key, or set "
                "PODGRAFT_REQUIRE_SIGNATURE=false"
            ),
        ),
    ),
)


@pytest.mark.parametrize("case", ERRORS, ids=lambda case: case.name)
def test_every_fault_is_named_at_once(case: InvalidCase) -> None:
    with pytest.raises(SettingsError) as error:
        settings.parse_settings(case.given)
    assert error.value.errors == case.faults
    assert str(error.value) == f"environment: {'; '.join(case.faults)}"


@pytest.mark.parametrize("seconds", ["-1", "1.5", "3601", "thirty", "²"])
def test_a_refresh_is_in_whole_seconds(seconds: str) -> None:
    with pytest.raises(SettingsError, match="PODGRAFT_REFRESH_SECONDS"):
        settings.parse_settings({**AWS, "PODGRAFT_REFRESH_SECONDS": seconds})
