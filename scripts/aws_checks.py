"""The ten checks of ``aws_check.py``: what only an account of AWS can show.

Each check is a function of a stack. It raises ``CheckError`` with what differs, or returns what it
measured. No check deletes anything: ``aws_check.py`` does that at the end.
"""

import json
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

ROOT = Path(__file__).parents[1]
REVIEWS = ROOT / "functions" / "probe" / "reviews.json"
LOG_POLICY_CHARACTERS = 5120  # the limit of the resource policy of CloudWatch Logs
CLUSTER = "check"
OK, UNAUTHORIZED, FORBIDDEN = 200, 401, 403
# SAM keeps the earlier value of a parameter that a deployment does not name.
_USUAL_LIMITS = ("ThrottlingRateLimit=500", "ThrottlingBurstLimit=200")
_PAUSE_SECONDS = 5.0


class CheckError(Exception):
    """AWS behaved differently from what podgraft expects."""


class Send(Protocol):
    """Sends an HTTP request, and returns its status; 0 without a response."""

    def __call__(self, url: str, token: str = "", body: bytes | None = None) -> int:
        """Send GET without a body, and POST with one."""
        ...


def send_request(url: str, token: str = "", body: bytes | None = None) -> int:
    """Send a request over HTTPS."""
    headers = {"Content-Type": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    request = urllib.request.Request(url, body, headers)  # noqa: S310  https, by the stack
    try:
        with urllib.request.urlopen(request, timeout=40) as response:  # noqa: S310
            return int(response.status)
    except urllib.error.HTTPError as error:
        error.close()
        return error.code
    except OSError:
        return 0


def run_command(*command: str) -> str:
    """Run a program in the source tree, and return its output; raises ``CheckError``."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CheckError(f"{' '.join(command)}: {(done.stderr or done.stdout).strip()[-800:]}")
    return done.stdout


@dataclass(frozen=True, slots=True, kw_only=True)
class Stack:
    """The stack of the checks; tests replace the clients, the programs, the requests, and time."""

    name: str
    client: Callable[[str], Any]
    run: Callable[..., str] = run_command
    send: Send = send_request
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic
    parameters: Sequence[str] = ()  # of the custom domain, for check 10
    tokens: dict[str, str] = field(default_factory=dict[str, str])

    def deploy(self, *parameters: str) -> float:
        """Deploy with parameters, and return the minutes."""
        started = self.clock()
        self.run("make", "deploy", f"OVERRIDES={' '.join(parameters)}")
        return (self.clock() - started) / 60

    @property
    def outputs(self) -> Mapping[str, str]:
        """The outputs of the stack."""
        [stack] = self.client("cloudformation").describe_stacks(StackName=self.name)["Stacks"]
        return {each["OutputKey"]: each["OutputValue"] for each in stack["Outputs"]}

    def find_name(self, resource: str) -> str:
        """The name that AWS gave a resource of the template."""
        detail = self.client("cloudformation").describe_stack_resource(
            StackName=self.name, LogicalResourceId=resource
        )["StackResourceDetail"]
        return str(detail["PhysicalResourceId"])

    def read_live(self) -> Mapping[str, Any]:
        """The configuration of the live version."""
        return self.client("lambda").get_function_configuration(
            FunctionName=self.outputs["FunctionAlias"].rpartition(":")[0], Qualifier="live"
        )

    def issue_token(self) -> str:
        """A token of the cluster of the checks, in force after the refresh interval."""
        if CLUSTER not in self.tokens:
            self.tokens[CLUSTER] = self.run(
                *(
                    sys.executable,
                    *("-m", "podgraft", "tokens", "issue"),
                    *("--config", f"stack:{self.name}", "--cluster", CLUSTER),
                )
            ).strip()
            self.sleep(35)
        return self.tokens[CLUSTER]

    def review(self, token: str, padding: int = 0) -> int:
        """The status of a review of a recorded pod, with *padding* bytes in an annotation."""
        body: Any = json.loads(REVIEWS.read_text())["01-deployment-pod"]
        if padding:
            body["request"]["object"]["metadata"]["annotations"] = {"padding": "x" * padding}
        return self.send(
            f"{self.outputs['Endpoint']}/istio/inject", token, json.dumps(body).encode()
        )

    def review_at_once(self, token: str, count: int) -> Counter[int]:
        """The statuses of *count* reviews at the same time."""
        with ThreadPoolExecutor(count) as pool:
            return Counter(pool.map(self.review, [token] * count))

    def wait_for(self, item: str, is_so: Callable[[], bool], seconds: float) -> float:
        """Wait until something is so, and return the seconds; raises ``CheckError``."""
        started = self.clock()
        while not is_so():
            if self.clock() - started > seconds:
                raise CheckError(f"{item}: not so after {seconds:.0f} s")
            self.sleep(_PAUSE_SECONDS)
        return self.clock() - started


def expect(item: str, expected: object, got: object) -> None:
    """Raise ``CheckError`` if two values differ."""
    if expected != got:
        raise CheckError(f"{item}: expected {expected}, got {got}")


def check_deployment(stack: Stack) -> str:
    """The template deploys into an empty account, and its access log fits into the log policy."""
    minutes = stack.deploy(
        "StartMode=on-demand", "GradualDeployment=true", "DeploymentType=AllAtOnce"
    )
    policies = stack.client("logs").describe_resource_policies()["resourcePolicies"]
    size = max((len(each["policyDocument"]) for each in policies), default=0)
    if size > LOG_POLICY_CHARACTERS * 0.9:
        raise CheckError(f"log policy: got {size} of {LOG_POLICY_CHARACTERS} characters")
    return f"{minutes:.1f} minutes; log policy {size} of {LOG_POLICY_CHARACTERS} characters"


def check_review(stack: Stack) -> str:
    """A push, a token, and a review work with the roles of the stack; others get 401."""
    stack.run(
        *(sys.executable, "-m", "podgraft", "policy", "push", "samples/istio"),
        *("--injector", "istio", "--config", f"stack:{stack.name}"),
    )
    token = stack.issue_token()
    expect("review", OK, stack.review(token))
    expect("review without a token", UNAUTHORIZED, stack.review(""))
    expect("/readyz", OK, stack.send(f"{stack.outputs['Endpoint']}/readyz"))
    return "200, 401, and ready"


def check_update(stack: Stack) -> str:
    """A changed parameter reaches the live version."""
    before = stack.read_live()["Version"]
    stack.deploy("RefreshSeconds=31")
    live = stack.read_live()
    expect("refresh", "31", live["Environment"]["Variables"]["PODGRAFT_REFRESH_SECONDS"])
    return f"version {before} to {live['Version']}"


def check_gradual_deployment(stack: Stack) -> str:
    """The deployment check may report to CodeDeploy, and the traffic shifts.

    The deployment is that of the check before.
    """
    codedeploy = stack.client("codedeploy")
    found = codedeploy.list_deployments(
        applicationName=stack.find_name("ServerlessDeploymentApplication"),
        deploymentGroupName=stack.find_name("WebhookDeploymentGroup"),
    )["deployments"]
    if not found:
        raise CheckError("CodeDeploy: got no deployment; the update did not shift traffic")
    deployment = codedeploy.get_deployment(deploymentId=found[0])["deploymentInfo"]
    expect("deployment; read the log of the probe", "Succeeded", deployment["status"])
    seconds = (deployment["completeTime"] - deployment["createTime"]).total_seconds()
    return f"{seconds / 60:.1f} minutes; an hour means that the probe may not report"


def check_provisioned_concurrency(stack: Stack) -> str:
    """Provisioned concurrency is ready with a new version."""
    limit = stack.client("lambda").get_account_settings()["AccountLimit"]
    if limit["UnreservedConcurrentExecutions"] < 102:  # noqa: PLR2004 — 2, and 100 unreserved
        return "omitted: a new account cannot provision; its quota is 10"
    stack.deploy(
        *("GradualDeployment=false", "StartMode=provisioned"),
        *("ProvisionedConcurrency=2", "RefreshSeconds=32"),
    )
    status = stack.client("lambda").get_provisioned_concurrency_config(
        FunctionName=stack.outputs["FunctionAlias"].rpartition(":")[0], Qualifier="live"
    )
    expect("provisioned concurrency", "READY", status["Status"])
    return "ready with a new version"


def check_snapstart(stack: Stack) -> str:
    """Restored environments reject a token that was revoked after the snapshot."""
    stack.deploy("StartMode=snapstart")
    expect("SnapStart", "On", stack.read_live()["SnapStart"]["OptimizationStatus"])
    token = stack.issue_token()
    expect("review before", OK, stack.review(token))
    stack.client("ssm").delete_parameter(Name=f"/{stack.name}/auth/{CLUSTER}")
    del stack.tokens[CLUSTER]
    stack.sleep(120)  # Lambda freezes the environment; more requests at once restore others
    expect("reviews after", Counter({UNAUTHORIZED: 20}), stack.review_at_once(token, 20))
    return "20 times 401 after 2 idle minutes"


def check_edges(stack: Stack) -> str:
    """The statuses of large bodies, and of more requests than ThrottlingRateLimit."""
    token = stack.issue_token()
    sizes = {f"{size} MB": stack.review(token, size * 1_000_000) for size in (4, 5, 7, 11)}
    stack.deploy("ThrottlingRateLimit=1", "ThrottlingBurstLimit=1")
    flood = stack.review_at_once(token, 50)
    if not flood[429]:
        raise CheckError(f"50 requests with a limit of 1: expected 429 among them, got {flood}")
    return f"bodies: {sizes}; a flood of 50: {dict(flood)}"


def check_functions(stack: Stack) -> str:
    """The guard sets the brake, and the watch and the cleanup run with their roles."""
    cloudwatch, ssm = stack.client("cloudwatch"), stack.client("ssm")
    alarm, brake = stack.find_name("CandidateFailuresAlarm"), f"/{stack.name}/brake"
    cloudwatch.set_alarm_state(AlarmName=alarm, StateValue="ALARM", StateReason="aws_check.py")

    def is_set() -> bool:
        found = ssm.get_parameters(Names=[brake])["Parameters"]
        return bool(found) and "aws_check.py" in found[0]["Value"]

    seconds = stack.wait_for("brake", is_set, 120)
    ssm.delete_parameter(Name=brake)
    watch = (("Watch", {"check": each}) for each in ("reviews", "clusters"))
    for name, payload in (*watch, ("Cleanup", {})):
        response = stack.client("lambda").invoke(
            FunctionName=stack.find_name(name), Payload=json.dumps(payload).encode()
        )
        expect(f"error of {name}", None, response.get("FunctionError"))
    return f"brake after {seconds:.0f} s; the watch and the cleanup ended without an error"


def check_many_clusters(stack: Stack) -> str:
    """120 clusters and 50 new environments at once: how many reviews get no 200."""
    token, ssm = stack.issue_token(), stack.client("ssm")
    name = f"/{stack.name}/auth"
    value = ssm.get_parameter(Name=f"{name}/{CLUSTER}", WithDecryption=True)["Parameter"]["Value"]
    for number in range(120):
        ssm.put_parameter(
            Name=f"{name}/{CLUSTER}-{number}", Value=value, Type="SecureString", Overwrite=True
        )
        stack.sleep(0.4)
    stack.deploy("RefreshSeconds=34", *_USUAL_LIMITS)
    started = stack.clock()
    statuses = stack.review_at_once(token, 50)
    return f"{dict(statuses)} in {stack.clock() - started:.1f} s"


def check_mutual_tls(stack: Stack) -> str:
    """With a truststore, the domain of the API is disabled."""
    if not stack.parameters:
        return "omitted: give the parameters of the domain, as for make deploy"
    api = stack.client("apigatewayv2").get_api(ApiId=stack.find_name("Api"))["ApiEndpoint"]
    stack.deploy(*stack.parameters, *_USUAL_LIMITS)
    expect("domain of the API", FORBIDDEN, stack.send(f"{api}/readyz"))
    return "403 on the domain of the API"
