"""Commands against the test cluster: one table for both ways to run them.

test_live.py runs them with a real kube-apiserver and records its responses. test_replay.py runs
them with the recorded responses, without Go.
"""

from dataclasses import dataclass

BUNDLE = "--config {folder}/configured"


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveScenario:
    """A command line, its exit status, and parts of its output.

    ``state`` is the state of the cluster. ``absent`` is text that must not be printed.
    """

    name: str
    command: str
    state: str = "istio"
    status: int = 0
    out: tuple[str, ...] = ()
    err: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    page_size: int = 500


ROLE = "bind the ClusterRole podgraft-reader to this user (docs/explain.md)"

SCENARIOS = (
    LiveScenario(
        name="several revisions",
        command="import istio {folder}/all",
        out=(
            "imported revision canary, Istio 1.30.3:",
            "all/canary/bundle/injector.yaml",
            "imported revision default, Istio 1.30.3:",
            "all/default/policy.yaml",
        ),
        err=("register with --istio-cluster-id east", "--revision default"),
    ),
    LiveScenario(
        name="several revisions in one configuration",
        command="inject -f {samples}/istio/input.web.yaml --config cluster",
        status=1,
        err=("has several revisions of Istio: canary, default; choose one with --revision",),
    ),
    LiveScenario(
        name="import",
        command="import istio {folder}/mesh --revision default",
        out=(
            "imported revision default, Istio 1.30.3:",
            "mesh/bundle/injector.yaml",
            "mesh/policy.yaml",
        ),
        err=(
            "podgraft compare -A --config",
            "--revision default",
            "its selectors are not those of",
        ),
    ),
    LiveScenario(
        name="import with warnings",
        command="import istio {folder}/canary --revision canary",
        err=(
            "istiod: variable PLATFORM: its value is in another object; set it in the policy",
            "istiod: SHARED_MESH_CONFIG: ConfigMap istio-system/shared: not found; istiod ignores",
            "register with --istio-cluster-id east",
        ),
    ),
    LiveScenario(
        name="an unknown revision",
        command="import istio {folder}/new --revision blue",
        status=1,
        err=("ConfigMap istio-system/istio-sidecar-injector-blue: not found",),
    ),
    # comparing
    LiveScenario(
        name="identical",
        command="compare --revision default",
        out=("4 of 4 injected pods are identical",),
        absent=("spec.",),
    ),
    LiveScenario(
        name="identical, page by page",
        command="compare --revision default -A",
        page_size=2,
        out=("4 of 4 injected pods are identical",),
    ),
    LiveScenario(
        name="pods of several revisions",
        command="compare -A",
        out=("5 of 5 injected pods are identical",),
        err=("revision podgraft: not checked: ", "for pods of podgraft, use --config FOLDER"),
    ),
    LiveScenario(
        name="another revision",
        command="compare -n canary --revision canary",
        out=("1 of 1 injected pods are identical",),
    ),
    LiveScenario(
        name="a selector",
        command="compare -n shop -l app=vault --revision default -o json",
        out=('"compared": 1', '"identical": 1'),
    ),
    LiveScenario(
        name="a bundle of podgraft",
        command="compare -n moved --config {folder}/configured",
        out=("1 of 1 injected pods are identical",),
    ),
    LiveScenario(
        name="an overlay",
        command="compare -n shop --config {samples}/vault-agent/bundle",
        out=("1 of 1 injected pods are identical",),
    ),
    LiveScenario(
        name="no pods",
        command="compare -n plain --revision default",
        err=("no injected pod is selected",),
    ),
    LiveScenario(
        name="different images",
        state="upgraded",
        command="compare --revision default",
        status=1,
        out=(
            "0 of 4 injected pods are identical",
            "spec.containers[istio-proxy].image",
            "proxyv2:1.30.3",
            "proxyv2:1.31.0",
            "4 pods: shop/vault-6d4cf56db6-abc0, shop/web-6d4cf56db6-abc0, shop/web-",
        ),
    ),
    # the state of namespaces
    LiveScenario(
        name="status",
        command="status",
        out=(
            "NAMESPACE",
            "shop",
            "istiod at localhost:",
            "podgraft (podgraft) at localhost:",
            "1 pod without sidecar",
            "shop/early-6d4cf56db6-abc0",
            "CA DAYS",
        ),
        err=(
            "webhook old.inject.podgraft.dev: calls old.example.com instead of localhost:",
            "service istio-system/istiod-gone: not found",
        ),
    ),
    LiveScenario(
        name="status after an upgrade",
        state="upgraded",
        command="status -n shop -o json",
        out=('"missing": [', "early-6d4cf56db6-abc0", '"outdated": [', "vault-6d4cf56db6-abc0"),
    ),
    # live objects
    LiveScenario(
        name="explain a pod",
        command="explain pod/web-6d4cf56db6-abc0 -n shop",
        out=(
            "Pod/web-6d4cf56db6-abc0 in shop",
            "webhook namespace.sidecar-injector.istio.io",
            "namespaceSelector  matches",
            "injected",
        ),
        absent=("runs without a sidecar",),
    ),
    LiveScenario(
        name="explain a pod without its sidecar",
        command="explain pod early-6d4cf56db6-abc0",
        out=("the pod runs without a sidecar, and a new pod is injected; restart its workload",),
    ),
    LiveScenario(
        name="explain a namespace without injection",
        command="explain replicaset/web-6d4cf56db6 -n plain --revision default",
        status=3,
        out=("not injected", "namespaceSelector", "does not match"),
    ),
    LiveScenario(
        name="explain the pods of another revision",
        command="explain pods -n canary -o json",
        out=('"verdict": "injected"',),
    ),
    LiveScenario(
        name="explain without istiod",
        command="explain pods -n plain -i nowhere",
        status=3,
        out=(
            "namespaceSelector",
            "no webhook matches: the namespace has no label istio-injection=enabled, or ",
        ),
        absent=("not found",),
    ),
    LiveScenario(
        name="explain a pod of podgraft without its configuration",
        command="explain pod/web-6d4cf56db6-abc0 -n moved",
        status=1,
        err=(
            "webhook podgraft.inject.podgraft.dev sends the pod to podgraft, injector podgraft",
            "its configuration is not in the cluster: name it with --config stack:NAME",
        ),
    ),
    LiveScenario(
        name="explain with a bundle",
        command="explain rs -n moved --injector podgraft --config {folder}/configured -o json",
        out=('"verdict": "injected"',),
    ),
    # the configuration of the cluster
    LiveScenario(
        name="inject",
        command="inject -f {samples}/istio/input.web.yaml --webhook --config cluster "
        "--revision default",
        out=("name: istio-proxy",),
        err=("injected 1 of 1 workloads",),
    ),
    # errors
    LiveScenario(
        name="no access",
        command="status --context nobody",
        status=1,
        err=('cannot list resource "mutatingwebhookconfigurations"', ROLE),
    ),
    LiveScenario(
        name="no access to a pod",
        command="explain pod/web-6d4cf56db6-abc0 --context nobody",
        status=1,
        err=('User "nobody" cannot get resource "pods"', ROLE),
    ),
    LiveScenario(
        name="an unknown pod",
        command="explain pod/nope",
        status=1,
        err=('pods "nope" not found; check the name, -n, and --context',),
    ),
    LiveScenario(
        name="an unknown context",
        command="compare --context nope",
        status=1,
        err=("--context nope: not found in the kubeconfig",),
    ),
)
STATES = tuple(dict.fromkeys(scenario.state for scenario in SCENARIOS))
