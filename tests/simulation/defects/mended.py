"""Defects that the product had, by the name of the script that repeats each: see ``scripts``."""

from __future__ import annotations

from .commands import DEFECTS as COMMANDS
from .defect import Change, Defect, make_defect
from .engine import DEFECTS as ENGINE

_STORE = "podgraft.service.store"
_POLLING = f"{_STORE}.aws.polling_cache:PollingCache"
_DOCUMENTS = "podgraft.cli.storage.parameters:ParameterDocuments"
_NO_LOCK = Change(f"{_DOCUMENTS}.lock", "Overwrite=False", "Overwrite=True")

DEFECTS: dict[str, Defect] = {
    "callers-unreadable": Defect(
        "unreadable callers hide the policy",
        "2",
        (
            Change(
                f"{_POLLING}.current",
                'replace(usable, error=usable.error or UnavailableError("no time to read it"))',
                "usable",
            ),
            Change(f"{_POLLING}._refresh_value", "seconds *= _SHARE_AFTER_FAILURE", "pass"),
        ),
    ),
    "denials-at-once": Defect(
        "one of two denials is lost",
        "19",
        (
            _NO_LOCK,
            Change(
                f"{_DOCUMENTS}.write",
                'response["Version"] != expected.version + 1',
                "False",
            ),
        ),
    ),
    "denied-again": Defect("a repeated denial does not restore another one", "19", (_NO_LOCK,)),
    "brake-after-invalid-denials": make_defect(
        "an invalid deny list hides a brake",
        "9",
        f"{_STORE}.aws.injector_loader:InjectorLoader._read_newest",
        "if newest.brakes != self._brakes:",
        "if last_read is None or last_read.denied != newest.denied:\n"
        "        self._read_denied(newest)\n"
        "    if newest.brakes != self._brakes:",
    ),
    "throttled-cold-start": ENGINE["D71"],
    "denied-and-deleted": ENGINE["D38"],
    "adopted-again": make_defect(
        "a registry that was adopted again revokes no token",
        "33",
        f"{_STORE}.aws.callers:_check_order",
        "(pointer.stored_at, pointer.serial) < (last.stored_at, last.serial)",
        "pointer.serial < last.serial",
    ),
    "truncated-page": make_defect(
        "a truncated response ends a command with an exception",
        "0",
        "podgraft.cli.stacks:aws_errors",
        "except KeyError as error:",
        "except ZeroDivisionError as error:",
    ),
    "denied-and-created-again": make_defect(
        "a denied bundle outlives a policy that was created again",
        "7",
        f"{_STORE}.aws.injector_loader:InjectorLoader._refresh",
        "if before is not None and self._is_denied(before):\n        return self._replace",
        "if before is not None and before.version in self.load_errors:\n        before = None\n"
        "    if before is not None and self._is_denied(before):\n        return self._replace",
    ),
    "created-again": make_defect(
        "rejected versions count for a policy that was created again",
        "33",
        f"{_STORE}.aws.injector_loader:InjectorLoader._read_newest",
        "if self.load_errors and",
        "if False and",
    ),
    "created-again-with-more-versions": make_defect(
        "a version of a deleted policy hides those of the policy that was created again",
        "33",
        f"{_STORE}.aws.injector_loader:InjectorLoader._load",
        "if before is not None and",
        "if False and",
    ),
    "denied-overrides": make_defect(
        "a rollback to denied overrides succeeds",
        "7",
        "podgraft.cli.policy.large_policy:list_needed",
        "if overrides:",
        "if False:",
    ),
    "documents-before-alias": COMMANDS["D57"],
    "registry-after-rollback": make_defect(
        "commands for an earlier release leave the registry behind",
        "33",
        "podgraft.cli.tokens.storage_factory:_open_stack",
        "(registry.is_read or has_copies)",
        "registry.is_read",
    ),
    "link-to-itself": make_defect(
        "a link to itself ends a command",
        "0",
        "podgraft.cli.outputs:replace_file",
        "Path(os.path.realpath(path))",
        # Path.resolve raises RuntimeError for it before Python 3.13.
        "path.resolve() if path.exists() or not path.is_symlink() else next(iter(()))",
    ),
    "deleted-and-pushed-at-once": make_defect(
        "a deletion takes the bundle of a push at the same time",
        "21 22",
        "podgraft.cli.policy.prune_command:find_mentioned",
        "cloud.history()]",
        "cloud.history() if False]",
    ),
    "policy-created-between": make_defect(
        "a push replaces a policy that was created again",
        "21",
        "podgraft.cli.policy.cloud:DeployedInjector.check_unchanged",
        "versions[-1].date != expected.date",
        "False",
    ),
    "disk-lost-before-callers": make_defect(
        "without its disk, a new worker answers 401",
        "14",
        f"{_STORE}.folder.callers:FolderCallers._fingerprint",
        'return "empty" if files.is_empty(self._folder) else "new"',
        'return "new"',
    ),
    "denied-while-unreachable": make_defect(
        "the replacement of a denied version waits 30 s",
        "32",
        f"{_STORE}.aws.injector_loader:_is_usable",
        "return ",
        "return True or ",
    ),
    "adopted-copies": COMMANDS["D74"],
    "adopted-without-documents": COMMANDS["D75"],
}
