"""Reviews without a cluster: one snapshot in hand, and objects made into admission requests.

The command line asks the same use case as the function does, so both give the same answer.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from podgraft import bundle as bundles
from podgraft import policy as policies
from podgraft import review
from podgraft.admission import AdmissionRequest
from podgraft.bundle import Bundle
from podgraft.cli import documents
from podgraft.cli.failure import CommandError
from podgraft.injection import discreet, manifests
from podgraft.jsonvalue import Object
from podgraft.policy import Policy
from podgraft.review import Answered, Caller, Outcome
from podgraft.store import Deadline, Snapshot


class Fixed:
    """A ``Store`` that holds one snapshot under every name."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    def snapshot(
        self, injector: str, cluster: str | None, deadline: Deadline | None = None
    ) -> Snapshot:
        """The one snapshot."""
        del injector, cluster, deadline
        return self._snapshot

    def injectors(self) -> tuple[str, ...]:
        """No names are stored."""
        return ()


def snapshot(policy: Policy, bundle: Bundle) -> Snapshot:
    """A bundle on disk and its policy as what answers reviews."""
    return Snapshot(policy=policy, policy_version="local", bundle=bundle)


def load(document: str, files: Mapping[str, bytes]) -> Snapshot:
    """A policy document and a bundle's files as what answers reviews."""
    try:
        read = policies.parse(document)
        return snapshot(read, bundles.compile_(files, read))
    except (policies.PolicyError, bundles.BundleError) as error:
        raise CommandError(*map(str, error.faults)) from error


def creation(pod: Object, namespace: str) -> AdmissionRequest:
    """The request that kube-apiserver would make for the creation of *pod*."""
    return AdmissionRequest(
        api_version="admission.k8s.io/v1", uid="offline", namespace=namespace, object=pod, raw={}
    )


def inject(pod: Object, namespace: str, snapshot: Snapshot, path: str = "") -> Outcome:
    """What the webhook would make of the pod."""
    caller = Caller(injector="offline", path=path)
    return review.inject(creation(pod, namespace), Fixed(snapshot), caller)


@dataclass(frozen=True, slots=True)
class Stream:
    """A YAML stream after its pods went through the webhook, and what to say of them."""

    text: str
    warnings: tuple[str, ...]


def inject_stream(text: str, namespace: str, snapshot: Snapshot) -> Stream:
    """The stream with every Pod as the webhook would make it; all else byte for byte as it was.

    Raises ``CommandError`` for a pod that would be refused or fail.
    """
    warnings: list[str] = []

    def change(found: Object) -> Object:
        if found.get("kind") != "Pod":
            return found
        outcome = inject(found, _namespace(found, namespace), snapshot)
        if not isinstance(outcome, Answered) or not outcome.response.allowed:
            raise CommandError(f"{documents.name(found)}: {told(outcome)}")
        warnings.extend(f"{documents.name(found)}: {each}" for each in outcome.response.warnings)
        if not outcome.response.patch:
            warnings.append(f"{documents.name(found)}: {told(outcome)}")
            return found
        return _patched(found, outcome.response.patch)

    return Stream(manifests.rewrite(text, change), tuple(warnings))


def _namespace(found: Object, otherwise: str) -> str:
    metadata = found.get("metadata")
    own = metadata.get("namespace") if isinstance(metadata, dict) else None
    return own if isinstance(own, str) and own else otherwise


def _patched(found: Object, patch: bytes) -> Object:
    import jsonpatch

    return jsonpatch.apply_patch(found, patch.decode())


def told(outcome: Outcome) -> str:
    """An outcome in one line: the decision, or why there is none."""
    match outcome:
        case Answered(response=response, facts=facts):
            message = f": {response.status.message}" if response.status else ""
            return f"{facts.decision} ({facts.reason}){message}"
        case _:
            return f"fails: {discreet(outcome.error)}"
