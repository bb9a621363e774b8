"""The use case: a request of kube-apiserver's and a store in, the answer out, with its facts.

The only module that knows the whole way. An outcome is either an answer (allowed, patched or
denied) or a failure that is not the user's: then nothing is answered, so that the webhook's
failurePolicy decides and not we.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import TypeAlias

from podgraft import admission, kube, patch, policy
from podgraft.admission import AdmissionRequest, AdmissionResponse
from podgraft.bundle import Bundle, Call, Graft, Grafted
from podgraft.injection import OperatorError, UserError, discreet, objects
from podgraft.jsonvalue import JSON, Object
from podgraft.kube import identity
from podgraft.policy import Decision, Skip
from podgraft.recent import Recent
from podgraft.records import dataclass
from podgraft.store import Deadline, Snapshot, Stale, Store, StoreError


class Word(StrEnum):
    """What came of a review, as metrics, audit annotations and logs call it."""

    INJECT = "inject"
    SKIP = "skip"
    MUTATE = "mutate"
    ALLOW = "allow"
    DENY = "deny"
    FAIL = "fail"


class Why(StrEnum):
    """Reasons beside those of ``policy.Reason``."""

    OVERLAYS = "overlays"
    NOTHING_MATCHES = "nothing-matches"
    RULES = "rules"
    USER = "user"
    OPERATOR = "operator"
    STORE = "store"


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who asks for what: injector and cluster, and the URL's path behind ``/inject/``.

    ``stale`` is why what is known of the caller may be older than what is stored.
    """

    injector: str
    cluster: str | None = None
    path: str = ""
    deadline: Deadline | None = None
    stale: Stale | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What is worth a line in the log: names and words, never a value from the object."""

    uid: str
    injector: str
    cluster: str
    namespace: str
    owner: str
    decision: str = ""
    reason: str = ""
    policy_version: str = ""
    bundle: str = ""
    patch_bytes: int = 0
    stale: str = ""
    refused: bool = False
    age_seconds: int = 0


@dataclass(frozen=True, slots=True)
class Answered:
    """A review that kube-apiserver gets an answer to."""

    response: AdmissionResponse
    facts: Facts


@dataclass(frozen=True, slots=True)
class Failed:
    """A review that failed by the operator's fault or the world's."""

    error: OperatorError | StoreError
    facts: Facts


Outcome: TypeAlias = Answered | Failed


def inject(request: AdmissionRequest, store: Store, caller: Caller) -> Outcome:
    """Sidecars for a pod, where policy and pod want them."""
    return _review(request, store, caller, _inject)


def mutate(request: AdmissionRequest, store: Store, caller: Caller) -> Outcome:
    """Overlays on an object of any kind."""
    return _review(request, store, caller, _mutate)


def validate(request: AdmissionRequest, store: Store, caller: Caller) -> Outcome:
    """Rules for an object of any kind."""
    return _review(request, store, caller, _validate)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """One review, who asks for it, and from which versions it is answered, where they load."""

    request: AdmissionRequest
    caller: Caller
    owner: str
    stale: tuple[Stale, ...]
    policy_version: str = ""
    bundle: str = ""

    @property
    def call(self) -> Call:
        """What injections know beside the object."""
        namespace, path = self.request.namespace, self.caller.path
        return Call(namespace=namespace, path=path, request=self.request)

    def facts(self, decision: Word, reason: str, patch_bytes: int = 0) -> Facts:
        """What came of the review, for the log."""
        return Facts(
            uid=self.request.uid,
            injector=self.caller.injector,
            cluster=self.caller.cluster or "",
            namespace=self.request.namespace,
            owner=self.owner,
            decision=decision,
            reason=reason,
            policy_version=self.policy_version,
            bundle=self.bundle,
            patch_bytes=patch_bytes,
            stale=self.staleness,
            refused=any(each.refused for each in self.stale),
            age_seconds=max((each.age_seconds for each in self.stale), default=0),
        )

    def audit(self, decision: Word, reason: str) -> Mapping[str, str]:
        """The audit annotations, which say the same."""
        annotations = {
            "decision": decision,
            "reason": reason,
            "policy-version": self.policy_version,
            "bundle": self.bundle,
        }
        return {**annotations, "stale": self.staleness} if self.stale else annotations

    @property
    def staleness(self) -> str:
        """Why the policy or the callers may be older than what is stored; empty if they are not."""
        return "; ".join(each.why for each in self.stale)

    def warnings(self, *more: str) -> Iterable[str]:
        for stale in self.stale:
            yield f"podgraft answered from an older configuration: {stale.why}"
        yield from more


_Answer: TypeAlias = Callable[[_Case, Bundle], Answered]


def _review(request: AdmissionRequest, store: Store, caller: Caller, answer: _Answer) -> Outcome:
    """The outcome by the version in force, or by the one before, if that one is found invalid.

    A cold start does not parse what it may never need. If a review fails, the store therefore
    checks the version completely, once. Each turn of the loop refuses one version.
    """
    outcome, snapshot = _reviewed(request, store, caller, answer)
    while isinstance(outcome, Failed) and snapshot and snapshot.recheck and snapshot.recheck():
        again, earlier = _reviewed(request, store, caller, answer)
        if earlier is None or earlier.policy_version == snapshot.policy_version:
            return outcome
        outcome, snapshot = again, earlier
    return outcome


def _reviewed(
    request: AdmissionRequest, store: Store, caller: Caller, answer: _Answer
) -> tuple[Outcome, Snapshot | None]:
    """The outcome by the snapshot in force, and that snapshot."""
    owner = _name(request)
    try:
        snapshot = store.snapshot(caller.injector, caller.cluster, caller.deadline)
    except StoreError as error:
        case = _Case(request=request, caller=caller, owner=owner, stale=_known(caller.stale))
        return Failed(error, case.facts(Word.FAIL, Why.STORE)), None
    case = _Case(
        request=request,
        caller=caller,
        owner=owner,
        stale=_known(caller.stale, snapshot.stale),
        policy_version=snapshot.policy_version,
        bundle=snapshot.bundle.digest,
    )
    try:
        return answer(case, snapshot.bundle), snapshot
    except UserError as error:
        return _denied(case, discreet(error), Why.USER), snapshot
    except OperatorError as error:
        return Failed(error, case.facts(Word.FAIL, Why.OPERATOR)), snapshot


def _known(*stale: Stale | None) -> tuple[Stale, ...]:
    return tuple(each for each in stale if each is not None)


def _inject(case: _Case, bundle: Bundle) -> Answered:
    decision = policy.not_applicable(case.request)
    if decision is None:
        pod = objects.check_pod(case.request.object)
        case = replace(case, owner=_owner(pod))
        decision = policy.decide(bundle.rules, pod, case.request.namespace)
        if not isinstance(decision, Skip):
            return _injected(case, bundle, pod, decision)
    reasons = ",".join(decision.reasons)
    return _allowed(case, Word.SKIP, reasons, decision.warnings)


def _injected(case: _Case, bundle: Bundle, pod: Object, decision: Decision) -> Answered:
    grafted = _graft(bundle.pods, pod, case.call)
    warnings = (*decision.warnings, *grafted.warnings)
    if grafted.object is pod:
        return _allowed(case, Word.SKIP, Why.NOTHING_MATCHES, warnings)
    answered = _patched(case, Word.INJECT, ",".join(decision.reasons), grafted, warnings)
    _check(pod, grafted.object, answered.response.patch)
    return answered


def _mutate(case: _Case, bundle: Bundle) -> Answered:
    if case.request.object is None or not bundle.objects:
        return _allowed(case, Word.SKIP, Why.NOTHING_MATCHES)
    before = objects.check_object(case.request)
    grafted = _graft(bundle.objects, before, case.call)
    if grafted.object is before:
        return _allowed(case, Word.SKIP, Why.NOTHING_MATCHES, grafted.warnings)
    return _patched(case, Word.MUTATE, Why.OVERLAYS, grafted, grafted.warnings)


def _validate(case: _Case, bundle: Bundle) -> Answered:
    judgements = [judge(case.request) for judge in bundle.judges]
    denials = [denial for judgement in judgements for denial in judgement.denials]
    warnings = [warning for judgement in judgements for warning in judgement.warnings]
    word = Word.DENY if denials else Word.ALLOW
    facts, audit = case.facts(word, Why.RULES), case.audit(word, Why.RULES)
    for judgement in judgements:
        audit = {**judgement.audit, **audit}
    told = tuple(case.warnings(*warnings))
    if not denials:
        return Answered(admission.allowed(case.request, warnings=told, audit=audit), facts)
    message = "; ".join(denial.message for denial in denials)
    code = denials[0].code
    response = admission.denied(case.request, message, code=code, warnings=told, audit=audit)
    return Answered(response, facts)


def _graft(grafts: Sequence[Graft], before: Object, call: Call) -> Grafted:
    """All grafts in order: base and operations are the first one's, the object the last one's."""
    if not grafts:
        return Grafted(base=before, object=before)
    whole = grafts[0](before, call)
    for graft in grafts[1:]:
        grafted = graft(whole.object, call)
        warnings = (*whole.warnings, *grafted.warnings)
        whole = replace(whole, object=grafted.object, warnings=warnings)
    return whole


def _check(before: Object, after: Object, changes: bytes) -> None:
    """Refuse to send what kube-apiserver could not decode: not even Ignore helps against that.

    ``before`` decodes: only what is new in ``after`` has to be looked at, and that not again where
    the same patch was found sound before.
    """
    if _SOUND.get(changes):
        return
    try:
        kube.check(kube.POD, {key: _new(before.get(key), after[key]) for key in after})
    except kube.DecodeError as error:
        raise OperatorError(f"the injected pod does not decode: {error}") from error
    if len(changes) <= _LARGEST:
        _SOUND[changes] = True


_SOUND: Recent[bytes, bool] = Recent(limit=256)  # patches whose values fit where they lead
_LARGEST = 65_536  # bytes of a patch that is kept


def _new(before: JSON, after: JSON) -> JSON:
    """``after`` without what it shares with ``before``: members, and the elements of those."""
    if not isinstance(before, dict) or not isinstance(after, dict):
        return after
    new: Object = {}
    for key, value in after.items():
        old = before.get(key)
        if isinstance(value, list) and isinstance(old, list):
            known = set(map(id, old))
            new[key] = [element for element in value if id(element) not in known]
        elif value is not old:
            new[key] = value
    return new


def _patched(
    case: _Case, decision: Word, reason: str, grafted: Grafted, warnings: Iterable[str]
) -> Answered:
    operations = (*grafted.operations, *patch.diff(grafted.base, grafted.object))
    warnings, audit = case.warnings(*warnings), case.audit(decision, reason)
    response = admission.patched(case.request, operations, warnings=warnings, audit=audit)
    return Answered(response, case.facts(decision, reason, len(response.patch)))


def _allowed(case: _Case, decision: Word, reason: str, warnings: Iterable[str] = ()) -> Answered:
    warnings, audit = case.warnings(*warnings), case.audit(decision, reason)
    response = admission.allowed(case.request, warnings=warnings, audit=audit)
    return Answered(response, case.facts(decision, reason))


def _denied(case: _Case, message: str, reason: str, warnings: Iterable[str] = ()) -> Answered:
    warnings, audit = case.warnings(*warnings), case.audit(Word.DENY, reason)
    response = admission.denied(case.request, message, warnings=warnings, audit=audit)
    return Answered(response, case.facts(Word.DENY, reason))


def _name(request: AdmissionRequest) -> str:
    """«Deployment/web»: the object's kind and name; names are no secret."""
    value = request.object if request.object is not None else request.old_object
    metadata = value.get("metadata") if isinstance(value, dict) else None
    own = metadata if isinstance(metadata, dict) else {}
    name = request.name or own.get("name") or own.get("generateName") or ""
    return f"{request.kind.kind or 'Pod'}/{name}"


def _owner(pod: Object) -> str:
    """«Deployment/web»: the workload that a pod belongs to."""
    metadata = pod["metadata"]
    owner = identity.of_pod(metadata if isinstance(metadata, dict) else {})
    return f"{owner.kind}/{owner.name}"
