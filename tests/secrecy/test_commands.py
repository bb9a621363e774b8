"""What the programs at a terminal may show: what they are asked to print, where they print it.

Standard error ends in the logs of pipelines: nothing secret is on it, whatever fails. Standard
output may hold values where printing them is the command's work.
"""

import itertools
import json
import re
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, SupportsIndex

import click
import pytest
from botocore.client import BaseClient
from botocore.exceptions import ClientError
from botocore.session import get_session

from podgraft import cli
from podgraft.base import system
from podgraft.cli import documents, offline
from podgraft.cli.policy.cloud import DeployedInjector
from podgraft.cli.storage import StoredDocument
from podgraft.cli.storage.parameters import ParameterDocuments
from podgraft.cli.tokens import issuance
from podgraft.core.review_context import ReviewContext
from podgraft.kube import yaml
from secrecy.calls import ENV, FAULTY_CALLERS, FAULTY_POLICIES, OVERLAY, RULES, pod
from secrecy.known_secrets import ALIAS, ANNOTATION, ENVIRONMENT, MARK, find_secrets
from service.store.aws_fault_proxy import faulty_aws
from support.aws_account import deploy_stack
from support.fake_cluster import use_cluster
from support.local_snapshot import load_snapshot
from support.store_fixture import BUNDLE, CONFIG, TOKEN


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A command line in a folder with secrets in every file, and what comes of it.

    ``shows`` tells that values on standard output, or in an explanation, are what was asked for.
    """

    command_line: str
    status: int = 0
    may_print: bool = False
    files: Mapping[str, str] = field(default_factory=dict[str, str])


def bundle_with_failing_template(action: str) -> Mapping[str, str]:
    """A bundle with a template that also runs this action."""
    return {"bundle/injector.yaml": CONFIG.replace("{{ .DeploymentMeta.Name }}", action)}


POD: Any = json.loads(pod())["request"]["object"]
SPEC = yaml.dump(POD)
FILES: Mapping[str, str] = {
    **{f"bundle/{path}": content.decode() for path, content in BUNDLE.items()},
    "policy.yaml": f"features: {json.dumps({'env': {'A': ENVIRONMENT}})}\n"
    f"injectedAnnotations: {json.dumps({'example.com/p': ANNOTATION})}\n",
    "pod.yaml": SPEC,
    "fleet.yaml": "apiVersion: podgraft.dev/v1\nkind: Fleet\nspec: {groups: {r: {}}, clusters: "
    "{a: {groups: [r]}}}\n",
    "token": f"{TOKEN}\n",
    "passphrase": f"{MARK}-passphrase\n",
    "key.pem": f"-----BEGIN PRIVATE KEY-----\n{MARK}\n-----END PRIVATE KEY-----\n",
}
EXPORTED = f"metadata: {{labels: {{a: {MARK}}}}}"
LOCAL = "--config ."
REMOTE = "--injector shop --parameter-prefix /podgraft"
URL = "podgraft register --namespace-selector a=b --url https://a.example"
BROKEN_PODS: Sequence[Mapping[str, str]] = (
    {"pod.yaml": SPEC + f"x: {ALIAS}\n"},
    {"pod.yaml": SPEC + f"x: !!int {MARK}\n"},
    {"pod.yaml": SPEC + f"x: '{MARK}\n"},
    {"pod.yaml": f"- {MARK}\n"},
    {"pod.yaml": yaml.dump({**POD, "spec": {"containers": MARK}})},
)
FAILING: Sequence[Mapping[str, str]] = (
    bundle_with_failing_template(f"{{{{ range {ENV} }}}}{{{{ end }}}}"),
    bundle_with_failing_template(f"{{{{ mustToDate `2006` {ENV} }}}}"),
    bundle_with_failing_template("{{ (index (index .Spec.Containers 0).Env 1).Value }}"),
)
BAD_POLICIES: Sequence[Mapping[str, str]] = tuple({"policy.yaml": each} for each in FAULTY_POLICIES)
BAD_BUNDLES: Sequence[Mapping[str, str]] = (
    {"bundle/other.yaml": f"a: {ALIAS}\n"},
    {"bundle/other.yaml": f"{MARK}\n"},
    {"bundle/other.yaml": OVERLAY % "{{ if }}" + f"  values: [{MARK}]\n"},
    {"bundle/other.yaml": OVERLAY % "a: b" + f"  valeus: {{a: {MARK}}}\n"},
)


def make_tests(expectation: str) -> Mapping[str, str]:
    """A test file for the pod."""
    head = "apiVersion: podgraft.dev/v1\nkind: Test\n"
    test = f"{{name: web, file: pod.yaml, expect: {{{expectation}}}}}"
    return {"podgraft-test.yaml": f"{head}tests: [{test}]\n"}


# An injector of a folder store.
STORED = {f"stored/{name}": text for name, text in FILES.items() if name.startswith("bundle/")}

RUNS = (
    # kube-inject: the complete pod is printed
    Run(command_line=f"podgraft inject -f pod.yaml {LOCAL}", may_print=True),
    Run(command_line=f"podgraft inject -f pod.yaml {LOCAL} --webhook", may_print=True),
    Run(command_line=f"podgraft inject -f pod.yaml {LOCAL} -o out.yaml"),
    Run(command_line="podgraft uninject -f pod.yaml", may_print=True),
    *(
        Run(command_line=f"podgraft inject -f pod.yaml {LOCAL}{how}", status=1, files=files)
        for files in (*BROKEN_PODS[:3], *FAILING, *BAD_POLICIES, *BAD_BUNDLES[:3])
        for how in ("", " --webhook")
    ),
    *(
        Run(command_line="podgraft uninject -f pod.yaml", status=1, files=each)
        for each in BROKEN_PODS[:3]
    ),
    # explain: the output can quote its input
    *(
        Run(command_line=f"podgraft explain -f pod.yaml {LOCAL} --output {form}")
        for form in ("text", "svg")
    ),
    *(
        Run(
            command_line=f"podgraft explain -f pod.yaml {LOCAL}",
            status=status,
            may_print=True,
            files=each,
        )
        for each, status in zip(FAILING, (4, 4, 4), strict=True)
    ),
    *(
        Run(command_line=f"podgraft explain -f pod.yaml {LOCAL}", status=1, files=each)
        for each in (*BROKEN_PODS[:4], *BAD_POLICIES)
    ),
    # yaml, patch, and json print objects, sarif and test print results, test prints what differs
    *(
        Run(command_line=f"podgraft explain -f pod.yaml {LOCAL} -o {form}", may_print=True)
        for form in ("yaml", "patch", "json")
    ),
    *(
        Run(command_line=f"podgraft explain -f pod.yaml {LOCAL} -o {form}", status=4, files=each)
        for each in FAILING
        for form in ("yaml", "patch")
    ),
    *(
        Run(command_line=f"podgraft explain -f pod.yaml {LOCAL} -o {form}", status=1, files=each)
        for each in (*BROKEN_PODS[:4], *BAD_POLICIES)
        for form in ("yaml", "sarif")
    ),
    *(
        Run(
            command_line=f"podgraft explain -f pod.yaml {LOCAL} -o {form}",
            status=status,
            files={"bundle/rules.yaml": RULES % maximum},
        )
        for form in ("text", "sarif")
        for maximum, status in (("100", 0), ("0", 4))
    ),
    Run(command_line="podgraft test .", files=make_tests("outcome: injected")),
    Run(command_line="podgraft test . --output json", files=make_tests("outcome: injected")),
    Run(
        command_line="podgraft test . --output junit", status=1, files=make_tests("outcome: failed")
    ),
    Run(
        command_line="podgraft test .",
        status=1,
        may_print=True,
        files=make_tests("result: {}"),
    ),
    *(
        Run(
            command_line="podgraft test .",
            status=1,
            files={**make_tests("outcome: injected"), **each},
        )
        for each in (*BROKEN_PODS[:4], *FAILING, *BAD_POLICIES, *BAD_BUNDLES)
    ),
    # What would be deployed
    Run(command_line="podgraft check ."),
    Run(command_line="podgraft check . --pss restricted", status=1),
    Run(command_line="podgraft policy allows ."),
    Run(command_line="podgraft policy allows . --write"),
    # The documents of the bundle are what was asked for.
    *(
        Run(
            command_line=f"podgraft policy export --native --kubernetes 1.36 {LOCAL}{how}",
            status=status,
            may_print=(status, template) == (0, EXPORTED),
            files={"bundle/other.yaml": OVERLAY % template},
        )
        for how, status in (("", 1), (" --partial", 0))
        for template in (EXPORTED, f"a: {MARK}")
    ),
    Run(command_line="podgraft policy sign . --sign-key key.pem", status=1),
    *(
        Run(command_line="podgraft check .", status=1, files=each)
        for each in (*BAD_POLICIES, *BAD_BUNDLES)
    ),
    # diff: objects before and after are what was asked for; errors quote nothing
    Run(
        command_line="podgraft diff . --config . --injector a -f pod.yaml",
        status=1,
        may_print=True,
    ),
    *(
        Run(command_line="podgraft diff . --config . -f pod.yaml", status=2, files=each)
        for each in (*BROKEN_PODS[:4], *BAD_POLICIES, *BAD_BUNDLES)
    ),
    *(
        Run(
            command_line=f"podgraft policy {line} --config . --injector stored",
            status=status,
            files={**STORED, "stored/policy.yaml": each["policy.yaml"]},
        )
        for each in BAD_POLICIES
        for line, status in (("diff .", 2), ("edit --yes", 0))
    ),
    # The census: records are made without values, and a preview prints names and tokens
    *(
        Run(
            command_line=f"podgraft policy {line} --config . --injector stored",
            status=status,
            files=STORED,
        )
        for line, status in (
            ("census on", 0),
            ("census off", 0),
            ("census stats", 0),
            ("census stats -o json", 0),
            ("census purge --yes", 0),
            ("preview .", 1),
        )
    ),
    *(
        Run(
            command_line="podgraft policy preview . --config . --injector stored",
            status=1,
            files={**STORED, **each},
        )
        for each in (*BAD_POLICIES, *BAD_BUNDLES)
    ),
    Run(command_line="podgraft serve --store . --cert token --key key.pem", status=1),
    Run(command_line="podgraft demo absent", status=2),
    Run(command_line="podgraft init sam"),
    Run(command_line="podgraft init .", status=1, files={"template.yaml": ENVIRONMENT}),
    Run(command_line="podgraft completion bash"),
    Run(command_line="podgraft playground --folder absent", status=1),
    # Tokens: shown once, when they are made
    Run(command_line="podgraft tokens issue --cluster a --config .", may_print=True),
    Run(command_line="podgraft tokens issue --cluster a --config . --output new"),
    Run(
        command_line="podgraft tokens list --config .",
        files={"auth/a.yaml": "subjects: [CN=a]"},
    ),
    *(
        Run(
            command_line=f"podgraft tokens {line} --config .",
            status=1,
            files={"auth/third.yaml": each},
        )
        for each in FAULTY_CALLERS
        for line in (
            "issue --cluster third",
            "rotate --cluster third",
            "revoke --cluster third 1234",
            "list",
            "allow --cluster third CN=a",
            "forbid --cluster third CN=a",
        )
    ),
    # Registrations: a token in the path is printed with it
    Run(command_line=f"{URL} --cluster prod-eu --token-file token", may_print=True),
    Run(command_line=f"{URL} --cluster prod-eu --token-file token --control-plane out"),
    Run(command_line=f"{URL} --env PASSWORD={MARK}", may_print=True),
    Run(command_line=f"{URL} --env PASSWORD={MARK}%", status=1),
    Run(command_line=f"{URL} --env ={MARK}", status=1),
    Run(command_line=f"{URL} --token-file token", status=1, files={"token": f"{TOKEN} {TOKEN}\n"}),
    Run(command_line=f"{URL}/k/{TOKEN} --token-file token", status=1),
    Run(command_line=f"{URL}/k/{TOKEN}/inject#top", status=1),
    Run(command_line=f"{URL}/inject/:ENV:PASSWORD={MARK}%", status=1),
    Run(command_line=f"{URL}/inject?password={MARK}", status=1),
    Run(
        command_line=f"podgraft register --all-namespaces --url https://{MARK}:{MARK}@a.example",
        status=1,
    ),
    Run(command_line=f"{URL} --sidecar-check envoy .", files=BAD_POLICIES[3], status=1),
    Run(
        command_line=f"{URL} --client-cert token --client-key key.pem --control-plane out", status=1
    ),
    Run(
        command_line=f"podgraft register --service a/b/k/{TOKEN}{MARK}_A --cert-manager a/b "
        "--all-namespaces",
        status=1,
    ),
    # Certificates: keys and passphrases stay in their files
    Run(command_line="podgraft certs server a.example --key-type p-256", status=1),
    Run(command_line="podgraft certs inspect token --key key.pem", status=3),
    Run(command_line="podgraft certs bundle token", status=1),
)


class PlantedBytes(bytes):
    """Bytes whose text is the planted token."""

    __slots__ = ()

    def hex(self, sep: str | bytes = "", bytes_per_sep: SupportsIndex = 1) -> str:
        del sep, bytes_per_sep
        return TOKEN


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose files hold secrets, and a maker of tokens that contain the planted one."""
    tokens = (f"{TOKEN}{number}" for number in itertools.count())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("VISUAL", "true")  # an editor that changes nothing
    monkeypatch.setattr(system, "random_bytes", constant_function(PlantedBytes(32)))

    def make_token(*_: object) -> str:
        return next(tokens)

    monkeypatch.setattr(issuance, "make_token", make_token)
    write(FILES)
    return tmp_path


def constant_function(answer: object) -> Callable[..., object]:
    """A function that always returns the same value."""

    def return_constant(*_: object, **__: object) -> object:
        return answer

    return return_constant


def write(files: Mapping[str, str]) -> None:
    for name, content in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(content)


def run(line: str) -> int:
    _, *arguments = line.split()
    return cli.main(arguments)


def check_form(line: str, out: str) -> None:
    """All commands print JSON in one form."""
    if out and re.search(r" (-o|--output) (json|sarif)\b", line):
        assert out == documents.render_json(json.loads(out)), line


@pytest.mark.usefixtures("place")
@pytest.mark.shows_secrets("what each command may show is what this test is about")
@pytest.mark.parametrize(
    "case", RUNS, ids=lambda case: f"{case.command_line[:60]}".replace(TOKEN, "…")
)
def test_a_command_prints_only_what_was_requested(
    case: Run, capfd: pytest.CaptureFixture[str]
) -> None:
    write(case.files)
    status = run(case.command_line)
    out, err = capfd.readouterr()
    assert status == case.status, err
    check_form(case.command_line, out)
    asked = case.may_print and status == 0
    assert asked or case.may_print or find_secrets(out) == [], out
    assert find_secrets(err) == [] or (
        case.may_print and "podgraft explain" in case.command_line
    ), err
    assert not asked or find_secrets(out), "nothing is shown: take the permission away"


OPENING = "--passphrase-file passphrase --ca-passphrase-file passphrase"
CEREMONY: Sequence[tuple[str, int]] = (
    ("podgraft certs ca --key-type p-256 --passphrase-file passphrase", 0),
    (f"podgraft certs server a.example --key-type p-256 {OPENING}", 0),
    (f"podgraft certs client prod-eu --key-type p-256 {OPENING}", 0),
    (f"podgraft certs renew server --force {OPENING}", 0),
    ("podgraft certs inspect certificates/server.pem --key certificates/server.key", 3),
    ("podgraft certs bundle certificates/ca.pem", 0),
    ("podgraft certs import-acm --passphrase-file passphrase", 1),
    ("podgraft certs rotate-ca --from certificates --to new begin --passphrase-file passphrase", 0),
    ("podgraft certs rotate-ca --from certificates --to new plan", 0),
    ("podgraft certs rotate-ca --from certificates --to new switch", 1),
    ("podgraft certs rotate-ca --from certificates --to new finish --probe a.example", 1),
)


@pytest.mark.usefixtures("place", "account")
def test_keys_and_passphrases_stay_in_their_files(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(BaseClient, "_make_api_call", quoting_client)
    for line, status in CEREMONY:
        assert run(line) == status, (line, capfd.readouterr())
        written = "".join(capfd.readouterr())
        assert find_secrets(written) == [], line
        assert "PRIVATE KEY" not in written, line


STORY: Sequence[tuple[str, int]] = (
    (f"podgraft push . {REMOTE}", 0),
    (f"podgraft diff . {REMOTE} -f pod.yaml", 0),
    (f"podgraft history {REMOTE}", 0),
    (f"podgraft history {REMOTE} -o json", 0),
    (f"podgraft push . {REMOTE} --cluster prod-eu --dry-run", 0),
    (f"podgraft policy edit {REMOTE} --yes", 0),
    (f"podgraft policy prune {REMOTE}", 0),
    (f"podgraft rollback 1 {REMOTE}", 0),
    (f"podgraft rollback 9 {REMOTE}", 1),
    (f"podgraft push . {REMOTE} --sign-key key.pem", 1),
    (f"podgraft policy deny sha256:{'0f' * 32} --reason old --config stack:podgraft", 0),
    ("podgraft policy deny sha256:00 --reason old --config stack:podgraft", 1),
    ("podgraft policy denied --config stack:podgraft", 0),
    (f"podgraft rollout start . --id a {REMOTE}", 1),
    (f"podgraft rollout start stored --shadow --id a --share 5 {REMOTE}", 1),
    (f"podgraft rollout step 5 {REMOTE}", 1),
    (f"podgraft rollout pause {REMOTE}", 1),
    (f"podgraft rollout promote {REMOTE}", 1),
    (f"podgraft rollout abort --id a --reason old {REMOTE}", 0),
    (f"podgraft rollout status {REMOTE}", 0),
    (f"podgraft rollout release {REMOTE}", 0),
    (f"podgraft rollout who --id a --workload a/b/Deployment/c {REMOTE}", 0),
    (f"podgraft policy census on {REMOTE}", 0),
    (f"podgraft policy census off {REMOTE}", 0),
    (f"podgraft policy census stats --census s3://bundles-of-secrets {REMOTE}", 0),
    (f"podgraft policy census purge --census s3://bundles-of-secrets {REMOTE}", 0),
    (f"podgraft policy preview . --census s3://bundles-of-secrets {REMOTE}", 1),
    (f"podgraft policy undeny sha256:{'0f' * 32} --config stack:podgraft", 0),
    (f"podgraft policy pull pulled {REMOTE}", 0),
    (f"podgraft policy delete {REMOTE} --yes", 0),
    ("podgraft tokens issue --cluster a --output first --config stack:podgraft", 0),
    ("podgraft tokens rotate --cluster a --output second --parameter-prefix /podgraft", 0),
    ("podgraft tokens list --config stack:podgraft", 0),
    ("podgraft fleet adopt --config stack:podgraft", 0),
    ("podgraft fleet adopt --config stack:podgraft", 0),
    ("podgraft tokens allow --cluster a CN=a --config stack:podgraft", 0),
    ("podgraft fleet plan fleet.yaml --config stack:podgraft", 1),
    ("podgraft fleet apply fleet.yaml --config stack:podgraft", 0),
    ("podgraft fleet render fleet.yaml rendered --config stack:podgraft", 0),
    ("podgraft fleet extend fleet.yaml --config stack:podgraft", 0),
    ("podgraft fleet rotate fleet.yaml --config stack:podgraft", 0),
    ("podgraft fleet retire a --gone --config stack:podgraft", 0),
    ("podgraft fleet adopt --finish --config stack:podgraft", 0),
    ("podgraft fleet adopt --undo --config stack:podgraft", 0),
    ("podgraft fleet adopt --finish --config stack:podgraft", 1),
)


@pytest.fixture
def account(monkeypatch: pytest.MonkeyPatch) -> None:
    """Credentials that are none."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, f"{MARK}-{name}")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")


@pytest.mark.usefixtures("place", "account")
def test_the_deployment_message_does_not_contain_the_deployed_values(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sample pod's patches are the same on both sides here; a difference is shown, as asked."""
    with faulty_aws() as aws:
        monkeypatch.setenv("AWS_ENDPOINT_URL", aws.endpoint)
        deploy_stack(get_session(), "podgraft", "bundles-of-secrets", guard={"documents": 2})
        for line, status in STORY:
            assert run(line) == status, (line, capfd.readouterr())
            out, err = capfd.readouterr()
            check_form(line, out)
            assert find_secrets(out + err) == [], line


def quoting_client(_: object, operation: str, sent: Mapping[str, object]) -> None:
    """An AWS error that quotes the request."""
    message = (
        f"Value '{sent.get('Value')}' of {sent.get('PrivateKey')!r} failed to satisfy a constraint"
    )
    raise ClientError({"Error": {"Code": "ValidationException", "Message": message}}, operation)


@pytest.mark.usefixtures("place", "account")
@pytest.mark.parametrize(
    "line",
    [STORY[0][0], "podgraft tokens issue --cluster a --output first --parameter-prefix /podgraft"],
)
def test_quotes_in_aws_errors_are_not_repeated(
    line: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(BaseClient, "_make_api_call", quoting_client)
    for owner, method in ((DeployedInjector, "list_objects"), (DeployedInjector, "history")):
        monkeypatch.setattr(owner, method, constant_function({}))
    for owner, method in ((DeployedInjector, "upload_file"), (DeployedInjector, "require_owner")):
        monkeypatch.setattr(owner, method, constant_function(None))
    read, stored = ParameterDocuments.read, StoredDocument("tokens: []", 1)

    def read_callers(documents: ParameterDocuments, name: str) -> StoredDocument:
        return stored if name.startswith("auth/") else read(documents, name)

    monkeypatch.setattr(ParameterDocuments, "read", read_callers)
    monkeypatch.setattr(ParameterDocuments, "lock", constant_function(nullcontext()))
    assert run(line) == 1
    out, err = capfd.readouterr()
    assert "ValidationException" in err
    assert find_secrets(out + err) == [], err


# A cluster with an injected pod, in memory: its sidecar differs from that of the bundle.
LIVE: Sequence[tuple[str, int]] = (
    ("podgraft compare --config bundle", 1),
    ("podgraft compare --config bundle -o json", 1),
    (f"podgraft status {LOCAL}", 0),
    ("podgraft doctor", 1),
    ("podgraft doctor -o json", 1),
    (f"podgraft explain pod/web -n shop {LOCAL}", 3),
    ("podgraft compare", 0),
    ("podgraft import istio new", 1),
)


@pytest.mark.usefixtures("place")
def test_the_values_of_live_pods_are_not_printed(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither those of its environment and annotations, nor the token of a registration."""
    use_cluster(monkeypatch, live_objects())
    for line, status in LIVE:
        assert run(line) == status, (line, capfd.readouterr())
        out, err = capfd.readouterr()
        check_form(line, out)
        assert find_secrets(out + err) == [], line


# kube-apiserver refuses most of these; an operator can write them.
URLS = (
    f"http://a.example/k/{TOKEN}/inject",
    f"a.example/k/{TOKEN}/inject",
    f"https://a.example:port/k/{TOKEN}/inject",
    f"https://[a/k/{TOKEN}/inject",
    f"https://{MARK}:{MARK}@a.example/inject",
    f"https://{MARK}@[a/inject",
    f"https://a.example/live/k/{TOKEN}/inject",
    f"https://a.example/%6b/{TOKEN}/inject",
    f"https://a.example/inject?token={TOKEN}",
    f"https://a.example/inject/:ENV:PASSWORD={MARK}",
)


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("url", URLS, ids=range(len(URLS)))
def test_no_report_quotes_the_secret_of_a_url(
    url: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither that of a registration, in any format, nor that of an option."""
    use_cluster(monkeypatch, live_objects(url))
    reports = [
        f"podgraft {name} --output {form}"
        for name in ("doctor", "status", "compare")
        for form in find_formats(name)
    ]
    for line in (
        *reports,
        "podgraft status --test",
        f"podgraft status --url {url}",
        f"podgraft register --all-namespaces --url {url} --ca-bundle absent",
        f"podgraft certs rotate-ca --from a --to b finish --probe {url}",
    ):
        run(line)
        written = "".join(capfd.readouterr())
        assert find_secrets(written) == [], line


def find_formats(name: str) -> Sequence[str]:
    """The formats of a command."""
    command = cli.podgraft.get_command(click.Context(cli.podgraft), name)
    assert command is not None
    [option] = [each for each in command.params if "--output" in each.opts]
    assert isinstance(option.type, click.Choice)
    return option.type.choices


def live_objects(url: str = f"https://a.example/k/{TOKEN}/inject") -> Mapping[str, Any]:
    """The pod, injected by an earlier bundle, and a webhook with this URL."""
    snapshot = load_snapshot("", BUNDLE)
    after: Any = offline.apply_response(
        POD, offline.review_pod(POD, "shop", snapshot, ReviewContext(injector="i"))
    )
    after["metadata"] |= {"name": "web", "namespace": "shop"}
    sidecar = after["spec"]["containers"][-1]
    sidecar["image"] = "earlier:1"
    hook = {
        "name": "inject.podgraft.dev",
        "clientConfig": {"url": url},
        "namespaceSelector": {"matchLabels": {"never": "matches"}},
        "rules": [
            {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"]}
            | {"resources": ["pods"]}
        ],
    }
    kind = "MutatingWebhookConfiguration"
    registration = {"kind": kind, "metadata": {"name": "podgraft"}, "webhooks": [hook]}
    admission = "/apis/admissionregistration.k8s.io/v1"
    return {
        "/api/v1/pods": [after],
        "/api/v1/namespaces/shop": {"metadata": {"name": "shop"}},
        "/api/v1/namespaces/shop/pods/web": after,
        f"{admission}/mutatingwebhookconfigurations": [registration],
    }


def test_every_command_is_run() -> None:
    """A command that is new needs a line above."""
    stories = (*STORY, *CEREMONY, *LIVE)
    lines = [each.command_line for each in RUNS] + [line for line, _ in stories]
    lines = [re.sub(r" (--from|--to) \w+", "", line) for line in lines]
    for command in commands("podgraft", cli.podgraft, {}):
        assert any(line.startswith(command) for line in lines), command


def commands(name: str, command: click.Command, seen: dict[int, str]) -> Generator[str]:
    """The full names of a program's commands; of two names for one command, the shorter."""
    if not isinstance(command, click.Group):
        if seen.setdefault(id(command), name) == name:
            yield name
        return
    context = click.Context(command)
    words = sorted(command.list_commands(context), key=lambda word: word == "policy")
    for word in words:
        inner = command.get_command(context, word)
        assert inner is not None
        yield from commands(f"{name} {word}", inner, seen)
