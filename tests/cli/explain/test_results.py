"""Exit status, and the steps of each kind of bundle, as ``podgraft explain`` prints them."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

import click
import pytest

from podgraft import cli
from podgraft.base.jsonvalue import JSON, Object, object_at, objects_at
from podgraft.cli.explain import webhooks
from podgraft.kube import yaml
from support.config_folder import write_folder

SAMPLES = Path(__file__).parents[3] / "samples"

# Runs explain over a sample's bundle: exit status, standard output, standard error.
Run = Callable[..., tuple[int, str, str]]

POD: Object = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "web", "namespace": "shop"},
    "spec": {"containers": [{"name": "web", "image": "web:1"}]},
}
RULES: Object = {
    "apiGroups": ["*"],
    "apiVersions": ["*"],
    "operations": ["*"],
    "resources": ["*"],
}


def pod(**metadata: JSON) -> Object:
    return {**POD, "metadata": {**object_at(POD, "metadata"), **metadata}}


def workload(kind: str, api_version: str = "apps/v1", **annotations: JSON) -> Object:
    template: Object = {"metadata": {"labels": {"app": "web"}}, "spec": POD["spec"]}
    spec: Object = {"template": template}
    if kind == "CronJob":
        spec = {"jobTemplate": {"metadata": {"labels": {"of": "job"}}, "spec": spec}}
    metadata: Object = {"name": "web", "namespace": "shop", "annotations": annotations}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": spec}


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    def ran(
        sample: str | Path, *documents: Object, options: tuple[str, ...] = ()
    ) -> tuple[int, str, str]:
        path = tmp_path / "given.yaml"
        path.write_text("---\n".join(map(yaml.dump, documents)))
        bundle = SAMPLES / sample / "bundle" if isinstance(sample, str) else sample
        status = cli.main(["explain", "-f", str(path), "--config", str(bundle), *options])
        printed = capsys.readouterr()
        return status, click.unstyle(printed.out), printed.err

    return ran


HOSTILE = pod(annotations={"logging.example.com/path": 'a: "b"\n- c'})
LOGGED = pod(annotations={"logging.example.com/path": "/var/log"})
SERVICE: Object = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}}


@dataclass(frozen=True, slots=True)
class Case:
    """Documents over a sample, the exit status, and lines of the tree."""

    name: str
    sample: str
    documents: tuple[Object, ...]
    status: int
    lines: tuple[str, ...]


CASES = (
    Case(
        "an overlay that changes the pod",
        "logging",
        (LOGGED,),
        0,
        (
            "✓ overlay logging       matches, and changes the object",
            "podgraft /mutate, Pod/web",
            "overlay logging  matches, and the object already is as the overlay sets it",
            "init containers log-shipper",
        ),
    ),
    Case(
        "an overlay whose condition is false",
        "logging",
        (POD,),
        3,
        (
            "overlay logging       does not match: matchConditions: wants-logs-followed is false",
            "skip (nothing-matches)  ◀ decides",
        ),
    ),
    Case(
        "an overlay whose constraint does not match",
        "allow",
        (POD,),
        3,
        ("overlay allow         does not match: resourceRules do not contain CREATE of pods.v1",),
    ),
    Case(
        "an overlay that refuses the pod's text",
        "logging",
        (HOSTILE,),
        4,
        (
            "! overlay logging       matches, and fails for the object",
            "◀ decides: /metadata/annotations/logging.example.com~1path",
        ),
    ),
    Case(
        "the pod's mesh",
        "appmesh",
        (pod(labels={"app": "checkout", "virtual-node": "vn"}),),
        4,
        (
            "mesh shop             selects the pod (labelSelector app=checkout)",
            "the pod has no containerPort",
        ),
    ),
    Case(
        "no mesh",
        "appmesh",
        (POD,),
        3,
        ("mesh shop             does not select the pod (labelSelector app=checkout)",),
    ),
    Case(
        "an overlay and a rule of a workload",
        "allow",
        (workload("Deployment"),),
        0,
        (
            "✓ overlay allow  matches, and changes the object",
            "rule allow  matches; validations: 1",
            "changed, decided by overlay allow: matches, and changes the object",
        ),
    ),
    Case(
        "a rule that denies a workload, the pod of which is not created",
        "allow",
        (workload("Deployment", **{"web/Allow": "no"}),),
        4,
        ('Deny: annotation web/Allow says "no"; only "true" lets a Deployment in',),
    ),
    Case(
        "a rule that denies the pod of a workload",
        "require-limits",
        (workload("Deployment"),),
        4,
        (
            "podgraft /validate, Deployment/web",
            "podgraft /validate, Pod/web-0123456789-",
            "Deny: give a CPU request to web",
        ),
    ),
    Case(
        "the pod of a Job has the labels of its controller",
        "istio",
        (workload("Job", "batch/v1"),),
        3,
        ("neverInjectSelector   number 1 of 1 matches",),
    ),
    Case("the worst of several: skipped", "logging", (LOGGED, POD), 3, ()),
    Case("the worst of several: denied", "logging", (LOGGED, POD, HOSTILE), 4, ()),
    Case(
        "an object that no route is for does not count",
        "istio",
        (SERVICE, POD),
        0,
        ("Service/web in default\n╰─ not reviewed", "Pod/web in shop"),
    ),
    Case("no object that a route is for", "istio", (SERVICE,), 3, ("not reviewed",)),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_each_step_is_shown_and_the_exit_status_follows(case: Case, run: Run) -> None:
    status, text, _ = run(case.sample, *case.documents)
    assert status == case.status, text
    for line in case.lines:
        assert _squeeze(line) in _squeeze(text)


def _squeeze(text: str) -> str:
    """The text without the padding of its columns."""
    return re.sub(" +", " ", text)


FAILING = """apiVersion: podgraft.dev/v1
kind: Overlay
metadata: {name: broken}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*"]}]
  template: 'spec: {{ fail "no" }}'
"""


def test_a_review_that_fails_is_1_and_the_worst(run: Run, tmp_path: Path) -> None:
    bundle = tmp_path / "bundle"
    bundle.mkdir()
    (bundle / "overlay.yaml").write_text(FAILING)
    status, text, _ = run(bundle, POD, HOSTILE)
    assert status == 1
    decision = "! result fail (operator) ◀ decides: overlay broken: the template"
    assert decision in _squeeze(text)


def registered(*routes: str, **more: JSON) -> Object:
    listed: list[JSON] = [
        {
            "name": f"{number}.example.com",
            "clientConfig": {"url": f"https://sidecars.example.com/{route}"},
            "rules": [RULES],
            **more,
        }
        for number, route in enumerate(routes)
    ]
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "MutatingWebhookConfiguration",
        "metadata": {"name": "podgraft"},
        "webhooks": listed,
    }


def routes_of(text: str) -> list[JSON]:
    return [review["route"] for review in objects_at(json.loads(text), "reviews")]


def test_the_registered_webhooks_are_called_in_their_order(run: Run, tmp_path: Path) -> None:
    """Those of the validating configuration come last, wherever they are in the file."""
    validating = registered("k/secret/shop/validate") | {"kind": "ValidatingWebhookConfiguration"}
    mutating = registered("shop/mutate", "k/secret/shop/inject/cluster/c1")
    path = tmp_path / "webhooks.yaml"
    path.write_text("---\n".join(map(yaml.dump, [validating, mutating])))
    options = ("--webhook-config", str(path), "--output", "json")

    status, text, _ = run("logging", LOGGED, options=options)
    assert (status, routes_of(text)) == (0, ["mutate", "inject", "validate"])
    assert "secret" not in text


URLS = (
    ("", "inject", "default", ""),
    ("https://a.example/inject", "inject", "default", ""),
    ("https://a.example/inject/cluster/c1/net/n1", "inject", "default", "cluster/c1/net/n1"),
    ("https://a.example/shop/mutate/", "mutate", "shop", ""),
    ("https://a.example/k/secret/shop/inject/net/n1", "inject", "shop", "net/n1"),
    ("https://a.example/k/inject/validate", "validate", "default", ""),
)


@pytest.mark.parametrize(("url", "route", "injector", "path"), URLS)
def test_a_url_names_route_injector_and_variables(
    url: str, route: str, injector: str, path: str
) -> None:
    manifest = registered("inject")
    (webhook,) = objects_at(manifest, "webhooks")
    if url:
        webhook["clientConfig"] = {"url": url}
    else:
        del webhook["clientConfig"]
    (read,) = webhooks.read_webhooks([manifest], Path("a.yaml"), None)
    assert (read.route, read.injector, read.url_path) == (route, injector, path)


def test_a_service_has_the_same_routes() -> None:
    service: Object = {"name": "podgraft", "namespace": "a", "path": "/shop/validate"}
    manifest = registered("inject")
    (webhook,) = objects_at(manifest, "webhooks")
    webhook["clientConfig"] = {"service": service}
    (read,) = webhooks.read_webhooks([manifest], Path("a.yaml"), None)
    assert (read.route, read.injector) == ("validate", "shop")


def test_a_failure_that_the_registration_ignores_lets_the_pod_pass(
    run: Run, tmp_path: Path
) -> None:
    bundle = tmp_path / "bundle"
    bundle.mkdir()
    (bundle / "overlay.yaml").write_text(FAILING)
    path = tmp_path / "webhooks.yaml"
    for policy, routes in (("Ignore", ["inject", "validate"]), ("Fail", ["inject"])):
        path.write_text(yaml.dump(registered("inject", "validate", failurePolicy=policy)))
        options = ("--webhook-config", str(path), "--output", "json")
        status, text, _ = run(bundle, POD, options=options)
        assert (status, routes_of(text)) == (1, routes)


WRONG = (
    (POD, (), "got kind Pod"),
    (registered("metrics"), (), "no webhook calls podgraft"),
    (registered("a/inject", "b/inject"), (), "call several injectors: a, b; name the bundle's"),
    (registered("a/inject"), ("--injector", "c"), "no webhook calls injector c; use a"),
)


@pytest.mark.parametrize(("manifest", "options", "words"), WRONG)
def test_an_invalid_registration_names_the_file(
    manifest: Object, options: tuple[str, ...], words: str, run: Run, tmp_path: Path
) -> None:
    path = tmp_path / "webhooks.yaml"
    path.write_text(yaml.dump(manifest))
    status, _, err = run("istio", POD, options=("--webhook-config", str(path), *options))
    assert status == 1
    assert err.startswith(f"error: {path}: ")
    assert words in err


def test_one_injector_of_several_is_chosen(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "webhooks.yaml"
    path.write_text(yaml.dump(registered("a/mutate", "b/inject")))
    options = ("--webhook-config", str(path), "--injector", "b", "--output", "json")
    status, text, _ = run("istio", POD, options=options)
    assert (status, routes_of(text)) == (0, ["inject"])


def test_the_overrides_of_a_cluster_are_explained(run: Run, tmp_path: Path) -> None:
    policy = "policy: enabled\nclusters: {staging: {policy: disabled}}\n"
    folder = write_folder(tmp_path / "a", "istio", policy)
    for cluster, status, words in (
        ("staging", 3, ""),
        ("prod", 0, "--cluster prod: the policy has no overrides for it; it has staging"),
    ):
        got, _, err = run(Path(folder), POD, options=("--cluster", cluster))
        assert got == status
        assert words in err


def test_the_picture_shows_every_stage(run: Run) -> None:
    _, text, _ = run("logging", HOSTILE, options=("--output", "svg"))
    root = ET.fromstring(text)  # noqa: S314 — our own output
    words = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "podgraft /inject, Pod/web" in words
    assert "overlay logging" in words
    assert "denies" in words


ANSWER = {"decision", "reason", "allowed", "changed", "code", "message"}
KEYS = {
    *("subject", "injected", "verdict", "conclusion", "stages", "reviews", "sidecars"),
    *("warnings", "objects"),
}


def test_the_keys_of_json_are_stable(run: Run) -> None:
    _, text, _ = run("logging", LOGGED, options=("--output", "json"))
    told: Object = json.loads(text)
    (stage, *_), (review, *_) = objects_at(told, "stages"), objects_at(told, "reviews")
    (station, *_) = objects_at(stage, "steps")
    assert set(told) == KEYS
    assert set(stage) == {"name", "object", "route", "steps"}
    assert set(station) == {"name", "observed", "outcome", "isDeciding", "reason", "reached"}
    assert set(review) == {"object", "route", "warnings", *ANSWER}
    assert (told["injected"], told["verdict"]) == (True, "injected")


MUTATIONS = (
    (
        "web",
        {
            "mutation no-new-privileges, binding no-new-privileges": (
                "matches: add spec.containers[*].securityContext"
            ),
            "mutation team-defaults, binding team-defaults": (
                "matches: add metadata.labels; add spec.containers[*].env; "
                "add spec.containers[*].env[LOG_LEVEL]"
            ),
        },
    ),
    (
        "other",
        {
            "mutation no-new-privileges, binding no-new-privileges": (
                "matches, and changes nothing"
            ),
            "mutation team-defaults, binding team-defaults": (
                "is not invoked: no parameters found"
            ),
        },
    ),
)


@pytest.mark.parametrize(("name", "steps"), MUTATIONS)
def test_each_mutation_states_its_change_or_reason(
    run: Run, name: str, steps: dict[str, str]
) -> None:
    document = yaml.load((SAMPLES / f"mutating-policy/input.{name}.yaml").read_text())

    _, text, _ = run("mutating-policy", document)
    _, printed, _ = run("mutating-policy", document, options=("-o", "json"))

    for step, observed in steps.items():
        assert re.search(rf"{re.escape(step)} +{re.escape(observed)}", text)
    stage = objects_at(json.loads(printed), "stages")[0]
    found = {(each["name"], each["observed"]) for each in objects_at(stage, "steps")}
    assert steps.items() <= found
