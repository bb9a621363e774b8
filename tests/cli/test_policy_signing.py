"""Signed policies and the deny list: KMS and Parameter Store on loopback, and folders.

The documents that the commands store are verified by the code of the function.
"""

import os
import re
from base64 import b64encode
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import Prehashed
from moto.kms.utils import ECDSAPrivateKey

from podgraft.cli import main
from podgraft.cli import policy as policy_group
from podgraft.cli.policy.cloud import DeployedInjector
from podgraft.core import bundle
from podgraft.core.signing.keys import PublicKey, parse_public_keys
from podgraft.core.signing.signature import split_signature
from podgraft.core.signing.verifier import Verifier
from podgraft.core.versions.errors import UntrustedError
from podgraft.service.store.aws.ssm import Parameter, ParameterReader
from podgraft.service.store.folder import FolderStore
from support.aws_account import start_account_with_bucket
from support.memory_store import MemoryStore, cached_store
from support.signers import MemorySigner
from support.store_fixture import BUNDLE, write_injector

BUCKET, PREFIX = "bundles-of-signers", "/podgraft-dev"
NAME = f"{PREFIX}/shop/policy"
STACK = ("--config", "stack:podgraft-dev")
REMOTE = ("--injector", "shop", *STACK)
FILES = dict(BUNDLE)


@pytest.fixture(scope="module")
def session() -> Generator[Any]:
    with start_account_with_bucket(BUCKET) as session:
        yield session


@pytest.fixture
def ssm(session: Any) -> Generator[Any]:
    client = session.create_client("ssm", endpoint_url=os.environ["AWS_ENDPOINT_URL"])
    yield client
    client.delete_parameters(Names=[NAME, f"{PREFIX}/denied"])


def sign_digest(key: Any, digest: bytes, _algorithm: str) -> bytes:
    """Sign a digest: moto does not implement the MessageType DIGEST, and would hash it again."""
    assert len(digest) == hashes.SHA256.digest_size
    return key.private_key.sign(digest, ec.ECDSA(Prehashed(hashes.SHA256())))


@pytest.fixture(autouse=True)
def _kms_signs_digests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ECDSAPrivateKey, "sign", sign_digest)


@pytest.fixture(scope="module")
def kms_key(session: Any) -> tuple[str, PublicKey]:
    """The alias of a key in KMS, and its public key as docs/privileges.md gets it."""
    client = session.create_client("kms", endpoint_url=os.environ["AWS_ENDPOINT_URL"])
    key = client.create_key(KeySpec="ECC_NIST_P256", KeyUsage="SIGN_VERIFY")["KeyMetadata"]
    client.create_alias(AliasName="alias/podgraft-policy", TargetKeyId=key["KeyId"])
    der = client.get_public_key(KeyId=key["KeyId"])["PublicKey"]
    return "alias/podgraft-policy", parse_public_keys(b64encode(der).decode())[0]


@pytest.fixture
def local(tmp_path: Path) -> Path:
    (tmp_path / "bundle").mkdir()
    for name, content in BUNDLE.items():
        (tmp_path / "bundle" / name).write_bytes(content)
    (tmp_path / "policy.yaml").write_text("policy: enabled\n")
    return tmp_path


Run = Callable[..., tuple[int, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def command(*arguments: str) -> tuple[int, str]:
        capsys.readouterr()
        status = main(["policy", *arguments])
        return status, "".join(capsys.readouterr())

    return command


def push(run: Run, local: Path, *more: str) -> tuple[int, str]:
    return run("push", str(local), *REMOTE, *more)


def change(local: Path, text: str) -> None:
    (local / "policy.yaml").write_text(text)


def versions(ssm: Any) -> list[str]:
    return [each["Value"] for each in ssm.get_parameter_history(Name=NAME)["Parameters"]]


def load(ssm: Any, key: PublicKey) -> str:
    """The version that a function with the public key has in force."""

    class Sources(MemoryStore):
        def policy(self, injector: str, patience: Any) -> Parameter:
            return reader.policy(injector, patience)

        def policy_versions(self, injector: str, versions: Any, patience: Any) -> Any:
            return reader.policy_versions(injector, versions, patience)

        def files(self, injector: str, digest: str | None, patience: Any) -> Any:
            del injector, patience
            assert digest == bundle.digest(BUNDLE)
            return BUNDLE

    def call(operation: str, arguments: Any, seconds: float) -> Any:
        del seconds
        name = re.sub(r"(?<!^)(?=[A-Z])", "_", operation).lower()
        return getattr(ssm, name)(**arguments)

    reader = ParameterReader(call, PREFIX)
    sources = Sources()
    store = cached_store(sources, 30, lambda: 0.0, verifier=Verifier((key,)))
    return store.snapshot("shop", None).policy_version


def test_the_commands_are_part_of_the_group() -> None:
    assert {"sign", "deny", "undeny", "denied"} <= policy_group.command.entries.keys()


def test_push_signs_with_kms_and_the_function_loads_it(
    ssm: Any, kms_key: tuple[str, PublicKey], local: Path, run: Run
) -> None:
    alias, key = kms_key
    assert push(run, local, "--sign", alias)[0] == 0
    (document,) = versions(ssm)
    assert document.splitlines()[-1].startswith(
        f"# signature: v1 1 {bundle.digest(BUNDLE)} {key.id} "
    )
    assert load(ssm, key) == "1"
    status, said = push(run, local, "--sign", alias)
    assert (status, "version 1 is already the same" in said) == (0, True)
    change(local, "policy: disabled\n")
    assert push(run, local, "--sign", alias)[0] == 0
    assert load(ssm, key) == "2"


def test_an_unsigned_push_does_not_replace_a_signed_version(
    ssm: Any, kms_key: tuple[str, PublicKey], local: Path, run: Run
) -> None:
    assert push(run, local, "--sign", kms_key[0])[0] == 0
    change(local, "policy: disabled\n")
    status, said = push(run, local)
    assert status == 1
    assert "version 1 is signed; sign the new version with --sign KEY or --sign-key FILE" in said
    assert push(run, local, "--unsigned")[0] == 0
    assert load(ssm, kms_key[1]) == "1"
    assert "signature" not in versions(ssm)[-1]


def test_rollback_signs_again_or_refuses(
    ssm: Any, kms_key: tuple[str, PublicKey], local: Path, run: Run
) -> None:
    alias, key = kms_key
    push(run, local, "--sign", alias)
    change(local, "policy: disabled\n")
    push(run, local, "--sign", alias)
    status, said = run("rollback", "1", *REMOTE)
    assert status == 1
    assert "version 1 is signed; sign the new version" in said
    assert len(versions(ssm)) == 2
    assert run("rollback", "1", *REMOTE, "--sign", alias)[0] == 0
    first, _, third = versions(ssm)
    assert split_signature(first).text == split_signature(third).text
    assert load(ssm, key) == "3"


@pytest.mark.parametrize("command", ["canary", "rollback", "edit"])
def test_no_command_signs_what_another_person_wrote(
    ssm: Any, kms_key: tuple[str, PublicKey], local: Path, run: Run, command: str
) -> None:
    """The function refuses an unsigned version, until a command signs a change of it."""
    alias, key = kms_key
    assert push(run, local, "--sign", alias)[0] == 0
    unsigned = split_signature(versions(ssm)[-1]).text.replace("enabled", "disabled")
    ssm.put_parameter(Name=NAME, Value=unsigned, Type="String", Overwrite=True)
    words = {
        "canary": ("push", str(local), "--cluster", "prod", "--unsigned"),
        "rollback": ("rollback", "2"),
        "edit": ("edit", "--yes"),
    }
    status, said = run(*words[command], *REMOTE, "--sign", alias)
    assert status == 1
    assert "version 2: the policy is not signed, and this signature would cover its text" in said
    assert len(versions(ssm)) == 2
    assert run("rollback", "1", *REMOTE, "--sign", alias)[0] == 0
    assert load(ssm, key) == "3"


def test_a_local_key_signs_as_well(ssm: Any, local: Path, run: Run) -> None:
    signer = MemorySigner()
    (local / "signer.key").write_text(signer.private_pem)
    assert push(run, local, "--sign-key", str(local / "signer.key"))[0] == 0
    assert load(ssm, signer.public_key) == "1"
    status, said = push(run, local, "--sign-key", str(local / "signer.key"), "--sign", "alias/x")
    assert (status, "use only one of them" in said) == (2, True)


def test_a_push_at_the_same_time_takes_the_number(
    ssm: Any, local: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The document is signed again for the number after it, and the other version is reported."""
    signer = MemorySigner()
    (local / "signer.key").write_text(signer.private_pem)
    put = DeployedInjector.put_parameter
    others = ["policy: enabled\n"]

    def put_after_another(
        self: DeployedInjector, document: str, replaced: Any, message: str
    ) -> int:
        if others:
            ssm.put_parameter(Name=NAME, Value=others.pop(), Type="String", Overwrite=True)
        return put(self, document, replaced, message)

    change(local, "policy: disabled\n")
    assert push(run, local, "--sign-key", str(local / "signer.key"))[0] == 0
    change(local, "policy: enabled\n")
    others.append("policy: enabled\n")
    monkeypatch.setattr(DeployedInjector, "put_parameter", put_after_another)
    others[:] = ["policy: enabled\n"]
    status, said = push(run, local, "--sign-key", str(local / "signer.key"))
    assert status == 1
    assert "version 4 is in force, but replaced version 2 by" in said
    assert load(ssm, signer.public_key) == "4"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("x", "expected a private key in PEM without passphrase; create one: openssl ecparam"),
        (MemorySigner().public_pem, "expected a private key in PEM"),
    ],
)
def test_an_invalid_key_file(content: str, problem: str, local: Path, run: Run) -> None:
    (local / "signer.key").write_text(content)
    status, said = push(run, local, "--sign-key", str(local / "signer.key"))
    assert (status, problem in said) == (1, True)


@pytest.mark.usefixtures("ssm")
def test_a_key_in_kms_of_another_kind(session: Any, local: Path, run: Run) -> None:
    client = session.create_client("kms", endpoint_url=os.environ["AWS_ENDPOINT_URL"])
    key = client.create_key(KeySpec="RSA_2048", KeyUsage="SIGN_VERIFY")["KeyMetadata"]["KeyId"]
    status, said = push(run, local, "--sign", key)
    assert status == 1
    assert f"KMS key {key}: use a key with the spec ECC_NIST_P256" in said
    status, said = push(run, local, "--sign", "alias/missing")
    assert (status, "KMS key alias/missing: NotFoundException" in said) == (1, True)


def test_the_deny_list_of_a_stack(
    ssm: Any, kms_key: tuple[str, PublicKey], local: Path, run: Run
) -> None:
    alias, key = kms_key
    digest = bundle.digest(BUNDLE)
    assert push(run, local, "--sign", alias)[0] == 0
    change(local, "policy: disabled\n")
    assert push(run, local, "--sign", alias)[0] == 0
    status, said = run("deny", digest, "--reason", "runs an old proxy", *STACK)
    assert (status, f"bundle {digest} is denied" in said) == (0, True)
    assert run("denied", *STACK) == (0, f"{digest}  runs an old proxy\n")
    with pytest.raises(UntrustedError, match="is denied: runs an old proxy"):
        load(ssm, key)
    for arguments in (("rollback", "1", *REMOTE, "--sign", alias),):
        status, said = run(*arguments)
        assert (status, f"bundle {digest} is denied: runs an old proxy" in said) == (1, True)
    status, said = push(run, local, "--sign", alias)
    assert (status, "is denied: runs an old proxy" in said) == (1, True)
    assert run("undeny", digest, *STACK)[0] == 0
    assert load(ssm, key) == "2"
    status, said = run("undeny", digest, *STACK)
    assert (status, f"bundle {digest} is not denied" in said) == (1, True)
    status, said = run("deny", "sha256:00", "--reason", "x", *STACK)
    assert (status, "DIGEST: got 'sha256:00'; use sha256: and 64" in said) == (1, True)
    assert run("denied", *STACK) == (0, "/podgraft-dev/denied: no bundle is denied\n")


def test_a_folder_is_signed_for_its_bundle_and_denied(tmp_path: Path, run: Run) -> None:
    store = write_injector(tmp_path / "store", policy="policy: enabled\n")
    signer = MemorySigner()
    (tmp_path / "signer.key").write_text(signer.private_pem)
    injector = store / "default"
    sign = ("sign", str(injector))
    verifier = Verifier((signer.public_key,))
    with pytest.raises(UntrustedError):
        FolderStore(store, verifier=verifier).snapshot("default", None)
    for version in (1, 2):
        status, said = run(*sign, "--sign-key", str(tmp_path / "signer.key"))
        assert (status, f"for version {version} and bundle" in said) == (0, True)
        assert FolderStore(store, verifier=verifier).snapshot("default", None).stale is None
    text = (injector / "policy.yaml").read_text()
    assert text.startswith("policy: enabled\n# signature: v1 2 sha256:")
    status, said = run(*sign)
    assert (status, "Missing option '--sign' or '--sign-key'" in said) == (2, True)
    digest = bundle.digest(BUNDLE)
    assert run("deny", digest, "--reason", "old", "--config", str(store))[0] == 0
    with pytest.raises(UntrustedError, match="is denied: old"):
        FolderStore(store, verifier=verifier).snapshot("default", None)
    assert run("denied", "--config", str(store)) == (0, f"{digest}  old\n")
    assert run("undeny", digest, "--config", str(store))[0] == 0
    assert FolderStore(store, verifier=verifier).snapshot("default", None).stale is None
    status, said = run("denied", "--config", str(store), "--parameter-prefix", "/podgraft")
    assert (status, "use only one of them" in said) == (2, True)


@pytest.mark.usefixtures("ssm")
def test_a_pulled_policy_can_be_pushed_again(
    kms_key: tuple[str, PublicKey], local: Path, run: Run
) -> None:
    assert push(run, local, "--sign", kms_key[0])[0] == 0
    assert run("pull", str(local / "live"), *REMOTE)[0] == 0
    assert "# signature: v1 1" in (local / "live" / "policy.yaml").read_text()
    status, said = push(run, local / "live", "--sign", kms_key[0])
    assert (status, "already the same" in said) == (0, True)
