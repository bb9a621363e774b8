"""``podgraft status --contexts``: one row for each cluster, as a table, JSON, and HTML."""

import json
import re
from collections.abc import Mapping
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from cli.doctor.conftest import HOOKS, Site
from podgraft.cli import main
from podgraft.cli.aws_options import format_aws_options
from podgraft.cli.config_source import Location
from podgraft.cli.live.api_errors import ApiError
from podgraft.cli.status import command as status_command
from podgraft.cli.status.clusters import COLUMNS
from podgraft.cli.tokens import usage
from podgraft.core.signing.signature import Signature
from support.aws_account import deploy_stack, open_account
from support.fake_cluster import use_contexts

Out = pytest.CaptureFixture[str]
DOWN = ApiError("cannot reach the API server")


@pytest.fixture
def contexts(site: Site) -> Mapping[str, Any]:
    """A healthy cluster, and one for each kind of problem."""
    rejecting = site.respond(401, {})
    return {
        "good": site.objects(site.registration()),
        "empty": site.objects(),
        "down": {HOOKS: DOWN},
        "soon": site.objects(site.registration(token=site.token("soon"))),
        "refused <b>": site.objects(site.registration(port=rejecting)),
    }


def test_each_context_has_a_row(
    site: Site, contexts: Mapping[str, Any], monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    use_contexts(monkeypatch, contexts)
    callers = Path("store/auth/prod-eu.yaml")
    before = callers.read_text()
    callers.write_text(f"{before}groups: [ring-0, office]\n")
    try:
        assert main(["status", "--contexts", "all", "-o", "json"]) == 1
    finally:
        callers.write_text(before)
    out, _ = capsys.readouterr()
    rows = {each["context"]: each for each in json.loads(out)["clusters"]}
    assert [*rows] == [*contexts]
    states = {name: (each["state"], each["reachable"]) for name, each in rows.items()}
    assert states == {
        "good": ("ok", True),
        "empty": ("fails", True),
        "down": ("fails", False),
        "soon": ("warning", True),
        "refused <b>": ("fails", True),
    }
    good = rows["good"]
    assert (good["cluster"], good["problems"]) == ("prod-eu", [])
    assert (good["groups"], rows["soon"]["groups"]) == (["ring-0", "office"], [])
    assert good["tokenDays"] in {89, 90}  # midnight can pass after it was issued
    [webhook] = good["webhooks"]
    assert webhook["review"]["ok"] is True
    assert webhook["review"]["policyVersion"]
    assert webhook["caDays"] > 1000
    soon = rows["soon"]
    [problem] = soon["problems"]
    assert f"token {soon['tokenId']} expires in {soon['tokenDays']} days; issue and" in problem
    assert rows["down"]["problems"] == ["cannot reach the API server"]
    assert rows["empty"]["problems"][0].startswith(
        "no webhook of podgraft is registered; podgraft register … | kubectl apply --server-side"
    )
    assert site.token() not in out


def test_the_table_has_a_line_for_each_cluster(
    contexts: Mapping[str, Any], monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    use_contexts(monkeypatch, contexts)
    assert main(["status", "--contexts", "good,soon"]) == 0
    out, err = capsys.readouterr()
    head, good, soon = out.splitlines()
    assert re.split(" {3,}", head) == [name.upper() for name in COLUMNS]
    assert re.match(r"good +prod-eu +ok +yes +podgraft-istio +\d+ +\d+ +\w{8} +(?:90|89) +- ", good)
    assert re.match(r"soon +prod-soon +warning ", soon)
    assert err.startswith("warning: soon: podgraft-istio: 127.0.0.1:")


def test_the_last_review_is_that_of_the_log(
    contexts: Mapping[str, Any], monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    use_contexts(monkeypatch, contexts)
    main(["status", "--contexts", "good", "-o", "json"])
    [row] = json.loads(capsys.readouterr().out)["clusters"]
    assert row["lastReview"] == ""

    regions: list[str] = []

    def read_last_uses(location: Location) -> Mapping[str, str]:
        assert location == Location(stack_name="prod")
        regions.append(format_aws_options())
        return {row["tokenId"]: f"2026-11-2{len(regions)} 20:15:03,118+0000"}

    monkeypatch.setattr(usage, "read_last_uses", read_last_uses)
    words = ("status", "--contexts", "good", "--config", "stack:prod")
    assert main([*words]) == 0
    assert capsys.readouterr().out.rstrip().endswith("2026-11-21 20:15:03")

    def compare_regions(*_: object) -> tuple[()]:
        return ()

    monkeypatch.setattr(status_command, "compare_regions", compare_regions)
    assert main([*words, "--regions", "eu-west-1,us-east-1"]) == 0
    assert capsys.readouterr().out.rstrip().endswith("2026-11-23 20:15:03")
    assert regions == ["", "--region eu-west-1", "--region us-east-1"]


def test_regions_that_differ_are_reported(
    contexts: Mapping[str, Any], monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    use_contexts(monkeypatch, contexts)

    def read_last_uses(_: Location) -> Mapping[str, str]:
        return {}

    monkeypatch.setattr(usage, "read_last_uses", read_last_uses)
    with open_account() as session:
        deploy_stack(session, "podgraft-dev", "bundles-of-a-split")
        for region, callers in (("us-east-1", "a"), ("eu-west-1", "b")):
            ssm = session.create_client("ssm", region_name=region)
            digest = f"sha256:{callers * 64}"
            value = json.dumps({"serial": 1, "callers": digest})
            ssm.put_parameter(Name="/podgraft-dev/callers", Value=value, Type="String")
            signature = Signature(version=1, digest=digest, key_id="0" * 16, value=bytes(64))
            documents = {
                "default/policy": f"policy: enabled\n{signature}\n",
                "other/policy": ": :",  # it does not load
                "denied": f"{digest}: leaks\n",
            }
            for name, text in documents.items():
                ssm.put_parameter(Name=f"/podgraft-dev/{name}", Value=text, Type="String")
        words = ("--contexts", "good", "--config", "stack:podgraft-dev", "--regions")
        assert main(["status", *words, "us-east-1,eu-west-1", "-o", "json"]) == 1
        splits = json.loads(capsys.readouterr().out)["splits"]
        split, denied = splits  # the signatures of the policies are those of each region
        assert split == ("region eu-west-1: /callers: differs; podgraft fleet apply with --regions")
        assert denied == "region eu-west-1: /denied: differs; podgraft policy deny with --regions"
        assert main(["status", *words, "us-east-1,eu-west-1"]) == 1
        assert f"warning: {split}" in capsys.readouterr().err
        assert main(["status", *words, "us-east-1"]) == 0


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ("--contexts all --regions a,b", "--regions: requires --contexts and --config stack:NAME"),
        ("--contexts all -n shop", "--contexts reads no pods"),
        ("--contexts all -o policyreport", "--contexts reads no pods"),
        ("--contexts all --context a", "--context and --contexts exclude each other"),
        ("-o html", "-o html: requires --contexts"),
    ],
)
def test_options_that_exclude_each_other(arguments: str, error: str, capsys: Out) -> None:
    assert main(["status", *arguments.split()]) == 2
    assert error in capsys.readouterr().err


class Page(HTMLParser):
    """The elements of a page, and their texts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, Mapping[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def find(self, tag: str) -> list[Mapping[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture
def html(contexts: Mapping[str, Any], monkeypatch: pytest.MonkeyPatch, capsys: Out) -> str:
    use_contexts(monkeypatch, contexts)
    assert main(["status", "--contexts", "all", "-o", "html"]) == 1
    return capsys.readouterr().out


def test_the_page_is_one_file_without_a_script(html: str, site: Site) -> None:
    page = Page(html)
    names = {name for name, _ in page.elements}
    assert not names & {"script", "link", "img", "iframe", "b"}
    assert not {key for _, own in page.elements for key in own} & {"src", "href", "style"}
    assert "url(" not in html
    assert "@import" not in html
    assert site.token() not in html


def test_the_page_names_its_language_headings_and_cells(html: str) -> None:
    page = Page(html)
    assert page.find("html") == [{"lang": "en"}]
    scopes = [each["scope"] for each in page.find("th")]
    assert (scopes.count("col"), scopes.count("row")) == (len(COLUMNS), 5)
    assert len(page.find("caption")) == len(page.find("h1")) == len(page.find("main")) == 1
    # A keyboard can scroll a table that is wider than the screen.
    [region] = [each for each in page.find("div") if each.get("role") == "region"]
    assert (region["tabindex"], region["aria-label"]) == ("0", "Clusters")
    assert "<p>1 ok, 1 warning, 3 fails. 20" in html
    assert '<td class="fails">fails</td>' in html  # a word, not only a color
    assert "<h2>refused &lt;b&gt;</h2>" in html


def find_luminance(color: str) -> float:
    """The relative luminance of WCAG 2.2."""
    parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_has_enough_contrast(scheme: str, html: str) -> None:
    light, dark = (dict(re.findall(r"--(\w+): (#\w{6})", part)) for part in html.split("@media"))
    colors = light if scheme == "light" else dark
    assert colors.keys() == {"back", "text", "line", "ok", "warning", "fails"}
    back = find_luminance(colors.pop("back"))
    for name, color in colors.items():
        darker, lighter = sorted((back, find_luminance(color)))
        ratio = (lighter + 0.05) / (darker + 0.05)
        assert ratio >= (3 if name == "line" else 4.5), (name, ratio)
