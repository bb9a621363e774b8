"""Commands print place, value, and remedy of an annotation that Istio rejects."""

from pathlib import Path
from typing import Any

import pytest

from podgraft.cli import annotation_remedies, main
from podgraft.core.injectors.errors import UserError
from podgraft.core.injectors.istio import annotations, releases
from podgraft.kube import yaml

SAMPLE = Path(__file__).parents[2] / "samples" / "istio"
FILES = ("--config", str(SAMPLE))
CPU = "sidecar.istio.io/proxyCPULimit"
PORTS = "traffic.sidecar.istio.io/excludeInboundPorts"
CPU_TEXT = (
    '/metadata/annotations/sidecar.istio.io~1proxyCPULimit: got "yess"; use a quantity, such as '
    "100m"
)
MODE_TEXT = (
    '/metadata/annotations/sidecar.istio.io~1interceptionMode: got "SIDE\'WAYS"; use REDIRECT, '
    "TPROXY, or NONE"
)
PORTS_TEXT = (
    '/metadata/annotations/traffic.sidecar.istio.io~1excludeInboundPorts: got "a,b"; use ports '
    "from 0 to 65535, separated by commas, such as 8080,9090"
)


def test_every_annotation_that_istio_checks_has_a_remedy() -> None:
    assert {rule.annotation for rule in annotations.RULES} == set(annotation_remedies.REMEDIES)


@pytest.mark.parametrize("release", ["1.0.1", "1.1.17", "1.8.6", "1.18.7", "1.30.3"])
@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({PORTS: "a,b"}, [PORTS_TEXT]),
        (
            {"sidecar.istio.io/interceptionMode": "SIDE'WAYS", PORTS: "a,b"},
            [
                MODE_TEXT,
                PORTS_TEXT,
            ],
        ),
    ],
    ids=["one", "two"],
)
def test_the_text_of_each_release(release: str, values: Any, expected: list[str]) -> None:
    profile = releases.parse_release(release)
    with pytest.raises(UserError) as error:
        annotations.check_annotations(profile, values)
    count = 1 if profile.first_violation_only else len(expected)
    assert [*annotation_remedies.find_remedies(str(error.value))] == expected[:count]


def test_the_part_of_a_proxy_configuration() -> None:
    with pytest.raises(UserError) as error:
        annotations.check_annotations(
            releases.newest(), {"proxy.istio.io/config": "concurrency: x"}
        )
    [text] = annotation_remedies.find_remedies(str(error.value))
    assert text.startswith(
        '/metadata/annotations/proxy.istio.io~1config: got "concurrency: x" (/concurrency: '
    )
    assert text.endswith("); use fields of Istio's ProxyConfig, such as concurrency: 2")


def test_other_messages_are_unchanged() -> None:
    assert annotation_remedies.describe_problem("no such template") == "no such template"


@pytest.fixture(name="file")
def file_fixture(tmp_path: Path) -> Path:
    """A pod with two impossible annotations."""
    pod: Any = yaml.load((SAMPLE / "input.web.yaml").read_text())
    pod["metadata"]["annotations"] |= {CPU: "yess", PORTS: "a,b"}
    file = tmp_path / "pod.yaml"
    file.write_text(yaml.dump(pod))
    return file


@pytest.mark.parametrize("words", [("inject",), ("inject", "--webhook")], ids=" ".join)
def test_inject(words: tuple[str, ...], file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*words, "-f", str(file), *FILES]) == 1
    err = capsys.readouterr().err
    assert f"{PORTS_TEXT}; {CPU_TEXT}" in err
    assert "error occurred" not in err


def test_explain_adds_the_remedies_to_the_text_of_istio(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The trace shows what the webhook answers, which is Istio's text."""
    assert main(["explain", "-f", str(file), *FILES]) == 4
    out = capsys.readouterr().out
    assert "2 errors occurred" in out
    assert CPU_TEXT in out
    assert PORTS_TEXT in out
