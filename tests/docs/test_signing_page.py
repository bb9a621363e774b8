"""The recipe of docs/privileges.md: the key policy separates signers, and its commands sign."""

import re
import subprocess
from base64 import b64encode
from pathlib import Path
from typing import Any

import yaml

from podgraft.cli.policy.signing import open_key_file
from podgraft.core.signing.keys import parse_public_keys

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "privileges.md").read_text()


class _Loader(yaml.SafeLoader):
    """Reads the short forms of CloudFormation's functions as texts."""


def _read_function(loader: Any, suffix: str, node: yaml.Node) -> str:
    del loader
    return f"{suffix} {node.value}"


_LOADER: Any = _Loader  # its methods have no types
_LOADER.add_multi_constructor("!", _read_function)


def read_key() -> dict[str, Any]:
    (block,) = re.findall(r"```yaml\n(Resources:.*?)```", PAGE, re.DOTALL)
    return yaml.load(block, _Loader)["Resources"]["PolicySigner"]["Properties"]  # noqa: S506


def test_the_key_policy_separates_signers_from_administrators() -> None:
    key = read_key()
    assert (key["KeySpec"], key["KeyUsage"]) == ("ECC_NIST_P256", "SIGN_VERIFY")
    statements = {each["Sid"]: each for each in key["KeyPolicy"]["Statement"]}
    assert statements["Sign"]["Action"] == ["kms:Sign", "kms:GetPublicKey"]
    assert statements["Administer"]["Principal"] != statements["Sign"]["Principal"]
    administration = [action.removesuffix("*") for action in statements["Administer"]["Action"]]
    assert not any("kms:Sign".startswith(action) for action in administration)
    # A statement for the root user would let IAM policies add signers.
    assert not any(":root" in str(each["Principal"]) for each in statements.values())


def test_no_role_of_the_stack_can_sign() -> None:
    actions = set(re.findall(r"\bkms:(\w+)(?=[\],])", (ROOT / "template.yaml").read_text()))
    # For objects of the buckets; one role denies to decrypt the keys of the census.
    assert actions == {"Decrypt", "GenerateDataKey"}


def test_the_commands_of_openssl_make_a_key_that_signs(tmp_path: Path) -> None:
    commands = re.findall(r"^(openssl .*)$", PAGE, re.MULTILINE)
    assert len(commands) == 2
    for command in commands:
        subprocess.run(command.split(), cwd=tmp_path, check=True, capture_output=True)
    signer = open_key_file(tmp_path / "signer.key")
    pem = (tmp_path / "signer.pem").read_text()
    assert parse_public_keys(pem) == (signer.public_key,)
    der = subprocess.run(
        ["openssl", "ec", "-in", "signer.key", "-pubout", "-outform", "DER"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
    ).stdout
    # The form of aws kms get-public-key --query PublicKey --output text.
    assert parse_public_keys(b64encode(der).decode()) == (signer.public_key,)
