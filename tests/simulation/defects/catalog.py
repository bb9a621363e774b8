"""The catalog of planted defects: what goes wrong, where, and the laws that can find it.

A run cannot show a defect without the actions, faults, or features that ``needs`` names, so the
proof skips such seeds.
"""

from __future__ import annotations

from dataclasses import dataclass

ENGINE = "podgraft.service.store"
CLI = "podgraft.cli.policy"


@dataclass(frozen=True, slots=True)
class Change:
    """In the source of *target* (module:path), *old* becomes *new*; no old text: a constant."""

    target: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Defect:
    """A defect: its words, the numbers of the laws that may find it first, and its changes."""

    words: str
    laws: str
    changes: tuple[Change, ...]
    needs: tuple[str, ...] = ()


def _defect(words: str, laws: str, target: str, old: str, new: str, *needs: str) -> Defect:
    return Defect(words, laws, (Change(target, old, new),), needs)


_CACHE = f"{ENGINE}.polling_cache:PollingCache"
_LOADER = f"{ENGINE}.aws.injector_loader"

DEFECTS: dict[str, Defect] = {
    "D1": _defect(
        "a failed refresh leaves no mark",
        "3",
        f"{_CACHE}._refresh_value",
        "usable.confirmed_at, due, error)",
        "usable.confirmed_at, due)",
        "fault",
    ),
    "D2": _defect(
        "a change below the first line is no change",
        "2",
        f"{_LOADER}:InjectorLoader._refresh",
        "before.newest == newest",
        'before.newest.text.split("\\n")[0] == newest.text.split("\\n")[0]',
    ),
    "D3": _defect(
        "a deadline never ends",
        "5",
        "podgraft.base.deadline:Deadline.remaining_seconds",
        "return (self",
        "return 30.0 or (self",
        "timeout",
    ),
    "D4": _defect(
        "a value has no greatest age",
        "2",
        f"{_CACHE}.current",
        "usable = cached if cached and now - cached.confirmed_at <= MAX_AGE_SECONDS else None",
        "usable = cached",
        "outage-of-a-day",
    ),
    "D5": _defect(
        "ages follow the monotonic clock only",
        "2 15",
        "podgraft.base.clock:AgeClock.__call__",
        "max(monotonic - monotonic_before, wall - wall_before, 0.0)",
        "max(monotonic - monotonic_before, 0.0)",
    ),
    "D6": _defect(
        "an unreachable store counts as an invalid version",
        "33",
        f"{_LOADER}:_Attempt.load",
        "except InvalidVersionError as error:",
        "except StoreError as error:",
        "fault",
    ),
    "D7": _defect(
        "a parameter that was created again is not noticed",
        "33",
        f"{_LOADER}:_is_recreated",
        "if int(newest.version) != int(last_read.version):",
        "return False\n    if int(newest.version) != int(last_read.version):",
        "recreate",
    ),
    "D8": _defect(
        "the oldest version that loads replaces a rejected one",
        "33",
        f"{ENGINE}.aws.earlier_versions:load_earlier",
        "for n in rejected.candidates if",
        "for n in reversed(rejected.candidates) if",
        "hand",
    ),
    "D9": _defect(
        "the content of a bundle is not compared with its digest",
        "6 1",
        f"{ENGINE}.aws.s3:BundleReader.files",
        "if bundle.digest(files) != digest:",
        "if False:",
        "damage",
    ),
    "D10": _defect(
        "all policies share one compiled bundle",
        "1 11 13 36",
        "podgraft.core.policy.document:Policy.shares_bundle_with",
        "return ",
        "return True or ",
    ),
    "D11": _defect(
        "a signature is valid for any version",
        "8",
        f"{_LOADER}:InjectorLoader.make_check",
        "number=int(parameter.version),",
        "number=None,",
        "replay",
    ),
    "D12": _defect(
        "an invalid deny list is an empty one",
        "7",
        "podgraft.core.versions.version_check:parse_denied",
        "except DenyListError as error:",
        "except DenyListError as error:\n        return {}",
        "denied",
        "deny",
    ),
    "D13": _defect(
        "a denied version stays in force if no other loads",
        "7",
        f"{ENGINE}.aws.store:CachedStore._select_snapshot",
        "if loaded.denial is not None:",
        "if False:",
    ),
    "D14": _defect(
        "the brake of all rollouts is not read",
        "9",
        f"{ENGINE}.aws.ssm:ParameterReader._read",
        'f"{self.prefix}/{brake_name()}"',
        'f"{self.prefix}/{brake_name(injector)}"',
        "rollout",
        "alarm",
    ),
    "D15": _defect(
        "brakes are parsed only if the policy changed",
        "9",
        f"{_LOADER}:InjectorLoader._read_newest",
        "if newest.brakes != self._brakes:",
        "if last_read is None or last_read.text != newest.text:",
        "rollout",
        "alarm",
    ),
    "D16": _defect(
        "a candidate responds long after the last read of the brakes",
        "9",
        f"{ENGINE}.aws.store:MAX_BRAKE_AGE",
        "",
        "3000",
        "rollout",
        "timeout",
    ),
    "D17": _defect(
        "an invalid brake stops nothing",
        "9",
        "podgraft.core.versions.brake:_parse_id",
        "except yaml.NotYAMLError:\n        return ALL",
        "except yaml.NotYAMLError:\n        return ''",
        "rollout",
        "brake",
    ),
    "D18": _defect(
        "the hash of a workload forgets the cluster",
        "11",
        "podgraft.core.policy.rollout:compute_bucket",
        "{rollout}\\0{cluster}\\0",
        "{rollout}\\0\\0",
        "rollout",
    ),
    "D19": _defect(
        "a shadow responds",
        "13",
        "podgraft.core.review.candidate:_choose",
        "is_shadow = candidate.rollout is None or candidate.rollout.mode is RolloutMode.SHADOW",
        "is_shadow = False",
        "shadow",
    ),
    "D20": _defect(
        "a push does not notice that it replaced another version",
        "20",
        f"{CLI}.cloud:DeployedInjector.put_policy",
        "if number != expected + 1:",
        "if False:",
        "race",
    ),
    "D21": _defect(
        "the policy switches before its bundle is uploaded",
        "21",
        f"{CLI}.push:upload",
        "missing = cloud.find_missing(checked.digest, checked.files)",
        "return",
    ),
    "D22": _defect(
        "prune keeps the bundles of the newest version only",
        "22",
        f"{CLI}.prune_command:find_mentioned",
        "cloud.existing_versions()]",
        "cloud.existing_versions()[-1:]]",
        "prune",
        "long",
    ),
    "D23": _defect(
        "a changed registry of callers is not read again",
        "15 16",
        f"{ENGINE}.aws.callers:CachedCallers._refresh",
        "last.digest == pointer.digest",
        "last.digest",
        "registry",
        "rotate",
    ),
    "D24": _defect(
        "a denial forgets the earlier ones",
        "19",
        f"{CLI}.denied:change_deny_list",
        "reasons: Object = dict(_parse_stored(storage, stored).reasons)",
        "reasons: Object = dict(_parse_stored(storage, stored).reasons) if reason is None else {}",
        "deny",
    ),
    "D25": _defect(
        "a rotation revokes the token that is in use",
        "16",
        "podgraft.cli.tokens.issuance:PendingToken.store",
        "callers.with_token(issued.hash)",
        "Callers().with_token(issued.hash)",
        "rotate",
    ),
    "D26": _defect(
        "an earlier version responds without a mark",
        "2 3",
        f"{ENGINE}.aws.store:CachedStore._select_snapshot",
        "if cached.error is None and loaded.rejection is None:",
        "if cached.error is None:",
        "hand",
    ),
    "D27": _defect(
        "a refresh interval is ten times as long",
        "2",
        f"{_CACHE}._refresh_value",
        "now + self._seconds)",
        "now + 10 * self._seconds)",
    ),
    "D28": _defect(
        "an unsigned policy is accepted",
        "8",
        "podgraft.core.versions.version_check:VersionCheck.check_signature",
        "if self.verifier is None:",
        "if self.verifier is None or '# signature' not in document:",
        "unsigned",
        "signatures",
    ),
    "D29": _defect(
        "a dry run stores the policy",
        "10",
        f"{CLI}.push_commands:_report_dry_run",
        "missing = cloud.find_missing(change.checked.digest, change.checked.files)",
        "missing = cloud.find_missing(change.checked.digest, change.checked.files)\n"
        "    push.upload(cloud, change.checked); _switch(cloud, change, live)",
    ),
    "D30": _defect(
        "the throttle is asked before the credentials",
        "28 33",
        "podgraft.service.http.authentication:CallerGate.authenticate",
        "return self._authenticate(request, deadline)",
        "if self._throttle.is_exceeded(request.source):\n            "
        "raise ThrottledError('too many')\n        return self._authenticate(request, deadline)",
        "flood",
    ),
    "D31": _defect(
        "a truncated response of Parameter Store is an empty one",
        "4 16 33",
        f"{ENGINE}.aws.ssm:ParameterReader._call",
        "if key not in response:",
        "response = {key: [], **response}\n        if False:",
        "truncated",
    ),
    "D33": _defect(
        "a cluster gets the configuration of all others",
        "1",
        "podgraft.core.versions.snapshot:SnapshotSet.for_cluster",
        "if cluster is not None:",
        "if False:",
    ),
    "D35": _defect(
        "an expired token is accepted",
        "17",
        "podgraft.service.http.authentication:_authenticate_token",
        " if not each.is_expired(day)]",
        "]",
        "expiry",
    ),
    "D36": _defect(
        "only mistakes of operators count as failures",
        "35",
        "podgraft.service.http.metrics:record_measures",
        'record.get("origin") != "caller"',
        'record.get("origin") == "operator"',
        "fault",
    ),
    "D37": _defect(
        "a token ends a day early",
        "14 16 33",
        "podgraft.service.store.caller_document:TokenHash.is_expired",
        "self.expires < day",
        "self.expires <= day",
        "expiry",
    ),
    "D34": _defect(
        "a log line quotes the token",
        "29",
        "podgraft.service.http.authentication:_describe_caller",
        "map(caller_document.identify_token, request.tokens)",
        "request.tokens",
    ),
    "D38": _defect(
        "a deny list has no effect while the policy is deleted",
        "7",
        f"{_LOADER}:InjectorLoader._refresh",
        "return replace(before, denial=error)",
        "pass",
        "deny",
        "recreate",
    ),
    "D39": _defect(
        "with a rollout, a pod loses its labels",
        "12",
        "podgraft.core.review:_annotate",
        '"annotations": annotations}',
        '"annotations": annotations, "labels": {}}',
        "rollout",
    ),
    "D40": _defect(
        "the number of a pointer is not compared with its serial",
        "18 15 14 16",
        "podgraft.service.store.registry_document:parse_pointer",
        'not jsonvalue.equal(fields.get("serial"), version)',
        "False",
        "registry",
        "pointer",
    ),
    "D41": _defect(
        "a version whose responses differ gets traffic",
        "24",
        "probe:_compare_all",
        "failures += 1",
        "pass",
        "shift",
    ),
    "D42": _defect(
        "the cleanup does not wait after a deployment",
        "25",
        "cleanup:find_old_versions",
        "newest[0].published > now - PAUSE",
        "False",
        "shift",
        "cleanup",
    ),
    "D43": _defect(
        "a census does not pause after a failure",
        "30",
        f"{ENGINE}.census:CensusWriter._is_paused",
        "return ",
        "return False and ",
        "census",
        "fault",
    ),
    "D44": _defect(
        "a dry run is recorded",
        "26",
        f"{ENGINE}.census:_find_subject",
        "request.dry_run",
        "False",
        "census",
    ),
    "D45": _defect(
        "a command leaves its lock",
        "34",
        "podgraft.cli.storage.parameters:ParameterDocuments.lock",
        "self.client.delete_parameter(Name=lock)",
        "pass",
    ),
    "D46": _defect(
        "an environment keeps each injector that somebody invented",
        "39",
        f"{ENGINE}.aws.store:CachedStore.snapshot",
        "if fresh.exists:",
        "if True:",
        "wander",
    ),
    "D47": _defect(
        "the groups of the registry are forgotten",
        "12",
        "podgraft.core.policy.document:Policy.find_groups",
        "{name for name in registered if name in groups}",
        "set()",
        "registry",
        "apply",
    ),
    "D48": _defect(
        "a cluster can call from anywhere",
        "14",
        "podgraft.service.http.authentication:_check_source",
        "if callers.sources and ",
        "if False and ",
        "registry",
        "apply",
    ),
    "D49": _defect(
        "a worker looks at its files only once",
        "1 7 9 14 33",
        f"{ENGINE}.folder.file_cache:FileCache._check_files",
        "and now < self._check_at:",
        ":",
        "serve",
    ),
}
