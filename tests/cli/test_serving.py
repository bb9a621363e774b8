"""What ``podgraft serve`` finds in its store before it listens."""

from pathlib import Path

import pytest

from cli.test_serve import Start, folder, start
from events.broken import BROKEN, POLICY, Broken
from events.kept import keep
from podgraft.cli import main
from podgraft.cli.failure import CommandError
from podgraft.cli.serving import check_store
from podgraft.store import DirectoryStore

__all__ = ["folder", "start"]


@pytest.mark.parametrize("broken", BROKEN, ids=str)
def test_a_store_of_which_nothing_renders_is_not_served(broken: Broken, tmp_path: Path) -> None:
    keep(tmp_path, "shop", policy=POLICY, files=broken.files)
    if "injector.yaml" not in broken.files:
        (tmp_path / "shop" / "policy.yaml").unlink()
    with pytest.raises(CommandError, match=r"injector shop does not load: ") as caught:
        check_store(DirectoryStore(tmp_path))
    assert broken.problem in str(caught.value)


def test_one_broken_injector_stops_no_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    keep(tmp_path, "good")
    keep(tmp_path, "bad", policy=POLICY, files=BROKEN[0].files)
    check_store(DirectoryStore(tmp_path))
    said = capsys.readouterr().err
    assert said.startswith("error: injector bad does not load: ")
    assert "good" not in said


def test_an_empty_store_has_nothing_to_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    check_store(DirectoryStore(tmp_path))
    assert capsys.readouterr().err == ""


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
