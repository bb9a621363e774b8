"""A response is never longer than Lambda accepts, whatever an author writes.

Lambda counts a longer one as an error of the function: an alarm starts, and CodeDeploy returns to
the earlier version. kube-apiserver validates the length of names and annotations after webhooks.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from podgraft.service.store.folder.files import read_manifests
from support.store_fixture import TOKEN, admit, write_injector

from .conftest import ApplicationFixture, make_application
from .test_repeated_reviews import make_pod, send

# In bytes; the body is a string of the JSON that the runtime sends.
LAMBDA_LIMIT = 6 * 1024 * 1024
LENGTH = 1_400_000
ANNOTATIONS = (
    "inject.istio.io/templates",
    "proxy.istio.io/config",
    "sidecar.istio.io/interceptionMode",
    "sidecar.istio.io/proxyCPU",
    "sidecar.istio.io/proxyImageType",
    "traffic.sidecar.istio.io/includeInboundPorts",
    "traffic.sidecar.istio.io/includeOutboundIPRanges",
)


@pytest.fixture(scope="module")
def istio(tmp_path_factory: pytest.TempPathFactory) -> ApplicationFixture:
    folder = tmp_path_factory.mktemp("store")
    admit(folder, "prod-eu", TOKEN)
    sample = Path(__file__).parents[3] / "samples/istio"
    files = read_manifests(sample / "bundle")
    return make_application(
        write_injector(folder, policy=(sample / "policy.yaml").read_text(), files=files)
    )


def measure(response: Any) -> int:
    body = json.dumps({"response": response}, separators=(",", ":"))
    return len(json.dumps({"body": body}))


@pytest.mark.parametrize("character", ['"', "\\", "a"])
@pytest.mark.parametrize("key", ANNOTATIONS)
def test_a_long_annotation_makes_no_longer_response(
    istio: ApplicationFixture, key: str, character: str
) -> None:
    code, response = send(istio, make_pod({key: character * LENGTH}))
    assert code == 200
    assert measure(response) < LAMBDA_LIMIT


def test_a_patch_that_is_too_long_is_a_denial(istio: ApplicationFixture) -> None:
    pod = make_pod()
    pod["spec"]["containers"][0]["name"] = "a" * 2_800_000
    code, response = send(istio, pod)
    assert (code, response["allowed"], response["status"]["code"]) == (200, False, 403)
    assert "at most 4194304 are possible; shorten the object" in response["status"]["message"]
    assert istio.records[-1]["decision"] == "deny"


def test_a_message_is_cut(istio: ApplicationFixture) -> None:
    _, response = send(istio, make_pod({"sidecar.istio.io/proxyCPU": "a" * LENGTH}))
    message = response["status"]["message"]
    assert len(message) < 33_000
    assert message.endswith(" characters)")
