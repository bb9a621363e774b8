"""The program behind ``make e2e-kube``."""

import pytest

import e2e_kube


def test_without_go_the_program_reports_it_and_succeeds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "")
    assert e2e_kube.main([]) == 0
    assert "e2e-kube: skipped: Go is not installed" in capsys.readouterr().out
