"""The selection of the AWS client."""

from collections.abc import Mapping

from . import http_client
from .client import ObjectStore, ParameterStore


def make_clients(
    environment: Mapping[str, str], *, botocore: bool = False
) -> tuple[ParameterStore, ObjectStore]:
    """Return clients of Parameter Store and S3: direct ones where possible, else botocore's.

    With *botocore* (``PODGRAFT_AWS_CLIENT``), both are always botocore's.
    """
    account = None if botocore else http_client.config_from_environment(environment)
    if account is not None:
        return http_client.Ssm(account), http_client.S3(account)
    # Imported here: botocore takes a third of a cold start.
    from . import botocore_client

    return botocore_client.make_clients()
