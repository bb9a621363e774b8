"""The check whether a request can be injected: only the creation of a pod can.

A webhook registration for more than the creation of pods sends other requests. podgraft allows them
unchanged, with a warning that contains the remedy.
"""

from podgraft.kube.admission import AdmissionRequest, Operation

from .decision import Decision, Reason, Step, StepName, Verdict, conclude

# Updates of these accept only new resources of containers, and only new ephemeral containers. Any
# other change fails the request, so kubectl could neither resize nor debug the pod.
PROTECTED_SUBRESOURCES = frozenset({"ephemeralcontainers", "resize"})


def decide_applicability(request: AdmissionRequest) -> Decision | None:
    """The decision to skip the object, or ``None`` for the creation of a pod.

    A request without ``resource`` and ``kind`` counts as a request for pods, because test clients,
    including Istio's, send only a pod and its namespace.
    """
    reason = _skip_reason(request)
    if reason is None:
        return None
    observed = _describe_request(request)
    step = Step(StepName.REQUEST, observed, Verdict.SKIP, reason, final=True)
    warning = f"/inject is for CREATE of pods; narrow the webhook registration that sent {observed}"
    return conclude((step,), (warning,))


def warn_of_subresource(request: AdmissionRequest) -> str:
    """The warning for a protected subresource; an empty string for other requests."""
    name, resource = request.sub_resource, request.resource
    if name not in PROTECTED_SUBRESOURCES or (resource.group, resource.resource) != ("", "pods"):
        return ""
    return f"podgraft does not change pods/{name}; remove it from the webhook registration"


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
