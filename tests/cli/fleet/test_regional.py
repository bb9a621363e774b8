"""``podgraft fleet`` in two regions: grants in both, withdrawals from one; the next run ends all.

A registered token must be valid in each region: the endpoint accepts a token only if both know it.
"""

import json
from collections.abc import Generator
from itertools import permutations
from pathlib import Path
from random import Random
from typing import Any

import pytest

from cli.fleet.test_enrollment import REVIEW
from cli.fleet.test_fleet_file import HEAD
from cli.test_regions import STACK, A, B, Site
from cli.test_regions import site as site  # noqa: PLC0414  a fixture
from podgraft.base import system
from podgraft.cli import main
from podgraft.cli.certs import keys, pem
from podgraft.cli.failure import CommandError
from podgraft.cli.fleet import changes, commands, regional, runs
from podgraft.cli.fleet.adoption import StackCallers
from podgraft.cli.fleet.regional import merge_callers, merge_regions
from podgraft.cli.live.kubectl import KubectlReader
from podgraft.cli.tokens.registry_writer import Clusters
from podgraft.service import paths
from podgraft.service.store.caller_document import (
    MAX_REVOKED,
    Callers,
    RevokedToken,
    TokenHash,
    hash_token,
)
from podgraft.service.store.registry_document import read_registry
from support.fake_registrations import FakeRegistrations
from support.pki import Authority
from support.tls_endpoint import serve_posts

POINTER = "/podgraft-dev/callers"
BOTH = ("--regions", f"{A},{B}")


class Fleet:
    """Two regions, one name that leads to both, and the registrations by context."""

    def __init__(self, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
        self.site, self.patch = site, monkeypatch
        self.clusters: dict[str, FakeRegistrations] = {}
        self.waits: list[float] = []
        monkeypatch.setattr(system, "sleep", self.waits.append)

        def open_registrations(reader: KubectlReader, *_: object) -> FakeRegistrations:
            return self.clusters.setdefault(
                str(reader.context), FakeRegistrations(after=self.check)
            )

        for module in (runs, commands):
            monkeypatch.setattr(module, "KubectlRegistrations", open_registrations)

    def run(self, *words: str) -> int:
        self.site.capsys.readouterr()
        status = main(["fleet", *words, *STACK, *BOTH])
        self.site.out, self.site.err = self.site.capsys.readouterr()
        return status

    def callers(self, region: str) -> dict[str, Callers]:
        digest = json.loads(self.site.read(region, POINTER))["callers"]
        s3 = self.site.session.create_client("s3", region_name=region)
        key = f"callers/sha256/{digest.removeprefix('sha256:')}.json"
        content = s3.get_object(Bucket=f"bundles-{region}", Key=key)["Body"].read()
        return dict(read_registry(content, digest))

    def knows(self, region: str, token: str) -> bool:
        own = self.callers(region).values()
        return any(each.find_tokens(hash_token(token)) for each in own)

    def token(self, cluster: str) -> str:
        """The only token in the registrations of a cluster."""
        [token] = self.registered(cluster)
        return token

    def registered(self, cluster: str) -> set[str]:
        urls = [
            webhook["clientConfig"]["url"]
            for each in self.clusters[cluster].objects.values()
            for webhook in each["webhooks"]
        ]
        return {str(paths.split_token("/" + url.split("/", 3)[3])[0]) for url in urls}

    def check(self) -> None:
        """The law, at each change of a registration."""
        for cluster in self.clusters:
            for token in self.registered(cluster):
                assert self.knows(A, token)
                assert self.knows(B, token)

    def is_equal(self) -> bool:
        """Whether both registries have the same digest."""
        pointers = [json.loads(self.site.read(region, POINTER)) for region in (A, B)]
        return pointers[0]["callers"] == pointers[1]["callers"]


@pytest.fixture
def fleet(site: Site, monkeypatch: pytest.MonkeyPatch) -> Generator[Fleet]:
    made, authority = Fleet(site, monkeypatch), Authority()
    key = keys.make_key(keys.KeyType.P_256)
    Path("ca.pem").write_bytes(pem.dump_certificates([authority.certificate]))

    def respond(path: str) -> tuple[int, str]:
        token = str(paths.split_token(path.partition("?")[0])[0])
        known = made.knows(A, token) and made.knows(B, token)
        return (200, REVIEW) if known else (401, "{}")

    with serve_posts([authority.server("127.0.0.1", key=key)], key, Path(), respond) as endpoint:
        Path("fleet.yaml").write_text(
            f"{HEAD}spec:\n  url: https://127.0.0.1:{endpoint.port}\n  caBundle: ca.pem\n"
            "  defaults: {injectors: [{name: istio, revision: default}]}\n"
            "  groups: {ring-0: {}}\n  clusters:\n"
            "    a: {context: a, groups: [ring-0]}\n    b: {context: b}\n"
        )
        assert made.run("adopt") == 0
        assert made.run("adopt", "--finish") == 0
        yield made


def test_apply_issues_the_same_tokens_in_both_regions(fleet: Fleet) -> None:
    assert fleet.run("plan", "fleet.yaml") == 1
    assert fleet.run("apply", "fleet.yaml") == 0, fleet.site.err
    assert "2 registered" in fleet.site.out
    assert fleet.is_equal()
    assert fleet.waits == [32]
    assert fleet.callers(B)["a"].groups == ("ring-0",)
    assert fleet.run("plan", "fleet.yaml") == 0
    assert fleet.run("apply", "fleet.yaml") == 0
    before = fleet.token("a")
    assert fleet.run("rotate", "fleet.yaml", "--now") == 0, fleet.site.err
    assert fleet.token("a") != before
    assert not fleet.knows(A, before)
    assert not fleet.knows(B, before)
    assert fleet.is_equal()
    assert fleet.run("extend", "fleet.yaml", "--expires", "never") == 0
    assert fleet.is_equal()
    assert not fleet.callers(B)["b"].tokens[0].expires


def test_nothing_changes_while_a_region_is_down(fleet: Fleet) -> None:
    before = [fleet.site.versions(POINTER), fleet.callers(A)]
    fleet.site.down.add(B)
    for command in ("plan", "apply", "rotate"):
        assert fleet.run(command, "fleet.yaml") == 2
        assert f"error: region {B}: " in fleet.site.err
    fleet.site.down.clear()
    assert [fleet.site.versions(POINTER), fleet.callers(A)] == before
    assert not fleet.clusters


def test_a_token_that_one_region_lacks_is_not_registered(fleet: Fleet) -> None:
    fleet.site.refused.add(POINTER)
    assert fleet.run("apply", "fleet.yaml") == 1
    assert f"error: region {B}: parameter {POINTER}: ValidationException" in fleet.site.err
    assert f"done: {A}; not done: {B}\n" in fleet.site.err
    assert f"  to finish: podgraft fleet apply fleet.yaml {' '.join((*STACK, *BOTH))}" in (
        fleet.site.err
    )
    assert fleet.run("plan", "fleet.yaml") == 1
    assert f"a  regions   {B} has other groups" in fleet.site.out
    fleet.site.refused.clear()
    assert fleet.run("apply", "fleet.yaml") == 0
    assert fleet.is_equal()
    assert [len(each.tokens) for each in fleet.callers(B).values()] == [1, 1]


def test_a_rotation_that_revokes_in_one_region_ends_with_the_next_run(fleet: Fleet) -> None:
    fleet.run("apply", "fleet.yaml")
    before = fleet.token("a")

    def refuse_after_registration(seconds: float) -> None:
        if seconds == 10:  # before the revocation
            fleet.site.refused.add(POINTER)

    fleet.patch.setattr(system, "sleep", refuse_after_registration)
    assert fleet.run("rotate", "fleet.yaml", "--now") == 1
    assert f"done: {A}; not done: {B}\n" in fleet.site.err
    assert not fleet.knows(A, before)
    assert fleet.knows(B, before)
    fleet.site.refused.clear()
    assert fleet.run("apply", "fleet.yaml") == 0
    assert not fleet.knows(B, before)
    assert fleet.is_equal()


def test_a_withdrawal_in_one_region_is_one_in_both(fleet: Fleet) -> None:
    fleet.run("apply", "fleet.yaml")
    token = fleet.token("a")
    fleet.site.down.add(B)
    assert fleet.site.run("tokens", "revoke", "--cluster", "a", token.split("-")[1]) == 1
    fleet.site.down.clear()
    assert fleet.knows(B, token)
    assert fleet.run("plan", "fleet.yaml", "-o", "json") == 1
    lines = [json.loads(line) for line in fleet.site.out.splitlines()]
    assert lines[0] == {
        "cluster": "a", "change": "regions", "detail": f"{B} has other tokens, revoked"
    }  # fmt: skip
    assert lines[-1] == {"summary": {"clusters": 2, "equal": 1}}
    fleet.clusters["a"].after = lambda: None  # it has a revoked token until the end
    assert fleet.run("apply", "fleet.yaml") == 0, fleet.site.err
    assert not fleet.knows(B, token)
    assert fleet.token("a") != token
    fleet.check()
    assert fleet.is_equal()


def test_a_cluster_retires_where_it_can(fleet: Fleet) -> None:
    fleet.run("apply", "fleet.yaml")
    token = fleet.token("b")
    fleet.clusters["b"].after = lambda: None
    fleet.site.down.add(A)
    assert fleet.run("retire", "b", "--context", "b") == 1
    assert f"done: {B}; not done: {A}\n" in fleet.site.err
    assert not fleet.clusters["b"].objects
    fleet.site.down.clear()
    assert fleet.knows(A, token)
    assert fleet.run("retire", "b", "--context", "b") == 0
    assert not fleet.knows(A, token)
    assert fleet.run("retire", "z", "--gone") == 2


def test_more_tokens_than_a_cluster_can_have_are_an_error(fleet: Fleet) -> None:
    for region, name in ((A, "1"), (B, "2")):
        words = ("--cluster", "a", "--output", f"{name}.token", *STACK, "--region", region)
        assert main(["tokens", "issue", *words]) == 0
    words = ("--cluster", "a", "--output", "3.token", *STACK, "--region", B)
    assert main(["tokens", "rotate", *words]) == 0
    serials = fleet.site.versions(POINTER)
    assert fleet.run("apply", "fleet.yaml") == 2
    assert "cluster a: the regions have the tokens" in fleet.site.err
    assert f"podgraft tokens revoke --cluster a ID {' '.join(BOTH)}" in fleet.site.err
    assert fleet.site.versions(POINTER) == serials


def test_a_token_that_only_one_region_has_ends_later_in_both(fleet: Fleet) -> None:
    words = ("--cluster", "a", "--output", "1.token", *STACK, "--region", B)
    assert main(["tokens", "issue", *words]) == 0
    assert fleet.run("extend", "fleet.yaml", "--expires", "never") == 0, fleet.site.err
    ends = [[each.expires for each in fleet.callers(region)["a"].tokens] for region in (A, B)]
    assert ends == [[""], [""]]
    assert fleet.is_equal()


def test_a_region_that_goes_away_after_the_first_is_written_is_a_split(fleet: Fleet) -> None:
    writes = fleet.site.versions(POINTER)[0]

    def read_clusters(stack: StackCallers) -> Clusters:
        is_b = stack.registry.ssm.meta.region_name == B
        if is_b and fleet.site.versions(POINTER)[0] > writes:
            raise CommandError("parameters: cannot be reached")
        return changes.read_clusters(stack)

    fleet.patch.setattr(regional, "read_clusters", read_clusters)
    assert fleet.run("apply", "fleet.yaml") == 1, fleet.site.err
    assert f"done: {A}; not done: {B}\n" in fleet.site.err
    fleet.patch.setattr(regional, "read_clusters", changes.read_clusters)
    assert fleet.run("apply", "fleet.yaml") == 0
    assert fleet.is_equal()


def test_a_region_that_lacks_a_cluster_does_not_change_its_groups() -> None:
    callers = Callers(groups=("ring-0",), sources=("10.0.0.0/8",))
    assert merge_regions([{}, {"prod": callers}]) == {"prod": callers}


def make_region(random: Random, revoked: int) -> Callers:
    numbers = random.sample(range(12), 2)
    return Callers(
        tokens=tuple(make_token(each) for each in numbers),
        revoked=tuple(make_revoked(each) for each in random.sample(range(12), revoked)),
    )


def make_token(number: int) -> TokenHash:
    digest = f"{number:064x}"
    return TokenHash(digest, f"2026-11-{number + 1:02}", "", f"aaaaaaa{'abcdefghijkl'[number]}")


def make_revoked(number: int) -> RevokedToken:
    return RevokedToken(make_token(number).id, f"2026-11-{number + 2:02}")


@pytest.mark.parametrize("seed", range(200))
def test_the_laws_of_a_merge(seed: int) -> None:
    random = Random(seed)  # noqa: S311
    regions = [make_region(random, random.randrange(4)) for _ in range(3)]
    merged = merge_callers(*regions)
    others = [merge_callers(*order) for order in permutations(regions)]
    assert {(frozenset(each.tokens), each.revoked) for each in others} == {
        (frozenset(merged.tokens), merged.revoked)
    }
    assert all(merge_callers(merged, each) == merged for each in regions), "not idempotent"
    revoked = {each.id for region in regions for each in region.revoked}
    granted = {token.id for region in regions for token in region.tokens}
    assert {token.id for token in merged.tokens} == granted - revoked


def test_a_region_that_forgot_a_revocation_does_not_lose_it() -> None:
    """A region lists the newest eight; what is older, and missing there, is no grant."""
    full = Callers(revoked=tuple(make_revoked(each) for each in range(2, 2 + MAX_REVOKED)))
    assert merge_callers(full, Callers(tokens=(make_token(0),))).tokens == ()
    newer: Any = make_token(11)
    assert merge_callers(full, Callers(tokens=(newer,))).tokens == (newer,)
