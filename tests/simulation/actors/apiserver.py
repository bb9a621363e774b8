"""kube-apiserver: creates pods, calls the webhook, waits for its timeout, and applies the patch."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from simulation.baton import Baton
from simulation.choices import GOLDEN
from simulation.ledger import Ledger
from simulation.names import OTHER_WEBHOOK, REINVOKED
from simulation.plan import Action

from .functions import Functions

BUNDLE_TAG = re.compile(r"proxy:([bx]\d+)")
THROTTLED = 429  # of API Gateway, if no environment is free
MAX_RETRIES = 10  # of client-go, each if the response has Retry-After, within one timeout
ANSWERED, CONTROLLER_SECONDS = 200, (1.0, 1000.0)  # between the attempts of a controller
KEPT = (
    "event", "level", "code", "policy_version", "track", "candidate", "fault", "stale", "cluster",
    "groups", "census_milliseconds", "candidate_reason", "candidate_problem",
)  # fmt: skip
READY_SECONDS = 5.0  # after which a pod of a rolling update is ready
ROUTES = ("inject", "mutate", "validate")
DETAILS = ("form", "source", "injector", "route")  # of a caller, in the options of an action
DRY, SUBJECT = "dry", "CN="  # a namespace of dry runs, and the start of a subject
POLICY_ANNOTATION, ROLLOUT_ANNOTATION = "simulation/policy", "podgraft.dev/rollout"


def make_pod(workload: int) -> dict[str, Any]:
    """Return a pod of a Deployment, as its ReplicaSet creates it."""
    owner = {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "name": f"web-{workload}-6d4f8b7c9d",
        "uid": "0",
        "controller": True,
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "generateName": f"web-{workload}-6d4f8b7c9d-",
            "namespace": "shop",
            "labels": {"app": f"web-{workload}", "pod-template-hash": "6d4f8b7c9d"},
            "annotations": {"note": "of a secret-annotation-value"},
            "ownerReferences": [owner],
        },
        "spec": {"containers": [{"name": "web", "image": "web:1"}]},
    }


@dataclass(frozen=True, slots=True)
class Caller:
    """A cluster, its credential (a token, or the subject of a certificate), and how it calls.

    ``source`` is an address, or the endpoint of a private front; ``form`` says where the token is.
    """

    cluster: str
    credential: str
    ends: float = 0.0
    form: str = "header"
    injector: str = ""
    route: str = "inject"
    source: str = "198.51.100.24"


def make_review(pod: Any, uid: str, *, is_dry: bool) -> str:
    """Return the review of a pod."""
    kind = {"group": "", "version": "v1", "kind": "Pod"}
    resource = {"group": "", "version": "v1", "resource": "pods"}
    request = {
        "uid": uid,
        "kind": kind,
        "resource": resource,
        "requestKind": kind,
        "requestResource": resource,
        "namespace": DRY if is_dry else "shop",
        "operation": "CREATE",
        "userInfo": {"username": "system:serviceaccount:kube-system:replicaset-controller"},
        "object": pod,
        "oldObject": None,
        "dryRun": is_dry,
        "options": {"kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1"},
    }
    if "generateName" not in pod["metadata"]:  # as from an early kube-apiserver
        del request["requestKind"], request["requestResource"]
    review = {"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "request": request}
    return json.dumps(review)


def make_event(caller: Caller, body: str, uid: str, timeout: int) -> dict[str, Any]:
    """Return the event of API Gateway: an HTTP API, or the REST API of a private front."""
    prefix = f"/{caller.injector}" if caller.injector else ""
    path, headers = f"{prefix}/{caller.route}/cluster/{caller.cluster}", {
        "content-type": "application/json",
        "content-length": str(len(body.encode())),
        "host": "injector.example.com",
        "x-forwarded-for": caller.source,
        "x-forwarded-port": "443",
        "x-forwarded-proto": "https",
    }  # fmt: skip
    context: dict[str, Any] = {"requestId": uid, "stage": "$default"}
    if caller.credential.startswith(SUBJECT):
        context["authentication"] = {"clientCert": _describe_certificate(caller)}
    elif caller.credential:
        if caller.form != "path":
            headers["authorization"] = f"Bearer {caller.credential}"
        if caller.form != "header":
            path = f"/k/{caller.credential}{path}"
    rest = {"headers": headers, "body": body, "isBase64Encoded": False}
    if caller.source.startswith("vpce-"):
        context["identity"] = {"sourceIp": "10.0.0.9", "vpceId": caller.source, "vpcId": "vpc-1"}
        query = {"timeout": f"{timeout}s"}
        return {
            "resource": "/{proxy+}",
            "path": path,
            "httpMethod": "POST",
            "queryStringParameters": query,
            "requestContext": context,
            **rest,
        }
    context["http"] = {"method": "POST", "path": path, "sourceIp": caller.source}
    return {
        "version": "2.0",
        "routeKey": "POST /{proxy+}",
        "rawPath": path,
        "rawQueryString": f"timeout={timeout}s",
        "requestContext": context,
        **rest,
    }


def _describe_certificate(caller: Caller) -> dict[str, Any]:
    """Return what API Gateway says of a certificate; orders and spaces differ."""
    subject, ends = caller.credential, "Aug  5 00:28:21 2027 GMT"
    match caller.form:
        case "path":
            subject = ", ".join(reversed(subject.split(","))).replace("=", " = ")
        case "both":
            return {"subjectDN": subject, "validity": {"notAfter": "soon"}}
        case _:
            pass
    return {"subjectDN": subject, "validity": {"notAfter": ends}}


class ApiServers:
    """The API servers of all clusters; ``tokens`` are those in their webhook configurations."""

    def __init__(
        self,
        baton: Baton,
        functions: Functions,
        ledger: Ledger,
        ignores: Callable[[str], bool],
        repeats: Callable[[str], str],
    ) -> None:
        self._baton, self._functions, self._ledger = baton, functions, ledger
        self._ignores = ignores  # whether the failurePolicy of a cluster is Ignore
        self._repeats = repeats  # SAME or REINVOKED, for the uid of a request that is sent again
        self.tokens: dict[str, str] = {}
        self.old_tokens: list[tuple[str, str]] = []

    def create_pod(self, action: Action) -> None:
        """Create one pod, as a user or an attacker; a controller repeats what failed."""
        began, pause = self._baton.now, CONTROLLER_SECONDS[0]
        failures = 0
        while not self._try_to_create(action, failures) and "phase" in action.options:
            failures += 1
            self._baton.wait(pause)
            pause = min(2 * pause, CONTROLLER_SECONDS[1])
        if "phase" in action.options:
            facts = {"seconds": self._baton.now - began, "failures": failures}
            self._ledger.add(f"cluster/{action.subject}", "pod", **facts, **action.options)

    def run_workload(self, action: Action) -> None:
        """Let a controller create the pods of a Deployment, when it scales or restarts.

        It begins with one, and doubles while all succeed. After a failure, it pauses.
        """
        began, pause, batch = self._baton.now, CONTROLLER_SECONDS[0], 1
        missing, failures = [*range(action.options["replicas"])], 0
        limit = max(len(missing) // 4, 1) if action.verb == "restart" else len(missing)
        while missing:
            tried = missing[: min(batch, limit)]
            works = [partial(self._create_replica, action, each, failures) for each in tried]
            tasks = [self._baton.spawn(self._baton.current.node, each) for each in works]
            for task in tasks:
                task.join()
            done = {each for each, task in zip(tried, tasks, strict=True) if task.result}
            missing = [each for each in missing if each not in done]
            batch *= 2
            if len(done) < len(tried):
                failures, batch = failures + 1, 1
                self._baton.wait(pause)
                pause = min(2 * pause, CONTROLLER_SECONDS[1])
            elif action.verb == "restart":
                self._baton.wait(READY_SECONDS)
        facts = {"verb": action.verb, "failures": failures, "seconds": self._baton.now - began}
        self._ledger.add(f"cluster/{action.subject}", "workload", **facts)

    def _create_replica(self, action: Action, number: int, failures: int) -> bool:
        pick = (action.options["pick"] + number * GOLDEN) % 1
        options = {**action.options, "pick": pick}
        replica = replace(action, id=f"{action.id}/{number}", verb="review", options=options)
        return self._try_to_create(replica, failures)

    def ask_readiness(self, action: Action, form: str) -> None:
        """Request /readyz; without *form*, without a credential."""
        credential = self.tokens.get(action.subject, "") if form else ""
        event = make_event(Caller(action.subject, credential), "", action.id, 10)
        event["rawPath"], event["routeKey"] = "/readyz", "GET /{proxy+}"
        event["requestContext"]["http"] |= {"method": "GET", "path": "/readyz"}
        environment, task = self._functions.invoke(event, prefers_cold=False, pick=0.5)
        if task is not None:
            task.join(10.0)
            name = environment.node.name
            self._ledger.add(f"cluster/{action.subject}", "ready", env=name, _body=task.result)
            environment.node.output.clear()

    def _try_to_create(self, action: Action, failures: int) -> bool:
        """Send the review of a pod, as kube-apiserver repeats it; whether it is created."""
        cluster = action.subject
        token = self.tokens.get(cluster, "no-token")
        if action.verb == "attack":
            cluster, token = self._choose_stolen(action, cluster)
        pod = make_pod(action.options["workload"])
        if "bare" in action.options:
            pod["metadata"] = {"name": f"bare-{action.options['bare']}", "namespace": "shop"}
        ends = self._baton.now + action.options["timeout"]
        details = {key: action.options[key] for key in DETAILS if key in action.options}
        caller = Caller(cluster, token, ends, **details)
        facts: dict[str, Any] = {}
        for attempt in range(MAX_RETRIES + 1):
            facts = self._call(action, caller, pod, f"{failures}{attempt}")
            facts["attempt"] = attempt
            pause = facts["retry_after"]
            if not pause or self._baton.now + pause >= ends:
                break
            self._baton.wait(pause)
        self._call_again(action, caller, pod, facts)
        return self._decide(action, caller, facts)

    def _call_again(self, action: Action, caller: Caller, pod: Any, first: dict[str, Any]) -> None:
        """Send the request of an admitted pod again, or the pod that another webhook changed."""
        is_admitted = first["code"] == ANSWERED and first["allowed"]
        kind = self._repeats(first["uid"]) if is_admitted and action.verb == "review" else ""
        if kind == REINVOKED:
            pod = json.loads(first["_patched"])
            pod["metadata"].setdefault("labels", {}).update(OTHER_WEBHOOK)
            self._baton.wait((caller.ends - self._baton.now) * action.options["pick"] / 2)
        if kind:
            pick = (action.options["pick"] + GOLDEN) % 1  # of another environment
            options = {**action.options, "cold": False, "pick": pick}
            again = replace(action, verb="again", options=options)
            self._call(again, caller, pod, f"{first['attempt']}.{kind}", first)

    def _decide(self, action: Action, caller: Caller, facts: dict[str, Any]) -> bool:
        """Whether a pod is created: as the webhook says, or without it by the failurePolicy."""
        if facts["code"] == ANSWERED:
            return bool(facts["allowed"])
        is_ignored = action.verb == "review" and self._ignores(caller.cluster)
        # As the annotation failed-open.mutating.webhook.admission.k8s.io of the audit log.
        fate = {"fate": "failed-open" if is_ignored else "failed", "_review": facts}
        known = {key: facts[key] for key in ("uid", "code", "began", "env")}
        if action.verb == "review" and "phase" not in action.options:
            is_last = facts["attempt"] == MAX_RETRIES
            left = 0.0 if is_last else caller.ends - self._baton.now
            self._ledger.add(f"cluster/{caller.cluster}", "fate", left=left, **fate, **known)
        return is_ignored

    def _choose_stolen(self, action: Action, cluster: str) -> tuple[str, str]:
        if self.old_tokens and action.options["workload"] % 2:
            choice: int = action.options["workload"] % len(self.old_tokens)
            return self.old_tokens[choice]
        known = self.tokens.get(cluster, "")
        number: int = action.options["workload"] // 2
        if known.startswith(SUBJECT):
            other_form, unknown = known.replace(",", "+"), "CN=stranger\\FF "
            credentials = (other_form, unknown, "")
        else:
            damaged = known[:-1] if known.startswith("pg1-") else "pg1-cut"
            credentials = ("f" * 64, damaged, "")
        return cluster, credentials[number % len(credentials)]

    def _call(
        self, action: Action, caller: Caller, pod: Any, attempt: str, first: Any = None
    ) -> dict[str, Any]:
        """Send a review, and wait until the caller stops waiting; *first* is sent again."""
        options = action.options
        began = self._baton.now
        uid = f"{action.id}.{attempt}"
        body = make_review(pod, uid, is_dry=options.get("dry", False))
        event = make_event(caller, body, uid, options["timeout"])
        environment, task = self._functions.invoke(
            event, prefers_cold=options["cold"], pick=options["pick"]
        )
        facts: dict[str, Any] = {"uid": uid, "env": environment.node.name, "code": THROTTLED}
        facts |= {"log": {}, "retry_after": 0}
        if task is not None:
            task.join(caller.ends - self._baton.now)
            environment.is_late = not task.done
            facts["code"] = 0  # no response in time, or none at all
            if task.done:
                facts = {**facts, **_describe(task.result, pod), "error": repr(task.error or "")}
                facts |= _read_log(environment.node.output, uid)
        facts |= {"cold": environment.initialized_at >= began}
        facts |= {"killed": environment.node.killed}
        facts |= {"began": began, "seconds": self._baton.now - began, "_token": caller.credential}
        facts |= {"timeout": options["timeout"], "verb": action.verb, "pod": options["workload"]}
        facts |= {"_phase": options.get("phase", ""), "_weight": options.get("weight", 1)}
        facts |= {"_first": first}
        is_dry = options.get("dry", False)
        facts |= {"source": caller.source, "namespace": DRY if is_dry else "shop"}
        self._ledger.add(f"cluster/{caller.cluster}", "review", **facts)
        return facts


def _describe(response: Any, pod: Any) -> dict[str, Any]:
    """Return what a cluster sees of a response: status, tags of the patched pod, warnings."""
    if response is None:  # the handler raised an exception
        return {"code": 500}
    body: str = response.get("body", "")
    facts: dict[str, Any] = {"code": response["statusCode"], "_body": body}
    facts["retry_after"] = int(response.get("headers", {}).get("retry-after", 0))
    if response["statusCode"] != 200:
        return facts
    answer = json.loads(body)["response"]
    facts["allowed"] = answer["allowed"]
    facts["warnings"] = answer.get("warnings", [])
    facts["_patch"] = answer.get("patch", "")
    facts["audit"] = answer.get("auditAnnotations", {})
    patched = apply_patch(pod, json.loads(b64decode(answer["patch"]))) if "patch" in answer else pod
    text = json.dumps(patched)
    facts["bundle"] = ",".join(sorted(set(BUNDLE_TAG.findall(text))))
    annotations = {**patched["metadata"].get("annotations", {})}
    facts["policy"] = annotations.get(POLICY_ANNOTATION, "")
    facts["track"] = annotations.get(ROLLOUT_ANNOTATION, "").rpartition("/")[2]
    # The same pod without a rollout: only one annotation may differ.
    annotations.pop(ROLLOUT_ANNOTATION, None)
    twin = {**patched, "metadata": {**patched["metadata"], "annotations": annotations}}
    facts["_twin"] = json.dumps(twin, sort_keys=True)
    facts["_patched"] = text
    return facts


def apply_patch(document: Any, operations: list[dict[str, Any]]) -> Any:
    """Apply a JSON Patch, as kube-apiserver does."""
    result = json.loads(json.dumps(document))
    for operation in operations:
        *parents, last = [
            part.replace("~1", "/").replace("~0", "~") for part in operation["path"][1:].split("/")
        ]
        target = result
        for part in parents:
            target = target[int(part) if hasattr(target, "insert") else part]
        _apply(target, last, operation)
    return result


def _apply(target: Any, last: str, operation: dict[str, Any]) -> None:
    if hasattr(target, "insert"):
        at = len(target) if last == "-" else int(last)
        if operation["op"] == "add":
            target.insert(at, operation["value"])
        elif operation["op"] == "remove":
            del target[at]
        else:
            target[at] = operation["value"]
    elif operation["op"] == "remove":
        del target[last]
    else:
        target[last] = operation["value"]


def _read_log(output: list[str], uid: str) -> dict[str, Any]:
    """Return the log line of a request, without times."""
    text = "".join(output)
    output.clear()
    # Metrics have lines of their own, which the law of the alarms reads.
    shown = [line for line in text.splitlines() if line.startswith("{") and '"code":' in line]
    lines = [json.loads(line) for line in shown if not line.startswith('{"_aws"')]
    # A request that is not authenticated has no uid: its body is never read.
    found = [each for each in lines if "code" in each and each.get("uid") in {uid, "", None}]
    # Before it, there can be the line of a response for which nobody waited any more.
    found = [each for each in found if each.get("uid") == uid] or found[-1:]
    if len(found) != 1:
        return {"log": {"lines": len(found)}, "_lines": text}
    return {"log": {key: found[0][key] for key in KEPT if key in found[0]}, "_lines": text}
