"""From documents to the registry and back, as the function of the stack sees it."""

import json
import shlex
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any

import pytest

from podgraft.cli import main
from podgraft.cli.fleet import adoption
from podgraft.core.versions.errors import NotLoadedError
from podgraft.kube import yaml
from podgraft.service.store import Callers, caller_document
from podgraft.service.store.aws.callers import CachedCallers
from podgraft.service.store.aws.clients import make_clients
from podgraft.service.store.aws.registry import RegistryReader
from podgraft.service.store.aws.ssm import ParameterReader
from podgraft.service.store.caller_document import RevokedToken, TokenHash, hash_token
from podgraft.service.store.registry_document import Pointer
from support.aws_account import deploy_stack, open_account

BUCKET, STACK = "bundles-of-a-fleet", ("--config", "stack:podgraft-dev")
POINTER = "/podgraft-dev/callers"


class Account:
    """A stack, its function, and the operator."""

    def __init__(self, session: Any) -> None:
        self.ssm: Any = session.create_client("ssm")
        self.s3: Any = session.create_client("s3")
        self.function = self.cold()

    def cold(self) -> CachedCallers:
        ssm, s3 = make_clients()
        reader = ParameterReader(ssm, "/podgraft-dev")
        return CachedCallers(reader, 0.0, registry=RegistryReader(reader, s3, BUCKET))

    def knows(self, token: str, *, cold: bool = False) -> bool:
        """Whether the function accepts a token, warm or cold."""
        function = self.cold() if cold else self.function
        callers = function.callers().callers.values()
        return any(each.find_tokens(hash_token(token)) for each in callers)

    def names(self) -> list[str]:
        found = self.ssm.get_parameters_by_path(Path="/podgraft-dev", Recursive=True)["Parameters"]
        return sorted(each["Name"].removeprefix("/podgraft-dev/") for each in found)

    def put(self, text: str) -> None:
        self.ssm.put_parameter(Name=POINTER, Value=text, Type="String", Overwrite=True)

    def pointer(self) -> Mapping[str, Any]:
        parameter = self.ssm.get_parameter(Name=POINTER)["Parameter"]
        fields = json.loads(parameter["Value"])
        assert fields["serial"] == parameter["Version"]
        return fields

    def old_documents(self) -> Mapping[str, Callers]:
        """What a function before the registry reads: it rejects other keys."""
        found = self.ssm.get_parameters_by_path(Path="/podgraft-dev/auth", WithDecryption=True)[
            "Parameters"
        ]
        texts: dict[str, Any] = {
            each["Name"].rpartition("/")[2]: yaml.load(each["Value"]) for each in found
        }
        for document in texts.values():
            assert document.keys() <= {"tokens", "subjects"}
            for token in document["tokens"]:
                assert token.keys() <= {"sha256", "created", "note"}
        return {name: caller_document.parse_callers(each) for name, each in texts.items()}


@pytest.fixture
def account(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Account]:
    monkeypatch.chdir(tmp_path)
    with open_account() as session:
        deploy_stack(session, "podgraft-dev", BUCKET, guard={"documents": 2})
        yield Account(session)


def tokens(*words: str) -> None:
    assert main(["tokens", *words, *STACK]) == 0


def fleet(*words: str) -> int:
    return main(["fleet", *words, *STACK])


def issue(cluster: str) -> str:
    tokens("issue", "--cluster", cluster, "--output", f"{cluster}.token")
    return Path(f"{cluster}.token").read_text().strip()


def test_a_token_is_valid_at_each_step_of_the_migration(account: Account) -> None:
    first = issue("a")
    assert account.knows(first)
    assert fleet("adopt") == 0
    assert account.pointer()["clusters"] == 1
    second = issue("b")
    for step in (("adopt",), ("adopt", "--finish"), ("adopt", "--undo"), ("adopt",)):
        assert fleet(*step) == 0
        assert account.knows(first), step
        assert account.knows(second), step
        assert account.knows(first, cold=True), step
        assert account.knows(second, cold=True), step
    assert account.names() == ["auth/a", "auth/b", "callers", "stack"]


def test_one_write_of_the_pointer_changes_a_cluster(account: Account) -> None:
    issue("a")
    fleet("adopt")
    fleet("adopt", "--finish")
    assert account.names() == ["callers", "stack"]
    serial = account.pointer()["serial"]
    old = Path("a.token").read_text().strip()
    tokens("rotate", "--cluster", "a", "--output", "new.token")
    assert account.pointer()["serial"] == serial + 1
    new = Path("new.token").read_text().strip()
    assert account.knows(old)
    assert account.knows(new)
    tokens("revoke", "--cluster", "a", caller_document.identify_token(old))
    assert (account.knows(old), account.knows(new)) == (False, True)
    assert account.names() == ["callers", "stack"]


@pytest.mark.parametrize("finished", [True, False])
def test_no_step_back_makes_a_revoked_token_valid(account: Account, finished: bool) -> None:
    token = issue("a")
    issue("b")
    fleet("adopt")
    if finished:
        fleet("adopt", "--finish")
    tokens("revoke", "--cluster", "a", caller_document.identify_token(token))
    if not finished:  # an earlier function, after a rollback of the stack
        assert not account.old_documents()["a"].tokens
        assert account.old_documents()["b"].tokens
    assert fleet("adopt", "--undo") == 0
    assert not account.knows(token)
    assert not account.knows(token, cold=True)


def test_what_is_revoked_while_an_earlier_function_runs_remains_revoked(
    account: Account, capsys: pytest.CaptureFixture[str]
) -> None:
    token = issue("a")
    fleet("adopt")
    new = account.ssm.get_parameter(Name="/podgraft-dev/stack")["Parameter"]["Value"]
    old = json.dumps({**json.loads(new), "documents": 1})
    put_stack(account, old)
    tokens("revoke", "--cluster", "a", caller_document.identify_token(token))
    assert not account.old_documents()["a"].tokens
    other = issue("b")
    assert account.old_documents()["b"].find_tokens(hash_token(other))
    put_stack(account, new)
    assert (account.knows(token), account.knows(other)) == (False, True)
    # Without copies, nothing that the earlier function reads is left.
    fleet("adopt", "--finish")
    put_stack(account, old)
    capsys.readouterr()
    assert main(["tokens", "issue", "--cluster", "a", "--output", "third.token", *STACK]) == 0
    assert account.names() == ["auth/a", "callers", "stack"]


def put_stack(account: Account, text: str) -> None:
    account.ssm.put_parameter(Name="/podgraft-dev/stack", Value=text, Type="String", Overwrite=True)


def test_a_copied_version_of_the_pointer_does_not_count(account: Account) -> None:
    """The right to write the pointer is not the way to an earlier registry by accident."""
    token = issue("a")
    fleet("adopt")
    before = account.ssm.get_parameter(Name=POINTER)["Parameter"]["Value"]
    tokens("revoke", "--cluster", "a", caller_document.identify_token(token))
    assert not account.knows(token)
    account.put(before)
    assert not account.knows(token)
    assert not account.knows(token, cold=True)
    issue("c")
    assert account.pointer()["serial"] == 4


def test_a_write_to_the_bucket_alone_changes_nothing(account: Account) -> None:
    token = issue("a")
    fleet("adopt")
    [key] = [each["Key"] for each in account.s3.list_objects_v2(Bucket=BUCKET)["Contents"]]
    assert account.knows(token)
    account.s3.put_object(Bucket=BUCKET, Key=key, Body=b"another registry")
    assert account.knows(token)
    with pytest.raises(NotLoadedError, match=r"registry sha256:.* in S3 is damaged"):
        account.cold().callers()
    account.s3.delete_object(Bucket=BUCKET, Key=key)
    with pytest.raises(NotLoadedError, match="is missing in S3"):
        account.cold().callers()


def test_a_deleted_pointer_does_not_bring_back_documents(account: Account) -> None:
    """The last known good registry remains, and is reported."""
    token = issue("a")
    fleet("adopt")
    assert account.knows(token)
    account.ssm.delete_parameter(Name=POINTER)
    registry = account.function.callers()
    assert account.knows(token)
    assert "was deleted" in str(registry.find_stale("a"))


def test_a_registry_that_is_adopted_again_is_in_force(account: Account) -> None:
    """Parameter Store counts the versions of a new parameter from 1."""
    first = issue("a")
    fleet("adopt")
    for cluster in "bcd":
        issue(cluster)
    assert account.knows(first)
    account.ssm.delete_parameter(Name=POINTER)
    fleet("adopt")
    tokens("revoke", "--cluster", "a", hash_token(first)[:8])
    assert not account.knows(first)
    assert account.function.callers().unread is None


COMPLETE = Callers(
    (TokenHash(hash_token("x"), "", "of ops\n# more", "k7m2qxx4", "2099-01-01"),),
    ("CN=a",),
    ("ring-0",),
    ("198.51.100.0/24",),
    (RevokedToken("aaaaaaaa", "2026-01-01T00:00:00Z"),),
)


def adopt_complete(account: Account) -> Mapping[str, Callers]:
    """Adopt a stack, and return its callers, which have a value of each field."""
    issue("b")
    fleet("adopt")
    stack = adoption.open_stack("/podgraft-dev")
    stack.repository.change("a", lambda _: COMPLETE)
    before = account.function.callers().callers
    assert before["a"] == COMPLETE
    return before


def test_each_field_of_a_caller_survives_a_deleted_pointer(account: Account) -> None:
    """Copies for an earlier function have no field for the end of a token, or for sources."""
    before = adopt_complete(account)
    assert account.old_documents()["a"].find_tokens(hash_token("x"))
    account.ssm.delete_parameter(Name=POINTER)
    assert account.cold().callers().callers == before
    assert fleet("adopt") == 0
    assert account.function.callers().callers == account.cold().callers().callers == before


def test_without_the_registry_an_earlier_function_reads_what_a_command_writes(
    account: Account,
) -> None:
    before = adopt_complete(account)
    account.ssm.delete_parameter(Name=POINTER)
    new = account.ssm.get_parameter(Name="/podgraft-dev/stack")["Parameter"]["Value"]
    put_stack(account, json.dumps({**json.loads(new), "documents": 1}))
    tokens("revoke", "--cluster", "a", COMPLETE.tokens[0].id)
    assert account.old_documents()["a"] == Callers(subjects=COMPLETE.subjects)
    put_stack(account, new)
    assert fleet("adopt") == 0
    after = account.function.callers().callers
    assert after["b"] == before["b"]
    assert (after["a"].groups, after["a"].sources) == (COMPLETE.groups, COMPLETE.sources)


def make_plain_copies(account: Account) -> None:
    """Write the documents as release 0.2.0 wrote copies."""
    for name, callers in account.old_documents().items():
        text = yaml.dump(caller_document.to_document(callers))
        account.ssm.put_parameter(
            Name=f"/podgraft-dev/auth/{name}", Value=text, Type="SecureString", Overwrite=True
        )


@pytest.mark.parametrize("documents", ["none", "of 0.2.0", "of a later command"])
def test_a_registry_that_the_documents_lack_is_restored(
    account: Account, capsys: pytest.CaptureFixture[str], documents: str
) -> None:
    before = adopt_complete(account)
    digest = account.pointer()["callers"]
    if documents == "of 0.2.0":
        make_plain_copies(account)
    else:
        fleet("adopt", "--finish")
    invalid = f"callers/sha256/{'0' * 64}.json"
    account.s3.put_object(Bucket=BUCKET, Key=invalid, Body=b"of an attacker")
    account.ssm.delete_parameter(Name=POINTER)
    if documents == "of a later command":
        tokens("issue", "--cluster", "a", "--output", "later.token")
    capsys.readouterr()
    assert fleet("adopt") == 1
    message = capsys.readouterr().err
    assert "/podgraft-dev/auth lacks callers of" in message
    commands = message.replace("\n", " ").split("aws ssm put-parameter ")[1:]
    # Those of the same second, because S3 stores seconds.
    command = next(each for each in commands if digest in each)
    words = shlex.split(command.partition("; then")[0].removesuffix(" or "))
    names = {"--name": "Name", "--type": "Type", "--value": "Value"}
    pairs = zip(words[::2], words[1::2], strict=True)
    account.ssm.put_parameter(**{names[key]: value for key, value in pairs if key in names})
    assert fleet("adopt") == 0
    assert account.function.callers().callers == account.cold().callers().callers == before
    assert account.pointer().get("copies", False) is (documents != "none")


def test_an_older_serial_is_never_in_force(account: Account) -> None:
    token = issue("a")
    fleet("adopt")
    tokens("revoke", "--cluster", "a", caller_document.identify_token(token))
    assert not account.knows(token)
    pointer = Pointer(serial=1, digest=account.pointer()["callers"])
    account.ssm.delete_parameter(Name=POINTER)
    account.put(str(pointer))
    registry = account.function.callers()
    assert not account.knows(token)
    stale = registry.find_stale("a")
    assert stale is None or "older than version" in stale.reason


def test_one_invalid_document_concerns_its_cluster_alone(account: Account) -> None:
    good = issue("a")
    fleet("adopt")
    stack = adoption.open_stack("/podgraft-dev")
    text = json.dumps({"clusters": {"a": {"tokens": [{"sha256": hash_token(good)}]}, "b": [1]}})
    digest, content = _encode(text)
    stack.registry.upload(digest, content)
    account.put(str(Pointer(serial=2, digest=digest)))
    registry = account.function.callers()
    assert registry.callers["a"].find_tokens(hash_token(good))
    assert list(registry.load_errors) == ["b"]
    # A writer must not drop what it cannot read.
    assert main(["tokens", "issue", "--cluster", "c", "--output", "c.token", *STACK]) == 1


def _encode(text: str) -> tuple[str, bytes]:
    import gzip
    import hashlib

    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}", gzip.compress(text.encode())


def test_a_document_that_changes_meanwhile_is_copied(
    account: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A command of an earlier version writes a document while the registry is created."""
    issue("a")
    token = "of-an-earlier-command"
    upload = adoption.AwsRegistry.upload

    def and_another(self: Any, digest: str, content: bytes) -> None:
        monkeypatch.setattr(adoption.AwsRegistry, "upload", upload)
        text = yaml.dump({"tokens": [{"sha256": hash_token(token)}]})
        account.ssm.put_parameter(
            Name="/podgraft-dev/auth/late", Value=text, Type="SecureString", Overwrite=True
        )
        upload(self, digest, content)

    monkeypatch.setattr(adoption.AwsRegistry, "upload", and_another)
    assert fleet("adopt") == 0
    assert account.knows(token)
    assert account.pointer()["serial"] == 2


def test_an_earlier_function_gets_no_registry(
    account: Account, capsys: pytest.CaptureFixture[str]
) -> None:
    value = json.dumps({"stack": "podgraft-dev", "bucket": BUCKET, "bundlePrefix": "bundles/"})
    account.ssm.put_parameter(
        Name="/podgraft-dev/stack", Value=value, Type="String", Overwrite=True
    )
    assert fleet("adopt") == 1
    assert "deploy the stack with this version" in capsys.readouterr().err
    token = issue("a")  # of the form that it accepts
    assert len(token) == 64
    assert "does not expire" in capsys.readouterr().err
    assert account.names() == ["auth/a", "stack"]
    assert account.old_documents()["a"].find_tokens(hash_token(token))


def test_finish_needs_a_registry(account: Account, capsys: pytest.CaptureFixture[str]) -> None:
    issue("a")
    assert fleet("adopt", "--finish") == 1
    assert "run podgraft fleet adopt first" in capsys.readouterr().err
    assert account.names() == ["auth/a", "stack"]
