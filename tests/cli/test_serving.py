"""What ``podgraft serve`` finds in its store before it listens."""

from pathlib import Path

import pytest

from cli.test_serve import Start, folder, start
from events.broken import BROKEN, POLICY, Broken
from events.kept import keep
from podgraft.cli import main
from podgraft.cli.survey import Survey, survey
from podgraft.store import DirectoryCallers, DirectoryStore
from podgraft.web import Auth

__all__ = ["folder", "start"]


def find(folder: Path) -> Survey:
    return survey(folder, DirectoryStore(folder), DirectoryCallers(folder), Auth.NONE)


@pytest.mark.parametrize("broken", BROKEN, ids=str)
def test_a_store_of_which_nothing_renders_is_not_served(broken: Broken, tmp_path: Path) -> None:
    keep(tmp_path, "shop", policy=POLICY, files=broken.files)
    if "injector.yaml" not in broken.files:
        (tmp_path / "shop" / "policy.yaml").unlink()
    report = find(tmp_path)
    assert not report.is_usable
    [error] = report.errors
    assert "injector shop does not load: " in error
    assert broken.problem in error


def test_one_broken_injector_stops_no_other(tmp_path: Path) -> None:
    keep(tmp_path, "good")
    keep(tmp_path, "bad", policy=POLICY, files=BROKEN[0].files)
    report = find(tmp_path)
    assert report.is_usable
    [error] = report.errors
    assert "injector bad does not load: " in error


def test_serve_ends_before_it_listens(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name in [path.name for path in (folder / "store").iterdir()]:
        if name != "auth":
            (folder / "store" / name / "policy.yaml").write_text("policy: [")
    words = ["--cert", "certificates/server.pem", "--key", "certificates/server.key"]
    assert main(["serve", "--store", "store", *words, "--host", "127.0.0.1", "--port", "0"]) == 1
    assert "does not load" in capsys.readouterr().err


def test_serve_keeps_what_renders(start: Start, folder: Path) -> None:
    keep(folder / "store", "broken", policy=POLICY, files=BROKEN[0].files)
    assert "injector broken does not load" in start().stop()
