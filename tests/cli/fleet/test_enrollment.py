"""``fleet apply`` and ``fleet rotate`` with an account, an endpoint, and API servers."""

import json
import shutil
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

import pytest

from cli.fleet.test_adopt import STACK, Account, fleet, issue
from cli.fleet.test_adopt import account as account  # noqa: PLC0414  a fixture
from cli.fleet.test_fleet_file import HEAD
from podgraft.base import system
from podgraft.cli import main
from podgraft.cli.certs import keys, pem
from podgraft.cli.fleet import commands, runs
from podgraft.cli.fleet.registrations import KubectlRegistrations
from podgraft.cli.live.api_errors import ApiError
from podgraft.cli.live.kubectl import KubectlReader
from podgraft.kube.admission import SYNTHETIC_UID
from podgraft.service import paths
from support.fake_kube_api import FakeKubeApi, serve_kube_api
from support.fake_registrations import FakeRegistrations
from support.pki import Authority
from support.tls_endpoint import serve_posts

REVIEW = json.dumps({"response": {"uid": SYNTHETIC_UID, "allowed": True}})


@dataclass(slots=True)
class Estate:
    """A stack, its endpoint, and clusters by context; ``waits`` are the seconds of each wait."""

    account: Account
    url: str
    clusters: dict[str, FakeRegistrations] = field(default_factory=dict[str, FakeRegistrations])
    waits: list[float] = field(default_factory=list[float])

    def write(self, names: str, more: str = "") -> str:
        """Write the fleet file with a cluster for each letter."""
        clusters = "".join(f"    {name}: {{context: {name}{more}}}\n" for name in names)
        Path("fleet.yaml").write_text(
            f"{HEAD}spec:\n  url: {self.url}\n  caBundle: ca.pem\n"
            "  defaults:\n    injectors: [{name: istio, revision: default}]\n"
            f"  groups: {{ring-0: {{}}}}\n  clusters:\n{clusters}"
        )
        return "fleet.yaml"

    def token(self, name: str) -> str:
        """The only token in the registrations of a cluster."""
        found = {
            paths.split_token(webhook["clientConfig"]["url"].removeprefix(self.url))[0]
            for each in self.clusters[name].objects.values()
            for webhook in each["webhooks"]
        }
        [token] = found
        assert token is not None
        return token


@pytest.fixture
def estate(account: Account, monkeypatch: pytest.MonkeyPatch) -> Generator[Estate]:
    authority = Authority()
    key = keys.make_key(keys.KeyType.P_256)
    Path("ca.pem").write_bytes(pem.dump_certificates([authority.certificate]))

    lock = Lock()  # threads of one environment share what one of them reads

    def respond(path: str) -> tuple[int, str]:
        token = paths.split_token(path.partition("?")[0])[0]
        with lock:
            return (200, REVIEW) if token and account.knows(token) else (401, "{}")

    with serve_posts([authority.server("127.0.0.1", key=key)], key, Path(), respond) as endpoint:
        made = Estate(account, f"https://127.0.0.1:{endpoint.port}")

        def open_registrations(reader: KubectlReader, *_: object) -> FakeRegistrations:
            return made.clusters.setdefault(str(reader.context), FakeRegistrations())

        for module in (runs, commands):
            monkeypatch.setattr(module, "KubectlRegistrations", open_registrations)
        monkeypatch.setattr(system, "sleep", made.waits.append)
        assert fleet("adopt") == 0
        assert fleet("adopt", "--finish") == 0
        yield made


def run(*words: str) -> int:
    return main(["fleet", *words, *STACK])


def test_the_remedies_are_those_of_the_file_and_the_stack(
    estate: Estate, capsys: pytest.CaptureFixture[str]
) -> None:
    path = Path(estate.write("a"))
    path.write_text(path.read_text().replace("  caBundle: ca.pem\n", "") + "    c: {}\n")
    issue("b")
    assert run("apply", "fleet.yaml") == 1
    err = capsys.readouterr().err
    assert "would not trust 127.0.0.1:" in err
    assert "; set caBundle of the fleet file to the CA that signed it" in err
    assert "--ca-bundle" not in err
    assert "issued 1 token; " in err
    stack = " ".join(STACK)
    assert f"podgraft tokens issue --cluster c {stack}: has no token" in err
    assert f"podgraft fleet retire b {stack}: it is in the registry" in err


def test_apply_enrolls_every_cluster(estate: Estate, capsys: pytest.CaptureFixture[str]) -> None:
    path = estate.write("abc")
    serial = estate.account.pointer()["serial"]
    assert run("plan", path) == 1
    capsys.readouterr()
    assert run("apply", path) == 0
    printed = capsys.readouterr()
    assert "3 registered" in printed.out
    assert "[3/3] " in printed.err
    assert "issued 3 tokens; 32 s until the function has read them" in printed.err
    assert estate.account.pointer()["serial"] == serial + 1
    assert estate.waits == [32]
    for name in "abc":
        assert estate.account.knows(estate.token(name))
        assert estate.token(name) not in printed.out + printed.err
    assert run("plan", path) == 0
    assert run("apply", path) == 0
    assert "3 equal" in capsys.readouterr().out
    assert estate.account.pointer()["serial"] == serial + 1


def test_rotate_replaces_the_tokens_of_a_group(
    estate: Estate, capsys: pytest.CaptureFixture[str]
) -> None:
    run("apply", estate.write("ab"))
    path = estate.write("a", ", groups: [ring-0]")
    with Path(path).open("a") as file:
        file.write("    b: {context: b}\n")
    before = {name: estate.token(name) for name in "ab"}
    capsys.readouterr()
    assert run("rotate", path, "--group", "ring-0") == 0
    assert capsys.readouterr().out == "no cluster with a context is due\n"
    assert estate.token("a") == before["a"]
    assert run("apply", path) == 0
    assert run("rotate", path, "--group", "ring-0", "--now") == 0
    printed = capsys.readouterr()
    assert "1 rotated" in printed.out
    assert estate.token("b") == before["b"]
    assert estate.token("a") != before["a"]
    assert estate.account.knows(estate.token("a"))
    assert not estate.account.knows(before["a"])
    [revoked] = estate.account.function.callers().callers["a"].revoked
    assert revoked.id in before["a"]


def test_rotate_prints_lines_of_json(estate: Estate, capsys: pytest.CaptureFixture[str]) -> None:
    path = estate.write("abcdefghijk")
    run("apply", path)
    capsys.readouterr()
    assert run("rotate", path, "--now", "-o", "json") == 0
    printed = capsys.readouterr()
    *outcomes, summary = map(json.loads, printed.out.splitlines())
    assert [each["result"] for each in outcomes] == ["rotated", "rotated"]
    assert summary == {"summary": {"equal": 0, "registered": 0, "rotated": 2, "failed": 0}}
    assert "9 more clusters are due" in printed.err


def test_without_a_selection_rotate_begins_a_tenth(
    estate: Estate, capsys: pytest.CaptureFixture[str]
) -> None:
    path = estate.write("abcdefghijk")
    run("apply", path)
    capsys.readouterr()
    assert run("rotate", path, "--now") == 0
    printed = capsys.readouterr().out
    assert "2 rotated" in printed
    assert "9 more clusters are due; run the command again, or use --max" in printed
    assert run("rotate", path, "--now", "--max", "3") == 0
    assert "3 rotated" in capsys.readouterr().out


def test_a_cluster_that_fails_does_not_stop_the_others(
    estate: Estate, capsys: pytest.CaptureFixture[str]
) -> None:
    path = estate.write("abc")

    def fail(request: str) -> None:
        if request == "apply":
            raise ApiError("context b: cannot reach the API server")

    estate.clusters["b"] = FakeRegistrations(before=fail)
    assert run("apply", path) == 1
    printed = capsys.readouterr()
    assert "1 failed, 2 registered" in printed.out
    assert "b: failed: context b: cannot reach the API server" in printed.err
    estate.clusters["b"].before = lambda _: None
    assert run("apply", path) == 0
    assert estate.account.knows(estate.token("b"))
    assert len(estate.account.function.callers().callers["b"].tokens) == 1


def test_after_three_failures_in_a_row_no_other_cluster_begins(
    estate: Estate, capsys: pytest.CaptureFixture[str]
) -> None:
    path = estate.write("abcdefgh")
    Path("other.pem").write_bytes(pem.dump_certificates([Authority().certificate]))
    text = Path(path).read_text().replace("ca.pem", "other.pem")
    Path(path).write_text(text)
    assert run("apply", path, "--parallel", "1") == 1
    printed = capsys.readouterr().err
    assert printed.count("not started, after 3 failures in a row") >= 3
    assert all(not each["webhooks"] for own in estate.clusters.values() for each in _all(own))


def _all(registrations: FakeRegistrations) -> list[Any]:
    return [*registrations.objects.values()]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--group", "rnig"), "--group rnig: not in the fleet file; did you mean ring-0?"),
        (("--cluster", "z"), "--cluster z: not in the fleet file; supported keys: a"),
    ],
)
def test_an_unknown_selection_is_an_error_before_anything_is_written(
    estate: Estate, capsys: pytest.CaptureFixture[str], words: tuple[str, str], message: str
) -> None:
    path = estate.write("a", ", groups: [ring-0]")
    assert run("rotate", path, *words) == 2
    assert message in capsys.readouterr().err


def test_a_missing_ca_is_an_error_before_anything_is_written(estate: Estate) -> None:
    path = estate.write("a", ", groups: [ring-0]")
    Path("ca.pem").unlink()
    serial = estate.account.pointer()["serial"]
    assert run("apply", path) == 2
    assert estate.account.pointer()["serial"] == serial


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="needs kubectl")
def test_kubectl_enrolls_and_rotates(
    estate: Estate, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = estate.write("abc")
    with serve_kube_api(*"abc") as api:
        use_kubectl(monkeypatch, estate, api)
        api.unreachable.add("c")
        assert run("apply", path) == 1
        printed = capsys.readouterr()
        assert "1 failed, 2 registered" in printed.out
        api.unreachable.clear()
        assert run("apply", path) == 0
        before = {name: estate.token(name) for name in "abc"}
        assert run("rotate", path, "--cluster", "a", "--now") == 0
        assert estate.token("a") != before["a"]
        assert estate.account.knows(estate.token("a"))
        assert run("retire", "b", "--context", "b") == 0
        assert not api.clusters["b"].objects
        printed = capsys.readouterr()
        assert not [each for each in before.values() if each in printed.out + printed.err]


def use_kubectl(monkeypatch: pytest.MonkeyPatch, estate: Estate, api: FakeKubeApi) -> None:
    """Let the commands call the API servers with kubectl."""
    estate.clusters = api.clusters
    monkeypatch.setenv("KUBECONFIG", str(api.write_kubeconfig(Path("kubeconfig.json")).absolute()))
    monkeypatch.setenv("HOME", str(Path().absolute()))

    for module in (runs, commands):
        monkeypatch.setattr(module, "KubectlRegistrations", KubectlRegistrations)


def test_a_killed_apply_ends_equal_when_it_runs_again(estate: Estate) -> None:
    """The registry is that of the account; test_rotation_laws.py kills at each request."""
    path = estate.write("ab")

    def kill(at: int) -> Callable[[str], None]:
        left = iter(range(at))

        def before(_: str) -> None:
            if next(left, None) is None:
                raise KeyboardInterrupt

        return before

    for number in range(8):
        for name in "ab":
            estate.clusters[name] = FakeRegistrations(before=kill(number))
        assert run("apply", path) in {0, 130}
        for each in estate.clusters.values():
            each.before = lambda _: None
        assert run("apply", path) == 0
        for name in "ab":
            assert estate.account.knows(estate.token(name))
            assert len(estate.account.function.callers().callers[name].tokens) == 1


def test_extend_moves_the_end_of_the_tokens(
    estate: Estate, capsys: pytest.CaptureFixture[str]
) -> None:
    path = estate.write("ab")
    run("apply", path)
    serial = estate.account.pointer()["serial"]
    assert run("extend", path, "--cluster", "a", "--expires", "2999-01-01") == 0
    assert "the tokens of 1 of 1 clusters end later" in capsys.readouterr().out
    assert run("extend", path, "--cluster", "a") == 0  # 90 days are earlier
    callers = estate.account.function.callers().callers
    assert callers["a"].tokens[0].expires == "2999-01-01"
    assert callers["b"].tokens[0].expires < "2999"
    assert estate.account.pointer()["serial"] == serial + 1
    assert run("extend", path, "--cluster", "a", "--expires", "never") == 0
    assert not estate.account.function.callers().callers["a"].tokens[0].expires


def test_retire_deletes_registrations_and_revokes(
    estate: Estate, capsys: pytest.CaptureFixture[str]
) -> None:
    run("apply", estate.write("ab"))
    token = estate.token("b")
    estate.account.ssm.put_parameter(
        Name="/podgraft-dev/istio/policy",
        Type="String",
        Value="groups: {ring: {members: [b]}}\nclusters: {b: {policy: disabled}}\n",
    )
    assert run("retire", "b") == 2  # neither a context nor --gone
    assert run("retire", "z", "--gone") == 2
    # It dies between both steps.
    estate.clusters["b"].after = _raise
    assert run("retire", "b", "--context", "b") == 130
    assert estate.account.knows(token)
    estate.clusters["b"].after = lambda: None
    capsys.readouterr()
    assert run("retire", "b", "--context", "b") == 0
    assert not estate.clusters["b"].objects
    assert not estate.account.knows(token)
    printed = capsys.readouterr()
    assert "/podgraft-dev/istio/policy: remove /clusters/b, /groups/ring/members" in printed.err
    assert run("plan", estate.write("a")) == 0
    estate.account.ssm.put_parameter(
        Name="/podgraft-dev/istio/policy", Value="policy: [", Overwrite=True
    )
    capsys.readouterr()
    assert run("retire", "b", "--gone") == 0
    assert "/podgraft-dev/istio/policy: does not load; search it for b" in capsys.readouterr().err


def _raise() -> None:
    raise KeyboardInterrupt
