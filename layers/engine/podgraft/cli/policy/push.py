"""The steps of a push: the checks of what is stored, the upload, and the switch."""

import shlex
from collections.abc import Sequence

import click
from msgspec import Struct

from podgraft.cli.failure import raise_findings
from podgraft.core import policy
from podgraft.core.policy import Policy

from .cloud import DeployedInjector
from .document_text import signed_version, strip_signature
from .large_policy import list_needed, split_policy
from .local import CheckedBundle
from .signing import Signer
from .target import DeploymentTarget
from .version_loading import load_new_version
from .versions import PolicyVersion


class Change(Struct, frozen=True, kw_only=True):
    """What a push writes: a document, its bundle, the signer, and the message."""

    document: str
    checked: CheckedBundle
    signer: Signer | None
    message: str

    @property
    def policy(self) -> Policy:
        """The policy of the document."""
        return policy.parse(self.document)


def check_change(cloud: DeployedInjector, change: Change, live: PolicyVersion | None) -> None:
    """Raise ``CommandError`` for what the store does not accept. Changes nothing."""
    cloud.check_denied(list_needed(change.document))
    stored = cloud.list_objects(change.checked.digest)
    _check_unexpected_objects(
        cloud.target, change.checked.digest, sorted(stored.keys() - change.checked.files.keys())
    )
    if {*change.policy.digests} - {change.checked.digest} or change.policy.rollout:
        number = live.number + 1 if live else 1
        local = {change.checked.digest: change.checked.files}
        load_new_version(cloud, change.document, number, local)


def is_stored(live: PolicyVersion, document: str, signer: Signer | None) -> bool:
    """Whether a push would change nothing; a signature must be for the stored version."""
    stored = split_policy(document).document
    if signer is None:
        return live.stored == stored
    if signed_version(live.stored) != live.number:
        return False
    text = strip_signature(live.stored)
    return text == stored and signer.public_key.id in live.stored.removeprefix(text)


def upload(cloud: DeployedInjector, change: Change) -> None:
    """Upload missing and damaged files, before the policy switches to the bundle."""
    checked = change.checked
    if not cloud.upload_missing(checked.digest, checked.files, click.echo):
        click.echo(f"bundle   {checked.digest} is in S3 already")
    cloud.upload_overrides(change.document)


def switch(cloud: DeployedInjector, change: Change, live: PolicyVersion | None) -> int:
    """Store the document as a new version, and return its number.

    A prune at the same time can delete an old bundle that was not referred to until now, so the
    bundle is checked again, and completed.
    """
    number = cloud.put_policy(change.document, live, change.message, change.signer)
    stored = cloud.list_objects(change.checked.digest)
    for path in sorted(change.checked.files.keys() - stored.keys()):
        cloud.upload_file(change.checked.digest, path, change.checked.files[path])
    return number


def _check_unexpected_objects(target: DeploymentTarget, digest: str, paths: Sequence[str]) -> None:
    """Raise ``CommandError`` for objects below the prefix that do not belong to the bundle.

    They change the digest of the bundle. podgraft does not know their origin, so the operator must
    delete them.
    """
    urls = [f"s3://{target.bucket}/{target.object_key(digest, path)}" for path in paths]
    raise_findings(
        f"{url}: unexpected object; bundle {digest} does not load with it; "
        f"delete it: aws s3 rm {shlex.quote(url)}"
        for url in urls
    )
