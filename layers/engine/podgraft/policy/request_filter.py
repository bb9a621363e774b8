"""Whether a review is one that injection is for at all.

A webhook that is registered for more than the creation of pods gets reviews that nothing can be
injected into: they pass untouched, and the user is told what to narrow.
"""

from podgraft.admission import AdmissionRequest, Operation

from .decision import Decision, Reason, Step, StepName, Verdict, conclude


def decide_applicability(request: AdmissionRequest) -> Decision | None:
    """The decision to leave the object alone, or ``None`` where a pod is being created.

    A review without ``resource`` and ``kind`` counts as one of pods: test clients, Istio's own
    among them, send no more than a pod and its namespace.
    """
    reason = _skip_reason(request)
    if reason is None:
        return None
    saw = _describe_request(request)
    step = Step(StepName.REQUEST, saw, Verdict.SKIP, reason, final=True)
    warning = f"/inject is for CREATE of pods; narrow the webhook registration that sent {saw}"
    return conclude((step,), (warning,))


def _skip_reason(request: AdmissionRequest) -> Reason | None:
    resource = request.resource
    if (resource.group, resource.resource or "pods") != ("", "pods"):
        return Reason.NOT_PODS
    if request.sub_resource:
        return Reason.SUBRESOURCE
    if request.kind.kind not in {"", "Pod"}:
        return Reason.NOT_PODS
    return None if request.operation is Operation.CREATE else Reason.NOT_CREATE


def _describe_request(request: AdmissionRequest) -> str:
    """«UPDATE of pods/ephemeralcontainers», «CREATE of deployments.apps»."""
    resource = request.resource.resource or request.kind.kind or "pods"
    if request.resource.group:
        resource = f"{resource}.{request.resource.group}"
    if request.sub_resource:
        resource = f"{resource}/{request.sub_resource}"
    return f"{request.operation} of {resource}"
