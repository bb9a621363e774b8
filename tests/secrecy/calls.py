"""Calls that carry secrets wherever a caller can put one, and stores that hold some.

Each ``Scenario`` is a state of the store and a call; together they meet every fault of the table in
service/http/faults.py and every word that a review can end with. test_http.py checks that they do.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from podgraft.core.injectors.errors import OperatorError
from podgraft.core.versions.errors import (
    NotLoadedError,
    UnavailableError,
    UnknownInjectorError,
    UntrustedError,
)
from podgraft.kube import admission
from podgraft.service.http import errors
from podgraft.service.http.faults import INTERNAL, TABLE
from podgraft.service.http.throttle import MAX_FAILURES
from secrecy.known_secrets import ALIAS, ANNOTATION, ENVIRONMENT, MARK
from support.recorded_requests import load_request
from support.store_fixture import BUNDLE, CONFIG, OTHER_TOKEN, TOKEN, admit, write, write_injector

BEARER = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
FAILURE_TRIGGER = f"{MARK}-mistake"  # a review that holds it makes the server fail (failures.py)


@dataclass(frozen=True, slots=True)
class Call:
    """One HTTP request."""

    body: bytes = b""
    path: str = "/inject/cluster/prod-eu"
    method: str = "POST"
    headers: Mapping[str, str] = field(default_factory=lambda: BEARER)


def _keep_store(_: Path) -> None:
    """Leave the store as it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """What is called when the store is so, and what comes of it: a fault, or else a decision."""

    name: str
    call: Call
    fault: type[Exception] | None = None
    decision: str = ""
    store: Callable[[Path], object] = _keep_store
    times: int = 1
    named: bool = False  # whether a denial shows the value that it is about
    warm: bool = False  # whether another call comes before the store is so

    @property
    def shows(self) -> bool:
        """Whether the response contains values by design: a patch, or the author's error."""
        return self.named or self.decision in {"inject", "mutate"}

    @property
    def changes(self) -> bool:
        """Whether the store is not as it was."""
        return self.store is not _keep_store


def scenario_code(scenario: Scenario) -> int:
    """The code of the fault in the table."""
    return 200 if scenario.fault is None else TABLE.get(scenario.fault, INTERNAL).code.value


def pod(**metadata: Any) -> bytes:
    """The review of a pod with a secret in every field that can contain one."""
    review: Any = json.loads(load_request("03-kubectl-run").body)
    made = review["request"]["object"]
    own = {"annotations": {"example.com/a": ANNOTATION, "example.com/b": ALIAS}, "labels": {}}
    made["metadata"] = {**made["metadata"], **own, **metadata}
    made["spec"]["imagePullSecrets"] = [{"name": f"{MARK}-pull-secret"}]
    [container] = made["spec"]["containers"]
    container["env"] = [{"name": "A", "value": ENVIRONMENT}, {"name": "B", "value": ALIAS}]
    container["args"] = [f"--password={ENVIRONMENT}"]
    return json.dumps(review).encode()


def edit_review(edit: Callable[[Any], object]) -> bytes:
    """The review, after ``edit`` changed its request."""
    review: Any = json.loads(pod())
    edit(review["request"])
    return json.dumps(review).encode()


def review_with_environment(value: str) -> bytes:
    """The review of a pod with this value in its environment."""
    return edit_review(lambda r: r["object"]["spec"]["containers"][0]["env"][0].update(value=value))


def store_with_failing_template(action: str) -> Callable[[Path], Path]:
    """A store with a template that also runs this action."""
    template = CONFIG.replace("{{ .DeploymentMeta.Name }}", action)
    return lambda folder: write_injector(
        folder, files={**BUNDLE, "injector.yaml": template.encode()}
    )


def policy(text: str) -> Callable[[Path], Path]:
    """A store with this policy for an injector that was not loaded before."""
    return lambda folder: write_injector(folder, "other", policy=text)


def bundle(content: str) -> Callable[[Path], Path]:
    """A store with this manifest for an injector that was not loaded before."""
    return lambda folder: write_injector(
        folder, "other", files={**BUNDLE, "other.yaml": content.encode()}
    )


def callers(text: str) -> Callable[[Path], None]:
    """A store with this document of who may call for a cluster."""
    return lambda folder: write(folder / "auth" / "third.yaml", text.encode())


def denied(text: str) -> Callable[[Path], None]:
    """A store with this deny list, and an injector that was not loaded before."""

    def write_denied(folder: Path) -> None:
        write_injector(folder, "other", policy="policy: enabled")
        (folder / "denied.yaml").write_text(text)

    return write_denied


def make_policy_unreadable(folder: Path) -> None:
    """Replace the policy with a folder: reading it fails for all users, including root."""
    (folder / "other" / "policy.yaml").mkdir(parents=True)


# Policies with a value of the environment, or an annotation's, in the wrong form.
FAULTY_POLICIES = (
    f"features: {{env: {{A: {ALIAS}}}}}",
    f"features: {{env: {{A: !!int {MARK}}}}}",
    f"features: {{env: {{A: {{B: {MARK}}}}}}}",
    f"features: {{env: [A={MARK}]}}",
    f"features: {MARK}",
    f"clusters: [{MARK}]",
    f"injectedAnnotations: {{a: [{MARK}]}}",
    f"injectedAnnotations: {MARK}",
    f"clusters: {{a: {{features: {{env: [A={MARK}]}}}}}}",
)
# Documents of callers with a token where its hash belongs, or elsewhere.
FAULTY_CALLERS = (
    f"tokens: [{TOKEN}]",
    f"tokens: [{{sha256: {TOKEN}}}]",
    f"{TOKEN}: prod",
    f"tokens: [{{{TOKEN}: prod}}]",
    f"tokens: *{TOKEN}",
    f"tokens: !!int {TOKEN}",
    f"? {TOKEN}\n? {TOKEN}",
)
OTHER = "/other/inject/cluster/prod-eu"
ENV = "(index (index .Spec.Containers 0).Env 0).Value"
# Holds for the planted pod and for no probe pod: a template that fails for all is not in force.
IF_ANNOTATED = "{{ if index .ObjectMeta.Annotations `example.com/a` }}"
OVERLAY = """\
apiVersion: podgraft.dev/v1
kind: Overlay
metadata: {name: shout}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
  template: "%s"
"""
RULES = """\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: short}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
  validations: [{expression: "object.spec.containers[0].env.size() < %s"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: short}
spec: {policyName: short, validationActions: [Deny]}
"""


def fault_scenario(
    name: str,
    fault: type[Exception],
    call: Call,
    store: Callable[[Path], object] = _keep_store,
    times: int = 1,
) -> Scenario:
    return Scenario(name=name, fault=fault, call=call, store=store, times=times)


def decision_scenario(
    name: str,
    decision: str,
    call: Call,
    store: Callable[[Path], object] = _keep_store,
    *,
    named: bool = False,
) -> Scenario:
    return Scenario(name=name, decision=decision, call=call, store=store, named=named)


def break_policy(folder: Path) -> None:
    """Break a policy that is in force."""
    write_injector(folder, policy="features: {env: {A: " + ALIAS + "}}")


SCENARIOS = (
    # What a review can end with
    decision_scenario("injected", "inject", Call(pod())),
    decision_scenario(
        "injected by a token in the path", "inject", Call(pod(), f"/k/{TOKEN}/inject")
    ),
    decision_scenario(
        "a dry run", "inject", Call(edit_review(lambda request: request.update(dryRun=True)))
    ),
    Scenario(
        name="an older version answers",
        decision="inject",
        call=Call(pod()),
        store=break_policy,
        warm=True,
    ),
    decision_scenario("declined", "skip", Call(pod(labels={"sidecar.istio.io/inject": "false"}))),
    decision_scenario(
        "a mark that is no word", "inject", Call(pod(labels={"sidecar.istio.io/inject": MARK}))
    ),
    decision_scenario(
        "no creation",
        "skip",
        Call(
            edit_review(lambda r: r.update(operation="DELETE", oldObject=r["object"], object=None))
        ),
    ),
    decision_scenario(
        "mutated",
        "mutate",
        Call(pod(), "/other/mutate"),
        bundle(OVERLAY % "metadata: {annotations: {example.com/x: {{ .ObjectMeta.Name }}}}"),
    ),
    decision_scenario("allowed", "allow", Call(pod(), "/other/validate"), bundle(RULES % "3")),
    decision_scenario(
        "denied by a rule", "deny", Call(pod(), "/other/validate"), bundle(RULES % "1")
    ),
    decision_scenario(
        "an annotation without sense",
        "deny",
        Call(pod(annotations={"proxy.istio.io/config": f"{MARK}: ["})),
        named=True,
    ),
    decision_scenario(
        "a number among the annotations", "deny", Call(pod(annotations={"example.com/a": 424242}))
    ),
    decision_scenario(
        "a list for a pod", "deny", Call(edit_review(lambda r: r.update(object=[ENVIRONMENT])))
    ),
    decision_scenario(
        "an annotation that is structure",
        "deny",
        Call(pod(annotations={"example.com/a": f"x\n{MARK}: [1"})),
        store_with_failing_template('{{ annotation .ObjectMeta "example.com/a" "" }}'),
    ),
    decision_scenario(
        "a function refuses an annotation",
        "deny",
        Call(pod(annotations={"example.com/a": f"{MARK} the 1st"})),
        store_with_failing_template(
            '{{ mustToDate "2006" (annotation .ObjectMeta "example.com/a" "2006") }}'
        ),
        named=True,
    ),
    decision_scenario(
        "a value that is YAML of its own",
        "deny",
        Call(pod()),
        store_with_failing_template("{{ (index (index .Spec.Containers 0).Env 1).Value }}"),
    ),
    decision_scenario(
        "an overlay's value that is YAML of its own",
        "deny",
        Call(pod(), "/other/mutate"),
        bundle(OVERLAY % "a: {{ (index (index .Spec.Containers 0).Env 1).Value }}"),
    ),
    # A value with which the template fails
    decision_scenario(
        "a function refuses a value",
        "deny",
        Call(review_with_environment(f"postgres://a:{MARK}@b:c/")),
        store_with_failing_template(f"{IF_ANNOTATED}{{{{ urlParse {ENV} }}}}{{{{ end }}}}"),
    ),
    decision_scenario(
        "a loop over a value",
        "deny",
        Call(pod()),
        store_with_failing_template(
            f"{IF_ANNOTATED}{{{{ range {ENV} }}}}{{{{ end }}}}{{{{ end }}}}"
        ),
    ),
    decision_scenario(
        "a value compared",
        "deny",
        Call(pod()),
        store_with_failing_template(f"{IF_ANNOTATED}{{{{ eq {ENV} 1 }}}}{{{{ end }}}}"),
    ),
    decision_scenario(
        "an overlay refuses a value",
        "deny",
        Call(pod(), "/other/mutate"),
        bundle(OVERLAY % f"{IF_ANNOTATED}{{{{ mustToDate `2006` {ENV} }}}}{{{{ end }}}}"),
    ),
    # Operator errors
    fault_scenario("an empty body", admission.NotAReviewError, Call(b"")),
    fault_scenario("half a body", admission.NotAReviewError, Call(pod()[:-30])),
    fault_scenario(
        "a key twice", admission.NotAReviewError, Call(b'{"a": "planted", "a": "planted"}')
    ),
    fault_scenario("a pod for a review", admission.NotAReviewError, Call(b'{"data": "planted"}')),
    fault_scenario(
        "a secret among the words",
        admission.NotAReviewError,
        Call(edit_review(lambda request: request.update(uid=[MARK]))),
    ),
    fault_scenario(
        "no credential",
        errors.UnauthenticatedError,
        Call(pod(), headers={"Content-Type": "application/json"}),
    ),
    fault_scenario(
        "another scheme",
        errors.UnauthenticatedError,
        Call(pod(), headers={"Authorization": f"Basic {MARK}"}),
    ),
    fault_scenario(
        "a stranger's token",
        errors.UnauthenticatedError,
        Call(pod(), f"/k/{MARK}/inject", headers={"Authorization": f"Bearer {MARK}"}),
    ),
    fault_scenario(
        "a token and nothing behind it",
        errors.NoRouteError,
        Call(pod(), f"/k/{TOKEN}"),
    ),
    fault_scenario(
        "a token twice", errors.NoRouteError, Call(pod(), f"/k/{TOKEN}/k/{TOKEN}/inject")
    ),
    fault_scenario("a token without its k", UnknownInjectorError, Call(pod(), f"/{TOKEN}/inject")),
    fault_scenario(
        "the tokens of two clusters",
        errors.ForbiddenError,
        Call(pod(), f"/k/{OTHER_TOKEN}/inject"),
    ),
    fault_scenario("no such injector", UnknownInjectorError, Call(pod(), "/nobody/inject")),
    fault_scenario(
        "a method for nothing", errors.UnsupportedMethodError, Call(pod(), method="PUT")
    ),
    fault_scenario(
        "too large",
        admission.TooLargeError,
        Call(b"planted" * (admission.MAX_REQUEST_BYTES // 7 + 1)),
    ),
    fault_scenario(
        "no JSON by its type",
        errors.ContentTypeError,
        Call(pod(), headers={**BEARER, "Content-Type": "text/plain"}),
    ),
    fault_scenario(
        "again and again",
        errors.ThrottledError,
        Call(pod(), f"/k/{MARK}/inject", headers={}),
        times=MAX_FAILURES + 1,
    ),
    # The operator's
    fault_scenario(
        "a template that fails by itself",
        OperatorError,
        Call(pod()),
        store_with_failing_template(
            '{{ if eq (index .Spec.Containers 0).Name "web" }}{{ fail "no" }}{{ end }}'
        ),
    ),
    *(
        fault_scenario(f"policy {number}", NotLoadedError, Call(pod(), OTHER), policy(text))
        for number, text in enumerate(FAULTY_POLICIES)
    ),
    fault_scenario(
        "a bundle with a value for an alias",
        NotLoadedError,
        Call(pod(), OTHER),
        bundle(f"a: {ALIAS}"),
    ),
    fault_scenario(
        "Helm values with a secret in the wrong place",
        NotLoadedError,
        Call(pod(), OTHER),
        bundle(CONFIG.replace('"global": {', f'"global": "{MARK}", "a": {{')),
    ),
    *(
        fault_scenario(f"deny list {number}", UntrustedError, Call(pod(), OTHER), denied(text))
        for number, text in enumerate((f"{MARK}: x", f"a: {ALIAS}", f"- {MARK}"))
    ),
    # The world's
    fault_scenario(
        "a policy that cannot be read", UnavailableError, Call(pod(), OTHER), make_policy_unreadable
    ),
    *(
        fault_scenario(
            f"callers {number}",
            NotLoadedError,
            Call(pod(), headers={**BEARER, "Authorization": f"Bearer {MARK}"}),
            callers(text),
        )
        for number, text in enumerate(FAULTY_CALLERS)
    ),
    # Internal errors
    fault_scenario(
        "a mistake of ours", RuntimeError, Call(pod(annotations={"a": FAILURE_TRIGGER}))
    ),
)


def write_secret_store(folder: Path) -> Path:
    """A valid store with secrets in its policy and bundle."""
    admit(folder, "prod-eu", TOKEN)
    admit(folder, "staging", OTHER_TOKEN)
    features = json.dumps({"env": {"A": ENVIRONMENT}})
    annotations = json.dumps({"example.com/of-the-policy": ANNOTATION})
    return write_injector(
        folder, policy=f"features: {features}\ninjectedAnnotations: {annotations}\n"
    )
