"""The features on the start page of the site: commands that exist, and the figure of the README."""

import re

import pytest

from docs.limits import ROOT
from podgraft import cli

TEXT = (ROOT / "tools" / "site_features.md").read_text()
FEATURES = TEXT.split("\n- ")[1:]


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`podgraft (\w+)`", TEXT))))
def test_each_command_of_the_features_exists(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([name, "--help"]) == 0
    assert f"podgraft {name}" in capsys.readouterr().out


def test_the_features_have_the_releases_of_the_readme() -> None:
    [count] = re.findall(r"golden tests of (\d+) Istio", " ".join(TEXT.split()))
    assert f"golden tests of {count} Istio releases" in (ROOT / "README.md").read_text()


def test_each_feature_is_short_and_leads_to_a_page() -> None:
    assert len(FEATURES) == 6
    for feature in FEATURES:
        [target] = re.findall(r"\]\(([^)#]+)[^)]*\)", feature)
        assert (ROOT / target).exists(), target
        assert len(feature.split()) <= 36, feature
