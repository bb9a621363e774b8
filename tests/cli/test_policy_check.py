"""``podgraft check``: every fault of bundle and policy at once, with place and remedy."""

import dataclasses
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from podgraft.base.diagnostics import Diagnostic
from podgraft.base.jsonvalue import Object
from podgraft.cli import main
from podgraft.cli.policy import schema
from support.broken_bundles import BROKEN, POLICY, BrokenBundle
from support.store_fixture import BUNDLE

# Where, what is wrong, what to do.
FINDING = re.compile(r"^error: (?P<place>\S+(?: /\S*)?): (?P<problem>.+); (?P<remedy>[^;]+)$")
OVERLAY = b"{apiVersion: podgraft.dev/v1, kind: Overlay, metadata: {name: o}, spec: %s}"
RULES = (
    b"{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicy, "
    b"metadata: {name: r}, spec: %s}"
)
MESH = (
    b"{apiVersion: supergloo.solo.io/v1, kind: Mesh, metadata: {name: m, namespace: n}, "
    b"spec: {awsAppMesh: {enableAutoInject: true, region: mars-1}}}"
)


@dataclasses.dataclass(frozen=True)
class Folder:
    """A bundle and a policy on this machine."""

    path: Path

    @property
    def bundle(self) -> Path:
        return self.path / "bundle"

    @property
    def policy(self) -> Path:
        return self.path / "policy.yaml"

    def write(self, name: str, content: bytes) -> None:
        (self.bundle / name).write_bytes(content)


@pytest.fixture
def local(tmp_path: Path) -> Folder:
    """A bundle and a policy with nothing wrong."""
    folder = Folder(tmp_path)
    folder.bundle.mkdir()
    for name, content in BUNDLE.items():
        folder.write(name, content)
    folder.policy.write_text("policy: enabled\n")
    return folder


Check = Callable[[], list[str]]


@pytest.fixture
def check(local: Folder, capsys: pytest.CaptureFixture[str]) -> Check:
    """Run the command; its findings, which never are a traceback."""

    def findings() -> list[str]:
        capsys.readouterr()
        status = main(["policy", "check", str(local.path)])
        said = capsys.readouterr()
        found = [line for line in said.err.splitlines() if line.startswith("error: ")]
        assert status == (1 if found else 0)
        return [line.replace(f"{local.path}/", "") for line in found]

    return findings


def finding_locations(findings: list[str]) -> set[str]:
    """Where the findings are; each has a problem and a remedy too."""
    matches = [FINDING.match(finding) for finding in findings]
    assert all(matches), findings
    return {match["place"] for match in matches if match}


def test_every_diagnostic_has_a_remedy() -> None:
    with pytest.raises(TypeError, match="remedy"):
        Diagnostic(problem="is empty")  # pyright: ignore[reportCallIssue]


SPOILT_POLICY = """\
polcy: enabled
policy: maybe
bundle: latest
neverInjectSelector: 3
alwaysInjectSelector: [{matchExpressions: [{key: a, operator: Is}]}]
features: {nativeSidecars: 'yes'}
istioRelease: master
clusters: {a: {polcy: x, injectValues: both, istioRelease: "0.8"}}
"""
# Each wrong at its place, in one document.
SPOILT_MESH = b"""{}
    outboundTrafficPolicy: 7
    proxyListenPort: 99999
    defaultConfig: {concurrency: x, proxyMetadata: {A: 1, B: 2}}"""
PROXY_CONFIG = (
    b"{apiVersion: networking.istio.io/v1, kind: ProxyConfig, metadata: {name: p, namespace: n}, "
    b"spec: {selector: {}, concurrency: x, environmentVariables: {A: 1, B: b}}}"
)
SPOILT_BUNDLE = {
    "injector.yaml": BUNDLE["injector.yaml"]
    .replace(b"{{ .DeploymentMeta.Name }}", b"{{ if }}")
    .replace(b'- matchLabels: {never: "true"}', b"- matchLabels: {a b: c}")
    .replace(b"policy: enabled", b"policy: maybe")
    .replace(b'"registry.example.com"}', b'7, "network": 8}'),
    "mesh.yaml": BUNDLE["mesh.yaml"].replace(b"example.org", SPOILT_MESH),
    "proxyconfig.yaml": PROXY_CONFIG,
    "latin.yaml": "a: é".encode("latin-1"),
    "other.yaml": b"a: [\n",
    "appmesh.yaml": MESH,
    "overlay.yaml": OVERLAY % b"{template: '{{ nope }}'}",
    "rules.yaml": RULES % b"{validations: [{expression: nope}]}",
    "service.yaml": b"{apiVersion: v1, kind: Service, metadata: {name: s}}",
}
EVERYTHING_WRONG = {
    "policy.yaml /polcy",
    "policy.yaml /policy",  # which a running function would have tolerated
    "policy.yaml /bundle",
    "policy.yaml /neverInjectSelector",
    "policy.yaml /alwaysInjectSelector/0/matchExpressions/0/operator",  # tolerated too
    "policy.yaml /features/nativeSidecars",
    "policy.yaml /istioRelease",
    "policy.yaml /clusters/a/istioRelease",
    "policy.yaml /clusters/a/polcy",
    "policy.yaml /clusters/a/injectValues",
    "injector.yaml /data/config/templates/sidecar",
    "injector.yaml /data/config/neverInjectSelector/0/matchLabels",  # tolerated too
    "injector.yaml /data/config/policy",  # tolerated too
    "injector.yaml /data/values/global/hub",
    "injector.yaml /data/values/global/network",
    "mesh.yaml /data/mesh/trustDomain",
    "mesh.yaml /data/mesh/outboundTrafficPolicy",
    "mesh.yaml /data/mesh/proxyListenPort",
    "mesh.yaml /data/mesh/defaultConfig/concurrency",
    "mesh.yaml /data/mesh/defaultConfig/proxyMetadata/A",
    "mesh.yaml /data/mesh/defaultConfig/proxyMetadata/B",
    "proxyconfig.yaml /spec/concurrency",
    "proxyconfig.yaml /spec/environmentVariables/A",
    "proxyconfig.yaml /spec/selector",  # tolerated too
    "latin.yaml",
    "other.yaml",
    "appmesh.yaml /spec/awsAppMesh/injectionSelector",
    "appmesh.yaml /spec/awsAppMesh/sidecarPatchConfigMap",
    "appmesh.yaml /spec/awsAppMesh/virtualNodeLabel",
    "appmesh.yaml /spec/awsAppMesh/region",  # tolerated too
    "overlay.yaml /spec/template",
    "overlay.yaml /spec/matchConstraints",
    "rules.yaml /spec/validations/0/expression",
    "rules.yaml /spec/matchConstraints",
    "service.yaml",
}


def test_one_run_states_everything_that_is_invalid(local: Folder, check: Check) -> None:
    local.policy.write_text(SPOILT_POLICY)
    for name, content in SPOILT_BUNDLE.items():
        local.write(name, content)
    assert finding_locations(check()) == EVERYTHING_WRONG


@pytest.mark.parametrize(
    ("release", "wrong"),
    [
        ("1.32", False),
        ("1.30.3", False),
        ("1.28.6-distroless", False),
        ("HEAD", False),
        ("1.30.99", False),  # a warning
        ("1.11.2-asm.17", False),  # a warning
        ("1.33", False),  # a warning
        ("2.0", False),  # a warning
        ("master", True),
        ("0.8", True),
    ],
)
def test_a_release_that_is_not_known_is_reported(
    local: Folder, check: Check, release: str, *, wrong: bool
) -> None:
    local.policy.write_text(f"istioRelease: '{release}'\n")
    assert finding_locations(check()) == ({"policy.yaml /istioRelease"} if wrong else set())


UPDATE = "if it came with Istio 1.30.99, use a newer podgraft; otherwise, "


@pytest.mark.parametrize(
    "action",
    [b"{{ .ProxySpecialImage }}", b"{{ brandNew .ObjectMeta }}", b"{{ .ProxyConfig.New }}"],
)
@pytest.mark.parametrize(("release", "is_newer"), [("1.30.99", True), ("1.30", False)])
def test_a_name_that_a_newer_release_can_have_needs_a_newer_podgraft(
    local: Folder, check: Check, action: bytes, release: str, *, is_newer: bool
) -> None:
    content = BUNDLE["injector.yaml"].replace(b"{{ .DeploymentMeta.Name }}", action)
    local.write("injector.yaml", content)
    local.policy.write_text(f"policy: enabled\nistioRelease: '{release}'\n")

    errors = [finding for finding in check() if "/data/config/templates/" in finding]
    assert errors
    assert all((UPDATE in error) is is_newer for error in errors)


@pytest.mark.parametrize("word", [b"maybe", b"Enabled", b"''", b"disabled"])
def test_the_policy_of_istios_own_configuration_is_a_known_word(
    local: Folder, check: Check, word: bytes
) -> None:
    content = BUNDLE["injector.yaml"].replace(b"policy: enabled", b"policy: " + word)
    local.write("injector.yaml", content)
    wrong = word in {b"maybe", b"Enabled"}
    assert finding_locations(check()) == ({"injector.yaml /data/config/policy"} if wrong else set())


def test_a_template_that_does_not_parse_is_drawn(
    local: Folder, check: Check, capsys: pytest.CaptureFixture[str]
) -> None:
    local.write(
        "injector.yaml",
        BUNDLE["injector.yaml"].replace(b"{{ .DeploymentMeta.Name }}", b"{{ if }}"),
    )
    [finding] = check()
    end = "missing value for if; correct line 3 of the template (line 16 of injector.yaml)"
    assert finding.endswith(end)
    assert main(["policy", "check", str(local.path)]) == 1
    assert capsys.readouterr().err.splitlines()[1].endswith("example.com/workload: {{ if }}")


NESTED = b"{{ if 1 }}" * 500 + b"{{ end }}" * 500


@pytest.mark.parametrize(
    ("name", "content", "place"),
    [
        (
            "injector.yaml",
            BUNDLE["injector.yaml"].replace(b"{{ .DeploymentMeta.Name }}", NESTED),
            "injector.yaml /data/config/templates/sidecar",
        ),
        (
            "overlay.yaml",
            OVERLAY % (b"{matchConstraints: {}, template: '" + NESTED + b"'}"),
            "overlay.yaml /spec/template",
        ),
    ],
)
def test_a_template_that_nests_too_deeply_is_a_fault(
    local: Folder, check: Check, name: str, content: bytes, place: str
) -> None:
    local.write(name, content)
    [finding] = check()
    assert finding.startswith(f"error: {place}: ")
    assert "nests deeper than" in finding


Spoil = Callable[[Path], object]


def empty_file(path: Path) -> None:
    path.write_text(" \n")


def binary(path: Path) -> None:
    path.write_bytes(b"policy: \xff\xfe")


def delete_file(path: Path) -> None:
    path.unlink(missing_ok=True)


def link_to_itself(path: Path) -> None:
    """A link to itself: nobody can read that, not even root."""
    delete_file(path)
    path.symlink_to(path)


def replace_with_folder(path: Path) -> None:
    delete_file(path)
    path.mkdir()


POLICY_FILES = (
    (binary, "is not UTF-8: byte 0xff at offset 8; save it as UTF-8"),
    (empty_file, 'is empty; write "policy: enabled", or remove the file'),
    (replace_with_folder, "is a folder; use the path of a file"),
    (
        link_to_itself,
        "Too many levels of symbolic links; correct this, then run the command again",
    ),
)


@pytest.mark.parametrize(("spoil", "said"), POLICY_FILES)
def test_a_policy_file_that_is_none_is_reported_with_the_bundles_faults(
    local: Folder, check: Check, spoil: Spoil, said: str
) -> None:
    spoil(local.policy)
    local.write("other.yaml", b"a: [\n")
    found = check()
    assert f"error: policy.yaml: {said}" in found
    assert finding_locations(found) == {"policy.yaml", "other.yaml"}


BUNDLE_FILES = (
    (binary, "mesh.yaml", "is not UTF-8: byte 0xff at offset 8; save it as UTF-8, or remove"),
    (empty_file, "mesh.yaml", "is empty; write the manifest, or remove"),
    (link_to_itself, "bundle/mesh.yaml", "Too many levels"),
)


@pytest.mark.parametrize(("spoil", "place", "said"), BUNDLE_FILES)
def test_a_bundle_file_that_is_none_is_reported_with_the_policys_faults(
    local: Folder, check: Check, spoil: Spoil, place: str, said: str
) -> None:
    spoil(local.bundle / "mesh.yaml")
    local.policy.write_text("bundle: x\n")
    found = check()
    assert any(finding.startswith(f"error: {place}: {said}") for finding in found), found
    assert finding_locations(found) == {place, "policy.yaml /bundle"}


def empty_folder(folder: Folder) -> None:
    for path in folder.bundle.iterdir():
        path.unlink()


def delete_folder(folder: Folder) -> None:
    empty_folder(folder)
    folder.bundle.rmdir()


def replace_with_file(folder: Folder) -> None:
    delete_folder(folder)
    folder.bundle.write_text("policy: enabled")


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (empty_folder, "holds no manifests"),
        (delete_folder, "not found"),
        (replace_with_file, "is not a folder"),
    ],
)
def test_a_bundle_folder_that_is_none_is_reported_with_the_policys_faults(
    local: Folder, check: Check, spoil: Callable[[Folder], None], said: str
) -> None:
    spoil(local)
    local.policy.write_text("bundle: x\n")
    found = check()
    assert any(finding.startswith(f"error: bundle: {said}") for finding in found), found
    assert finding_locations(found) == {"bundle", "policy.yaml /bundle"}


def test_a_cluster_with_a_bundle_of_its_own_is_not_compiled_with_this_one(
    local: Folder, check: Check
) -> None:
    own = f"bundle: sha256:{'0' * 64}, istioRelease: '0.8'"
    local.policy.write_text(f"policy: enabled\nclusters: {{eu: {{{own}}}}}\n")
    assert check() == []


def test_what_only_a_cluster_requests_of_the_bundle_is_reported_at_its_place(
    local: Folder, check: Check
) -> None:
    local.policy.write_text("policy: enabled\nclusters: {a/b: {istioRelease: '0.8'}}\n")
    at = "policy.yaml /clusters/a~1b"
    assert finding_locations(check()) == {
        f"{at}/istioRelease",
        at,
    }  # and no cluster can be called so


def test_templates_that_are_not_there_are_reported_if_they_are_named(
    local: Folder, check: Check
) -> None:
    aliases = b"aliases: {both: [sidecar, spire]}\n    templates:"
    content = BUNDLE["injector.yaml"].replace(b"templates:", aliases)
    local.write("injector.yaml", content)
    local.policy.write_text("policy: enabled\ndefaultTemplates: [both, gone]\n")
    remedy = "use sidecar, or add it under templates"
    assert check() == [
        f"error: policy.yaml /defaultTemplates: unknown template gone; {remedy}",
        f"error: injector.yaml /data/config/aliases/both: unknown template spire; {remedy}",
    ]


def test_a_template_that_istio_would_not_parse_at_load_is_reported_all_the_same(
    local: Folder, check: Check
) -> None:
    """Up to 1.13 istiod found out only when a pod came."""
    broken = BUNDLE["injector.yaml"].replace(b"{{ .DeploymentMeta.Name }}", b"{{ if }}")
    local.write("injector.yaml", broken)
    local.policy.write_text("policy: enabled\nistioRelease: '1.10'\n")
    assert finding_locations(check()) == {"injector.yaml /data/config/templates/sidecar"}


def test_a_schema_is_used_only_if_the_readers_found_nothing() -> None:
    document: Object = {"policy": "maybe", "bundle": "x"}
    [found] = schema.validate_document("policy", "policy.yaml", document, reported=["/bundle"])
    assert str(found) == (
        "policy.yaml /policy: 'maybe' is not one of ['enabled', 'disabled', None]; "
        "use a value that https://podgraft.dev/schemas/policy.schema.json allows"
    )


def test_an_unknown_key_of_a_selector_has_a_suggestion(local: Folder, check: Check) -> None:
    local.policy.write_text("neverInjectSelector: [{matchLables: {a: b}, other: c}]\n")

    printed = "\n".join(check())
    place = "policy.yaml /neverInjectSelector/0"
    assert f"{place}/matchLables: unknown key; did you mean matchLabels?" in printed
    assert f"{place}/other: unknown key; supported keys: matchLabels, matchExpressions" in printed


def test_a_condition_is_not_reported_for_an_invalid_sibling() -> None:
    requirement: Object = {"key": "a", "operator": "Is", "values": ["b"]}
    document: Object = {"neverInjectSelector": [{"matchExpressions": [requirement]}]}
    location = "/neverInjectSelector/0/matchExpressions/0/operator"
    assert [*schema.validate_document("policy", "policy.yaml", document, [location])] == []


@pytest.mark.parametrize("broken", BROKEN, ids=str)
def test_what_loads_and_breaks_every_pod_is_found(
    local: Folder, check: Check, broken: BrokenBundle
) -> None:
    for path in local.bundle.iterdir():
        path.unlink()
    for name, content in broken.files.items():
        local.write(name, content)
    local.policy.write_text(POLICY if "injector.yaml" in broken.files else "policy: enabled\n")
    found = [each for each in check() if broken.location in each and broken.problem in each]
    assert found
    assert broken.remedy in found[0]


def test_pods_of_the_bundle_are_tried(local: Folder, check: Check) -> None:
    (local.bundle / "tests").mkdir()
    spec = b"{containers: [{name: istio-proxy, image: auto}]}"
    local.write(
        "tests/pod.yaml", b"{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: %s}" % spec
    )
    assert check() == []
    name = b"{name: a, annotations: {inject.istio.io/templates: gone}}"
    local.write(
        "tests/pod.yaml", b"{apiVersion: v1, kind: Pod, metadata: %s, spec: %s}" % (name, spec)
    )
    (finding,) = check()
    assert finding.startswith("error: tests/pod.yaml: the review of the object fails: ")


def test_findings_are_reported_for_programs(
    local: Folder, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the file and the line of each; the exit status is that of the text."""
    assert main(["check", str(local.path), "-o", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"findings": []}

    local.policy.write_text("# A policy.\npolicy: maybe\nignoredNamespaces: 5\n")
    assert main(["check", str(local.path), "-o", "json"]) == 1
    printed = capsys.readouterr()
    findings = json.loads(printed.out)["findings"]
    assert printed.err == ""
    assert {(each["file"], each["line"]) for each in findings} == {
        (str(local.policy), 2),
        (str(local.policy), 3),
    }
    assert all(each["problem"] and each["remedy"] for each in findings)

    assert main(["check", str(local.path), "-o", "sarif"]) == 1
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    assert {each["level"] for each in run["results"]} == {"error"}
    lines = [
        each["locations"][0]["physicalLocation"]["region"]["startLine"] for each in run["results"]
    ]
    assert sorted({*lines}) == [2, 3]
