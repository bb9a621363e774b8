"""Tokens are shown once, kept as hashes, and rotated without a moment in which none is valid."""

import json
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from podgraft.cli import main
from podgraft.cli.stacks import AwsError, make_client
from podgraft.cli.storage import StoredDocument
from podgraft.cli.storage.parameters import ParameterDocuments
from podgraft.cli.tokens import commands
from podgraft.cli.tokens.storage import read_documents, write_document
from podgraft.core.identifiers import CLUSTER_REMEDY
from podgraft.kube import yaml
from podgraft.service.store import caller_document as hashes
from podgraft.service.store.caller_document import Callers
from podgraft.service.store.caller_token import parse_token
from podgraft.service.store.folder import FolderCallers


@dataclass(frozen=True, slots=True)
class Outcome:
    status: int
    out: str
    err: str


Run = Callable[..., Outcome]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run podgraft tokens over a file store."""
    monkeypatch.chdir(tmp_path)

    def _run(*arguments: str) -> Outcome:
        status = main(["tokens", *arguments, "--config", "store"])
        captured = capsys.readouterr()
        return Outcome(status, captured.out, captured.err)

    return _run


def _callers(cluster: str = "prod") -> Callers:
    """What the webhook knows, read as it reads it."""
    return FolderCallers(Path("store")).callers().callers[cluster]


def _knows(token: str, cluster: str = "prod") -> bool:
    return hashes.hash_token(token) in {known.sha256 for known in _callers(cluster).tokens}


def test_a_token_is_printed_once_and_retained_as_a_hash(run: Run) -> None:
    issued = run("issue", "--cluster", "prod", "--note", "first")
    token = issued.out.strip()
    assert (issued.status, len(token)) == (0, 82)
    assert _knows(token)
    kept = Path("store/auth/prod.yaml").read_text()
    assert token not in kept + issued.err
    assert hashes.hash_token(token) in kept
    assert "note: first" in kept
    assert token not in run("list").out


def test_a_token_in_a_file_is_not_shown(run: Run) -> None:
    issued = run("issue", "--cluster", "prod", "--output", "token")
    token = Path("token").read_text().strip()
    assert (issued.status, issued.out) == (0, "")
    assert token not in issued.err
    assert stat.S_IMODE(Path("token").stat().st_mode) == 0o600
    assert _knows(token)


def test_an_existing_file_is_retained_and_nothing_is_issued(run: Run) -> None:
    Path("token").write_text("mine")
    refused = run("issue", "--cluster", "prod", "-o", "token")
    assert refused.status == 1
    assert "token: already exists; name another file with --output" in refused.err
    assert Path("token").read_text() == "mine"
    assert not Path("store/auth").exists()


def test_rotation_leaves_no_gap(run: Run) -> None:
    old = run("issue", "--cluster", "prod").out.strip()
    rotated = run("rotate", "--cluster", "prod")
    new = rotated.out.strip()
    assert _knows(old)
    assert _knows(new)
    first, second = _callers().tokens
    assert f"podgraft tokens revoke --cluster prod {first.identity}" in rotated.err
    revoke = "revoke the unused one: podgraft tokens revoke --cluster prod ID --config store"
    ids = f"{first.identity}, {second.identity}"
    assert f"prod already has 2 tokens: {ids}; {revoke}" in run("rotate", "--cluster", "prod").err
    assert run("revoke", "--cluster", "prod", first.identity).status == 0
    assert _callers().tokens == (second,)


def test_the_last_one_out_is_reported(run: Run) -> None:
    run("issue", "--cluster", "prod")
    (token,) = _callers().tokens
    assert (
        "cluster prod cannot call podgraft any more"
        in run("revoke", "--cluster", "prod", token.identity).err
    )


def test_clusters_are_listed_with_the_ids_of_their_tokens(run: Run) -> None:
    run("issue", "--cluster", "prod", "--note", "ticket 4711")
    run("issue", "--cluster", "staging")
    run("allow", "--cluster", "staging", "CN=staging,O=podgraft-clusters")
    (token,) = _callers("prod").tokens
    lines = run("list").out.splitlines()
    ends = f"expires {token.expires} (90 days)"
    assert lines[0] == (
        f"prod\ttoken {token.identity}\t{token.created}\t0 days\t{ends}\tticket 4711"
    )
    assert lines[2] == "staging\tcertificate CN=staging,O=podgraft-clusters"
    assert len(run("list", "--cluster", "staging").out.splitlines()) == 2


AGES = (("2026-11-20T12:00:00Z", "4 days"), ("2026-11-23T12:00:00Z", "1 day"), ("", "age unknown"))


@pytest.mark.parametrize(("created", "age"), AGES)
def test_the_age_of_a_token_is_in_days(created: str, age: str) -> None:
    now = datetime(2026, 11, 24, 13, tzinfo=UTC)
    assert commands._format_age(created, now) == age  # pyright: ignore[reportPrivateUsage]


def test_clusters_are_listed_as_json(run: Run) -> None:
    assert json.loads(run("list", "-o", "json").out) == []
    secret = run("issue", "--cluster", "prod", "--note", "ticket 4711").out.strip()
    run("allow", "--cluster", "staging", "CN=staging,O=podgraft-clusters")
    (token,) = _callers("prod").tokens
    listed = run("list", "-o", "json").out
    assert secret not in listed
    assert json.loads(listed) == [
        {
            "cluster": "prod",
            "tokens": [
                {
                    "id": token.identity,
                    "created": token.created,
                    "ageDays": 0,
                    "expires": token.expires,
                    "note": "ticket 4711",
                }
            ],
            "subjects": [],
            "groups": [],
            "sources": [],
        },
        {
            "cluster": "staging",
            "tokens": [],
            "subjects": ["CN=staging,O=podgraft-clusters"],
            "groups": [],
            "sources": [],
        },
    ]


LIFETIMES = (
    ("never", None),
    ("2099-12-31", "2099-12-31"),
    ("2d", f"{datetime.now(UTC) + timedelta(2):%Y-%m-%d}"),
)


@pytest.mark.parametrize(("expires", "last"), LIFETIMES)
def test_a_token_ends_with_the_day_of_its_option(run: Run, expires: str, last: str | None) -> None:
    text = run("issue", "--cluster", "prod", "--expires", expires).out.strip()
    (token,) = _callers().tokens
    assert (token.expires or None) == last
    public = parse_token(text)
    assert public is not None
    assert (public.id, public.expires) == (token.id, token.expires)
    assert token.identity == token.id


@pytest.mark.parametrize("expires", ["2020-01-01", "soon", "90", "2027-13-01", "99999d"])
def test_a_last_day_that_is_none_is_refused(run: Run, expires: str) -> None:
    assert run("issue", "--cluster", "prod", "--expires", expires).status == 2
    assert not Path("store/auth").exists()


def test_a_revoked_token_is_listed_by_its_id(run: Run) -> None:
    run("issue", "--cluster", "prod")
    (token,) = _callers().tokens
    run("revoke", "--cluster", "prod", token.identity)
    assert [each.id for each in _callers().revoked] == [token.id]


def test_an_empty_store_states_the_remedy(run: Run) -> None:
    listed = run("list")
    assert (listed.status, listed.out) == (0, "")
    assert "podgraft tokens issue --cluster CLUSTER" in listed.err


def test_certificates_are_allowed_and_forbidden(run: Run) -> None:
    subject = "CN=prod,O=podgraft-clusters"
    run("allow", "--cluster", "prod", subject)
    run("allow", "--cluster", "prod", subject)
    assert _callers().subjects == (subject,)
    assert run("forbid", "--cluster", "prod", subject).status == 0
    assert _callers().subjects == ()
    again = run("forbid", "--cluster", "prod", subject)
    assert again.err == f"error: subject {subject!r} of prod not found; use one of: none\n"


@pytest.mark.parametrize("subject", ["prod", "CN=prod+O=podgraft-clusters", "CN=prod,"])
def test_a_subject_that_matches_no_certificate_is_refused(run: Run, subject: str) -> None:
    refused = run("allow", "--cluster", "prod", subject)
    assert refused.status == 1
    assert f"subject: got {subject!r}, which can match no certificate; use a" in refused.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("issue", "--cluster", "../etc"), f'cluster: got "../etc"; {CLUSTER_REMEDY}'),
        (("issue", "--cluster", ""), f'cluster: got ""; {CLUSTER_REMEDY}'),
        (
            ("rotate", "--cluster", "prod"),
            "prod has no token yet; create one: podgraft tokens issue",
        ),
        (("revoke", "--cluster", "prod", "ab"), "token 'ab': 0 tokens match; use one of: none"),
    ],
)
def test_a_fault_is_a_sentence(run: Run, arguments: tuple[str, ...], words: str) -> None:
    outcome = run(*arguments)
    assert (outcome.status, outcome.out) == (1, "")
    assert words in outcome.err


@pytest.mark.parametrize("known", ["CN=prod,O=clusters", "O = clusters, CN = prod"])
def test_a_subject_identifies_one_cluster(run: Run, known: str) -> None:
    """podgraft rejects a certificate of several clusters, also the first one's requests."""
    assert run("allow", "--cluster", "prod", known).status == 0
    refused = run("allow", "--cluster", "staging", "CN=prod,O=clusters")
    assert refused.status == 1
    assert f"subject {known!r}: identifies cluster prod; use another subject" in refused.err
    assert "first run podgraft tokens forbid --cluster prod " in refused.err
    assert not Path("store/auth/staging.yaml").exists()
    assert run("allow", "--cluster", "prod", "CN=prod,O=clusters").status == 0
    for each in _callers().subjects:
        assert run("forbid", "--cluster", "prod", each).status == 0
    allowed = run("allow", "--cluster", "staging", "CN=prod,O=clusters")
    assert allowed.status == 0
    assert "podgraft serve --client-ca FILE: only then are client" in allowed.err


def test_a_cluster_without_credentials_is_reported(run: Run) -> None:
    issue = "podgraft tokens issue --cluster"
    assert f"{issue} CLUSTER --config store: no cluster can call yet" in run("list").err
    run("issue", "--cluster", "prod")
    listed = run("list", "--cluster", "prdo")
    assert (listed.status, listed.out) == (0, "")
    assert f"{issue} prdo --config store: prdo cannot call" in listed.err
    run("revoke", "--cluster", "prod", _callers().tokens[0].identity)
    assert "no cluster can call" in run("list").err


def test_a_second_issue_is_a_rotation(run: Run) -> None:
    run("issue", "--cluster", "prod")
    assert "prod already has a token" in run("issue", "--cluster", "prod").err


def test_a_damaged_document_is_not_overwritten(run: Run) -> None:
    Path("store/auth").mkdir(parents=True)
    Path("store/auth/prod.yaml").write_text("tokens: {}\n")
    problem = "store/auth/prod.yaml: tokens: expected a list"
    assert problem in run("issue", "--cluster", "prod").err
    assert problem in run("list").err
    assert Path("store/auth/prod.yaml").read_text() == "tokens: {}\n"


def test_no_text_of_a_damaged_document_is_quoted(run: Run) -> None:
    Path("store/auth").mkdir(parents=True)
    Path("store/auth/prod.yaml").write_text("tokens: [s3cret")
    message = run("list").err
    assert (
        "store/auth/prod.yaml: not one valid YAML document at line 2 column 1; correct" in message
    )
    assert "s3cret" not in message


# Parameter Store, as boto3 and botocore's model of the service see it.

NAME = "/podgraft/auth/prod"
TEXT = yaml.dump(hashes.to_document(Callers()))


@pytest.fixture
def parameters(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[ParameterDocuments, Any]]:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "x")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
    shelf = ParameterDocuments(make_client("ssm"), "/podgraft")
    with import_module("botocore.stub").Stubber(shelf.client) as stubber:
        yield shelf, stubber
        stubber.assert_no_pending_responses()


def test_a_parameter_is_read_decrypted_and_written_encrypted(
    parameters: tuple[ParameterDocuments, Any],
) -> None:
    shelf, stubber = parameters
    found = {"Parameter": {"Name": NAME, "Value": TEXT, "Version": 1}}
    stubber.add_response("get_parameter", found, {"Name": NAME, "WithDecryption": True})
    written = {
        "Name": NAME,
        "Value": TEXT,
        "Type": "SecureString",
        "Tier": "Intelligent-Tiering",  # a standard parameter: the size is limited
        "Overwrite": True,
    }
    stubber.add_response("put_parameter", {"Version": 2}, written)
    entry = shelf.read("auth/prod")
    assert entry == StoredDocument(TEXT, 1)
    write_document(shelf, "prod", TEXT, entry)


def test_a_missing_parameter_contains_no_callers(
    parameters: tuple[ParameterDocuments, Any],
) -> None:
    shelf, stubber = parameters
    stubber.add_client_error("get_parameter", "ParameterNotFound")
    assert shelf.read("auth/prod") == StoredDocument()


@pytest.mark.parametrize("operation", ["get_parameter", "put_parameter", "get_parameters_by_path"])
def test_what_aws_refuses_is_reported(
    parameters: tuple[ParameterDocuments, Any], operation: str
) -> None:
    shelf, stubber = parameters
    stubber.add_client_error(operation, "AccessDeniedException", "no permission")
    calls = {
        "get_parameter": lambda: shelf.read("auth/prod"),
        "put_parameter": lambda: write_document(shelf, "prod", TEXT, StoredDocument(TEXT, 1)),
        "get_parameters_by_path": lambda: read_documents(shelf),
    }
    with pytest.raises(AwsError, match="no permission"):
        calls[operation]()


def test_clusters_are_found_on_every_page(parameters: tuple[ParameterDocuments, Any]) -> None:
    shelf, stubber = parameters
    for name, token in (("staging", "more"), ("prod", None)):
        found = {"Name": f"/podgraft/auth/{name}", "Value": TEXT, "Version": 1}
        page: dict[str, Any] = {"Parameters": [found]}
        stubber.add_response(
            "get_parameters_by_path", page | ({"NextToken": token} if token else {})
        )
    assert [*read_documents(shelf)] == ["prod", "staging"]


def test_names_are_listed_without_a_right_to_decrypt(
    parameters: tuple[ParameterDocuments, Any],
) -> None:
    shelf, stubber = parameters
    names = ("/podgraft/mesh/policy", "/podgraft/auth/prod")
    page = {"Parameters": [{"Name": name, "Value": "encrypted"} for name in names]}
    stubber.add_response("get_parameters_by_path", page, {"Path": "/podgraft", "Recursive": True})
    assert shelf.list_all() == ["auth/prod", "mesh/policy"]


def test_a_document_too_large_for_a_parameter_is_not_sent(
    parameters: tuple[ParameterDocuments, Any],
) -> None:
    with pytest.raises(match="over 4096 bytes; shorten the notes"):
        write_document(parameters[0], "prod", "x" * 4097, StoredDocument())
