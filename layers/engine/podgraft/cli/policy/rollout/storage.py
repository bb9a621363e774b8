"""Where a rollout is stored: in the parameters of a stack, or in a folder of podgraft serve."""

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol

from podgraft import bundle as bundles
from podgraft.cli import documents, folders, stacks
from podgraft.cli.failure import CommandError
from podgraft.cli.policy.cloud import DeployedInjector, PolicyVersion
from podgraft.cli.policy.denied import FolderStorage, load_deny_list
from podgraft.cli.policy.signing import Signer, sign_document, signed_version, strip_signature
from podgraft.cli.policy.target import DeploymentTarget
from podgraft.cli.stacks import AbsentError, aws_errors
from podgraft.policy import parse
from podgraft.store.aws.ssm import BRAKE
from podgraft.store.folder.files import BRAKE_FILE
from podgraft.store.folder.store import DENIED_FILE


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredPolicy:
    """The policy in force: its text, its version, and when it was stored."""

    text: str
    label: str
    date: datetime | None
    version: PolicyVersion | None = None

    @property
    def document(self) -> str:
        """The text without its signature."""
        return strip_signature(self.text)


class RolloutStorage(Protocol):
    """The policy, the bundles, and the brakes of one injector."""

    @property
    def injector(self) -> str:
        """The name of the injector."""
        ...

    @property
    def options(self) -> str:
        """The options of this storage for another command."""
        ...

    @property
    def delay(self) -> str:
        """How long until a change is in force everywhere."""
        ...

    def read(self) -> StoredPolicy:
        """Return the policy in force; raises ``CommandError`` without one."""
        ...

    def write(self, document: str, replaced: StoredPolicy, signer: Signer | None) -> str:
        """Put a document in force if *replaced* still is, and return its label."""
        ...

    def check_denied(self, digests: Iterable[str]) -> None:
        """Raise ``CommandError`` for a denied bundle."""
        ...

    def upload(self, digest: str, files: Mapping[str, bytes]) -> list[str]:
        """Store a bundle; return a line for each new file."""
        ...

    def read_bundle(self, digest: str | None) -> Mapping[str, bytes]:
        """Return a bundle, or the only one; raises ``CommandError``."""
        ...

    def brake_name(self, *, for_all: bool) -> str:
        """Return the name of a brake: of all injectors, or of this one."""
        ...

    def read_brake(self, *, for_all: bool) -> str | None:
        """Return the text of a brake, or None."""
        ...

    def write_brake(self, text: str, *, for_all: bool) -> None:
        """Replace a brake."""
        ...

    def delete_brake(self, *, for_all: bool) -> None:
        """Delete a brake."""
        ...


def check_signer(replaced: StoredPolicy, signer: Signer | None) -> None:
    """Raise ``CommandError`` if an unsigned document would replace a signed one."""
    if signer is None and signed_version(replaced.text) is not None:
        raise CommandError(
            f"{replaced.label} is signed; sign the new version with --sign KEY or --sign-key FILE"
        )


class ParameterRolloutStorage:
    """The parameters and the bucket of a stack."""

    def __init__(self, target: DeploymentTarget) -> None:
        self._target = target
        self._ssm: Any = stacks.make_client("ssm")
        self._cloud = DeployedInjector(target, self._ssm, stacks.make_client("s3"))
        self._cloud.check_owner(is_required=True)

    @property
    def injector(self) -> str:
        """The name of the injector."""
        return self._target.injector

    @property
    def options(self) -> str:
        """The options of the target."""
        return self._target.options

    @property
    def delay(self) -> str:
        """Environments read the parameters once in this time."""
        return "within RefreshSeconds (default: 30 s)"

    def read(self) -> StoredPolicy:
        """Read the newest version."""
        live = self._cloud.current_version()
        return StoredPolicy(
            text=live.document, label=f"version {live.number}", date=live.date, version=live
        )

    def write(self, document: str, replaced: StoredPolicy, signer: Signer | None) -> str:
        """Store a version; reports versions that were written at the same time."""
        check_signer(replaced, signer)
        if signer is None:
            number = self._cloud.put_policy(document, replaced.version)
        else:
            number = self._cloud.put_signed_policy(signer, document, replaced.version)
        return f"version {number} of {self._target.parameter}"

    def check_denied(self, digests: Iterable[str]) -> None:
        """Compare with the deny list of the prefix."""
        self._cloud.check_denied(digests)

    def upload(self, digest: str, files: Mapping[str, bytes]) -> list[str]:
        """Upload missing and damaged files; read the bundle again to verify it."""
        stored = self._cloud.list_objects(digest)
        missing = {
            path: content
            for path, content in files.items()
            if stored.get(path) != len(content) or self._cloud.read_file(digest, path) != content
        }
        for path, content in missing.items():
            self._cloud.upload_file(digest, path, content)
        self._cloud.read_bundle(digest)
        return [
            f"upload     {number}/{len(missing)} {path}, {len(content)} bytes"
            for number, (path, content) in enumerate(missing.items(), start=1)
        ]

    def read_bundle(self, digest: str | None) -> Mapping[str, bytes]:
        """Download a bundle."""
        if digest is None:
            raise CommandError("the policy names no bundle; push one with podgraft policy push")
        return self._cloud.read_bundle(digest)

    def brake_name(self, *, for_all: bool) -> str:
        """The name of the parameter."""
        prefix = self._target.parameter_prefix
        return f"{prefix}/{BRAKE}" if for_all else f"{prefix}/{self.injector}/{BRAKE}"

    def read_brake(self, *, for_all: bool) -> str | None:
        """Read the parameter."""
        name = self.brake_name(for_all=for_all)
        try:
            with aws_errors(f"parameter {name}"):
                response = self._ssm.get_parameter(Name=name, WithDecryption=True)
        except AbsentError:
            return None
        return response["Parameter"].get("Value", "")

    def write_brake(self, text: str, *, for_all: bool) -> None:
        """Replace the parameter."""
        name = self.brake_name(for_all=for_all)
        with aws_errors(f"parameter {name}"):
            self._ssm.put_parameter(Name=name, Value=text, Type="String", Overwrite=True)

    def delete_brake(self, *, for_all: bool) -> None:
        """Delete the parameter."""
        name = self.brake_name(for_all=for_all)
        with aws_errors(f"parameter {name}"):
            self._ssm.delete_parameter(Name=name)


class FolderRolloutStorage:
    """The files of a folder store."""

    def __init__(self, folder: Path, injector: str) -> None:
        self._folder = folder
        self._path = folder / injector
        if not self._path.is_dir():
            raise CommandError(f"{self._path}: is not a folder; check --store and --injector")

    @property
    def injector(self) -> str:
        """The name of the injector."""
        return self._path.name

    @property
    def options(self) -> str:
        """The options of the folder."""
        return shlex.join(["--injector", self.injector, "--store", f"file:{self._folder}"])

    @property
    def delay(self) -> str:
        """Servers check the files at each review."""
        return "at the next review"

    def read(self) -> StoredPolicy:
        """Read the file; an injector without one has an empty policy."""
        path = self._path / "policy.yaml"
        if not path.exists():
            return StoredPolicy(text="", label="no version", date=None)
        text = documents.read_text(path)
        date = datetime.fromtimestamp(path.stat().st_mtime, UTC)
        return StoredPolicy(text=text, label=_label(text), date=date)

    def write(self, document: str, replaced: StoredPolicy, signer: Signer | None) -> str:
        """Replace the file atomically."""
        check_signer(replaced, signer)
        current = self.read()
        if current.text != replaced.text:
            raise CommandError(
                f"{self._path / 'policy.yaml'}: expected {replaced.label}, got {current.label}; "
                "run the command again"
            )
        if signer is not None:
            read = parse(document)
            digest = read.bundle or bundles.digest(self.read_bundle(None))
            number = (signed_version(replaced.text) or 0) + 1
            document = sign_document(signer, document, f"folder:{self.injector}", number, digest)
        folders.replace_file(self._path / "policy.yaml", document.encode())
        return f"{_label(document)} of {self._path / 'policy.yaml'}"

    def check_denied(self, digests: Iterable[str]) -> None:
        """Compare with the deny list of the folder."""
        reasons = load_deny_list(FolderStorage(self._folder / DENIED_FILE)).reasons
        findings = [
            f"bundle {digest} is denied: {reasons[digest]}; use another bundle, or allow it again: "
            f"podgraft policy undeny {digest} --store {shlex.quote(str(self._folder))}"
            for digest in dict.fromkeys(digests)
            if digest in reasons
        ]
        if findings:
            raise CommandError(*findings)

    def upload(self, digest: str, files: Mapping[str, bytes]) -> list[str]:
        """Write the bundle to a folder of its digest, all files or none."""
        target = self._path / "bundles" / digest.removeprefix("sha256:")
        if target.is_dir() and bundles.digest(folders.read_manifests(target)) == digest:
            return []
        if target.exists():
            raise CommandError(f"{target}: is damaged; delete it, and run the command again")
        target.parent.mkdir(exist_ok=True)
        folders.write_folder(target, files)
        return [f"write      {len(files)} files to {target}"]

    def read_bundle(self, digest: str | None) -> Mapping[str, bytes]:
        """Read bundle/, or the folder of the digest."""
        manifests = folders.read_manifests(self._path / "bundle")
        if digest is None or bundles.digest(manifests) == digest:
            return manifests
        target = self._path / "bundles" / digest.removeprefix("sha256:")
        if not target.is_dir():
            raise CommandError(f"bundle {digest}: not found in {self._path}; add it to bundles/")
        return folders.read_manifests(target)

    def brake_name(self, *, for_all: bool) -> str:
        """The path of the file."""
        return str((self._folder if for_all else self._path) / BRAKE_FILE)

    def read_brake(self, *, for_all: bool) -> str | None:
        """Read the file."""
        path = Path(self.brake_name(for_all=for_all))
        return documents.read_text(path) if path.exists() else None

    def write_brake(self, text: str, *, for_all: bool) -> None:
        """Replace the file atomically."""
        folders.replace_file(Path(self.brake_name(for_all=for_all)), text.encode())

    def delete_brake(self, *, for_all: bool) -> None:
        """Delete the file."""
        path = Path(self.brake_name(for_all=for_all))
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise CommandError(f"{path}: cannot delete: {error.strerror}") from error


def _label(text: str) -> str:
    return f"version sha256:{sha256(text.encode()).hexdigest()[:12]}"
