"""A stack with a private API alone: clusters call it through a VPC endpoint, with the stage first.

ministack checks neither the policy of the API nor its TLS versions: those are in
``tests/layers/test_template.py``. ``tests/service/http/test_authentication.py`` has the sources.
"""

import sys
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml

from e2e.aws.cloud import Cloud, Stack, Stage, deploy_stack
from e2e.aws.operator import containers, issue, local, podgraft, remote, send_review

STAGE = Stage("default", "podgraft-private")
VPC_ENDPOINT = "vpce-0a1b2c3d4e5f67890"


@pytest.fixture(scope="module")
def private(cloud: Cloud, build: Path) -> Generator[Stack]:
    overrides = (f"VpcEndpointIds={VPC_ENDPOINT}", "PublicEndpoint=false")
    with deploy_stack(cloud, build, STAGE, *overrides) as stack:
        yield stack


def test_clusters_call_the_private_api_and_not_the_public_one(
    private: Stack, tmp_path: Path
) -> None:
    policy, token_file = tmp_path / "policy.yaml", tmp_path / "token"
    policy.write_text("policy: enabled\n")
    podgraft(private, "push", local(policy), *remote(private))
    token = issue(private, "e2e", token_file)
    address = private.outputs["PrivateEndpoint"]
    assert private.outputs["Endpoint"] == address
    manifests = private.cloud.run(
        *(sys.executable, "-m", "podgraft", "register"),
        *("--url", address, "--injector", "istio", "--cluster", "e2e"),
        *("--token-file", str(token_file), "--all-namespaces"),
    )
    documents: list[Any] = [*yaml.safe_load_all(manifests)]
    [registration] = [each for each in documents if each["kind"] == "MutatingWebhookConfiguration"]
    url = urlsplit(str(registration["webhooks"][0]["clientConfig"]["url"]))
    api, _, rest = str(url.hostname).partition("-vpce-")
    assert f"vpce-{rest}".startswith(f"{VPC_ENDPOINT}.execute-api.")
    assert url.path == f"/live/k/{token}/istio/inject"

    [public] = [
        each
        for each in private.cloud.client("apigatewayv2").get_apis()["Items"]
        if each["Name"] == private.name
    ]
    assert public["DisableExecuteApiEndpoint"] is True

    # The emulator has no names of VPC endpoints.
    local_name = {"Endpoint": f"https://{api}.execute-api.localhost"}
    through = replace(private, outputs={**private.outputs, **local_name})
    assert "istio-proxy" in containers(send_review(through, token, stage="/live"))
    assert send_review(through, "another", stage="/live").status == 401
