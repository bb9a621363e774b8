"""The program behind ``make e2e-live``."""

import pytest

import e2e_live


def test_without_go_the_program_reports_it_and_succeeds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "")
    assert e2e_live.main([]) == 0
    assert "e2e-live: skipped: Go is not installed" in capsys.readouterr().out
