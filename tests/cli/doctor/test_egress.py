"""The egress mode of an EKS cluster: why a call can fail from the control plane only."""

from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError

from podgraft.cli.doctor import egress
from podgraft.cli.doctor.egress import describe_egress

SERVER = "https://0A1B2C.gr7.eu-west-1.eks.amazonaws.com"
EXEC = {"args": ["eks", "get-token", "--cluster-name", "prod-eu", "--region", "eu-west-1"]}
DENIED = ClientError(
    {"Error": {"Code": "AccessDeniedException", "Message": "no"}}, "DescribeCluster"
)


def make_config(server: str = SERVER, name: str = "prod", user: Any = None) -> Any:
    return {
        "clusters": [{"name": name, "cluster": {"server": server}}],
        "users": [{"name": "a", "user": {"exec": user} if user else {}}],
    }


class Client:
    """The client of EKS in an account whose clusters are in one mode."""

    def __init__(self, answer: Callable[[], Any], server: str = SERVER) -> None:
        self.answer, self.server, self.asked = answer, server, list[tuple[str, str]]()

    def open(self, service: str, region: str) -> "Client":
        assert service == "eks"
        self.asked.append((region, ""))
        return self

    def describe_cluster(self, *, name: str) -> Any:
        self.asked[-1] = (self.asked[-1][0], name)
        return {"cluster": {"endpoint": self.server, "resourcesVpcConfig": self.answer()}}


@pytest.mark.parametrize(
    ("mode", "text"),
    [
        ({}, "egress mode AWS_MANAGED: EKS reaches public endpoints only"),
        ({"controlPlaneEgressMode": "CUSTOMER_ROUTED"}, "CUSTOMER_ROUTED: your subnets need"),
        ({"controlPlaneEgressMode": "CUSTOMER_ISOLATED"}, "use podgraft serve in it"),
        ({"controlPlaneEgressMode": "NEW"}, "egress mode NEW: see the guide of EKS"),
    ],
)
def test_the_mode_and_its_meaning(mode: Any, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    client = Client(lambda: mode)
    monkeypatch.setattr(egress, "make_client", client.open)
    assert text in describe_egress(make_config(user=EXEC))
    arn = "arn:aws:eks:eu-west-1:111122223333:cluster/prod-us"
    assert text in describe_egress(make_config(name=arn))
    assert client.asked == [("eu-west-1", "prod-eu"), ("eu-west-1", "prod-us")]


def test_without_a_right_or_for_another_cluster_there_is_no_mode(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse() -> Any:
        raise DENIED

    monkeypatch.setattr(egress, "make_client", Client(refuse).open)
    assert not describe_egress(make_config(user=EXEC))
    assert not describe_egress(make_config("https://10.0.0.1:6443", user=EXEC))
    assert not describe_egress(make_config())
    assert not describe_egress({})


def test_a_cluster_of_another_account_with_the_same_name_has_no_mode(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = SERVER.replace("0A1B2C", "3D4E5F")
    monkeypatch.setattr(egress, "make_client", Client(dict[str, str], other).open)
    assert not describe_egress(make_config(user=EXEC))
