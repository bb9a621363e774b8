"""The registrations of a cluster, whose API server can belong to an attacker."""

import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from podgraft.cli.fleet.registrations import KubectlRegistrations
from podgraft.cli.fleet.retirement import delete_registrations
from podgraft.cli.live.api_errors import ApiError
from podgraft.cli.live.kubectl import KubectlReader
from podgraft.service.store.caller_document import Callers, TokenHash, hash_token

TOKEN = "0123456789abcdef" * 4
CALLERS = Callers((TokenHash(hash_token(TOKEN)),))
HOOK = {"clientConfig": {"url": f"https://hooks.example.com/k/{TOKEN}/inject"}}


@dataclass(frozen=True, slots=True, kw_only=True)
class OneObject(KubectlReader):
    """A cluster with one object; it notes the commands."""

    object: Any
    commands: list[tuple[str, ...]] = field(default_factory=list[tuple[str, ...]])

    def run(self, *arguments: str, request: str = "", manifest: Any = None) -> bytes:
        """Return a list with the object."""
        del request, manifest
        self.commands.append(arguments)
        return json.dumps({"kind": "List", "items": [self.object]}).encode()


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("Namespace/kube-system", "--cluster=other"),
        ("Secret", "a"),
        ("MutatingWebhookConfiguration", "--server=https://attacker.example"),
        ("MutatingWebhookConfiguration", "--all"),
        ("MutatingWebhookConfiguration", ""),
    ],
)
def test_an_object_becomes_no_option_of_kubectl(kind: str, name: str) -> None:
    """With ``--cluster``, kubectl would delete in another cluster of the same user."""
    reader = OneObject(object={"kind": kind, "metadata": {"name": name}, "webhooks": [HOOK]})
    with pytest.raises(ApiError, match="check the server of the current context"):
        list(delete_registrations(KubectlRegistrations(reader), [CALLERS]))
    assert [command[0] for command in reader.commands] == ["get"]


def test_a_registration_with_a_token_of_the_cluster_is_deleted() -> None:
    kind, metadata = "MutatingWebhookConfiguration", {"name": "podgraft-istio"}
    reader = OneObject(object={"kind": kind, "metadata": metadata, "webhooks": [HOOK]})
    assert list(delete_registrations(KubectlRegistrations(reader), [CALLERS])) == ["podgraft-istio"]
    assert reader.commands[-1][-2:] == ("mutatingwebhookconfiguration", "podgraft-istio")
