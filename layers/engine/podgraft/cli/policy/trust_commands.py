"""The commands for signatures in folders, and for the deny list."""

import click

from podgraft.cli import command_help, documents, outputs
from podgraft.cli.config_source import ConfigFolder, folder_argument
from podgraft.cli.documents import render_json
from podgraft.cli.failure import CommandError, print_warnings
from podgraft.cli.identifier_options import injector_option
from podgraft.cli.regions import Steps, run_in_regions, share
from podgraft.cli.storage import Documents
from podgraft.core.signing.denied import DIGEST
from podgraft.service.store.names import DENIED

from .denied import change_deny_list, load_deny_list, storage_options
from .document_text import signed_version
from .local import check_bundle
from .options import list_output_option
from .signing import Signer, sign_document, sign_options


@command_help.command("sign")
@folder_argument
@injector_option("Injector of the policy; the signature is valid for this one only.")
@click.option(
    "--version",
    "number",
    type=click.IntRange(1),
    help="Version to sign for; default: the version after the signed one.",
)
@sign_options
def sign_policy(
    folder: ConfigFolder, *, injector: str, number: int | None, signer: Signer | None
) -> None:
    """Sign policy.yaml in FOLDER for bundle/ in it. podgraft push signs policies in AWS."""
    if signer is None:
        raise click.UsageError("Missing option '--sign' or '--sign-key'.")
    if folder.policy is None:
        raise CommandError(f"{folder.bundle.parent}: has no policy.yaml to sign; create it")
    checked = check_bundle(folder)
    print_warnings(checked.warnings)
    text = documents.read_text(folder.policy)
    version = number or (signed_version(text) or 0) + 1
    signed = sign_document(signer, text, f"folder:{injector}", version, checked.digest)
    outputs.replace_file(folder.policy, signed.encode())
    click.echo(f"signed {folder.policy} for version {version} and bundle {checked.digest}")


def _check_digest(_context: click.Context, _argument: click.Parameter, value: str) -> str:
    if DIGEST.fullmatch(value) is None:
        raise CommandError(
            f"DIGEST: got {value!r}; use sha256: and 64 hexadecimal digits, as podgraft history "
            "prints them"
        )
    return value


digest_argument = click.argument("digest", callback=_check_digest)


@command_help.command("deny")
@run_in_regions(needs_all=False)
@digest_argument
@click.option("--reason", required=True, help="Reason, for the messages of the function.")
@storage_options
def deny_bundle(storage: Documents, digest: str, reason: str) -> Steps:
    """Add the bundle DIGEST to the deny list, so no injector loads it.

    If it is in force, the function uses the newest earlier version with another bundle.
    """
    load_deny_list(storage)
    yield
    change_deny_list(storage, digest, reason)
    click.echo(f"{storage.locate(DENIED)}: bundle {digest} is denied")


@command_help.command("undeny")
@run_in_regions()
@digest_argument
@storage_options
def allow_bundle(storage: Documents, digest: str) -> Steps:
    """Remove the bundle DIGEST from the deny list."""
    is_denied, found = digest in load_deny_list(storage), share("denied", list[str])
    if is_denied:
        found.append(digest)
    yield
    if is_denied or not found:  # it can be denied in another region only
        change_deny_list(storage, digest, None)
    click.echo(f"{storage.locate(DENIED)}: bundle {digest} can load again")


@command_help.command("denied")
@list_output_option
@storage_options
def list_denied(storage: Documents, *, output: str) -> None:
    """List the denied bundles with their reasons."""
    if output == "json":
        click.echo(render_json(dict(load_deny_list(storage))), nl=False)
        return
    reasons = load_deny_list(storage)
    for digest, reason in sorted(reasons.items()):
        click.echo(f"{digest}  {reason}")
    if not reasons:
        click.echo(f"{storage.locate(DENIED)}: no bundle is denied", err=True)
