"""``podgraft policy edit``: in AWS and in folders, with all that can go wrong in between."""

import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from podgraft.cli.config_source import ConfigFolder
from podgraft.cli.policy import edit_command
from podgraft.cli.policy.local import CheckedBundle
from podgraft.core import bundle
from podgraft.core.signing.verifier import make_verifier
from podgraft.service.store.folder import FolderStore
from support.policy_account import REMOTE, Account, Result, Run, answer_prompts
from support.programs import PYTHON
from support.signers import MemorySigner
from support.store_fixture import BUNDLE

Editor = Callable[..., None]
TAG = ('"1.30.0"', '"1.30.1"')


@pytest.fixture
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Editor:
    """Set EDITOR to a program that replaces a text in each file, then runs more code."""
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)

    def set_editor(old: str = "", new: str = "", more: str = "") -> None:
        script = tmp_path / "editor.py"
        script.write_text(
            "import pathlib, sys\n"
            f"pathlib.Path({str(tmp_path / 'opened')!r}).write_text('\\n'.join(sys.argv[1:]))\n"
            "for name in sys.argv[1:]:\n"
            "    path = pathlib.Path(name)\n"
            f"    path.write_text(path.read_text().replace({old!r}, {new!r}))\n" + more
        )
        monkeypatch.setenv("EDITOR", f"{PYTHON} {script}")

    return set_editor


def edit(run: Run, *more: str) -> Result:
    return run("edit", *REMOTE, "--yes", *more)


def opened(tmp_path: Path) -> list[str]:
    return [
        path.partition("podgraft-edit-")[2].partition("/")[2]
        for path in (tmp_path / "opened").read_text().splitlines()
    ]


def leftovers(tmp_path: Path) -> list[Path]:
    return [*tmp_path.glob("podgraft-edit-*")]


def test_an_edit_is_checked_shown_and_in_force(
    run: Run, local: Path, account: Account, editor: Editor, tmp_path: Path
) -> None:
    assert run("push", str(local), *REMOTE).status == 0
    editor(*TAG)

    result = edit(run, "-m", "a hotfix")

    assert result.status == 0, result.err
    assert "+    image: registry.example.com/proxy:1.30.1" in result.out
    assert "version 2 of /podgraft-dev/shop/policy is in force" in result.out
    assert "podgraft rollback 1 " in result.out
    assert account.versions()[1]["Description"] == "a hotfix"
    assert opened(tmp_path) == ["policy.yaml", "bundle/injector.yaml", "bundle/mesh.yaml"]
    assert leftovers(tmp_path) == []


def test_named_files_only(
    run: Run, local: Path, account: Account, editor: Editor, tmp_path: Path
) -> None:
    assert run("push", str(local), *REMOTE).status == 0
    editor("policy: enabled", "policy: disabled")
    assert edit(run, "policy.yaml").status == 0
    assert opened(tmp_path) == ["policy.yaml"]
    assert account.documents()[1].startswith("policy: disabled\nbundle: ")
    result = edit(run, "bundle/absent.yaml")
    assert "unknown file bundle/absent.yaml; name some of policy.yaml, bundle/inj" in result.err
    assert leftovers(tmp_path) == []


def test_no_edit_changes_nothing(
    run: Run, local: Path, account: Account, editor: Editor, tmp_path: Path
) -> None:
    assert run("push", str(local), *REMOTE).status == 0
    editor()
    result = edit(run)
    assert (result.status, "nothing is changed" in result.out) == (0, True)
    assert (len(account.versions()), leftovers(tmp_path)) == (1, [])


def test_edits_remain_if_the_check_finds_an_error(
    run: Run, local: Path, account: Account, editor: Editor, tmp_path: Path
) -> None:
    """The printed command puts the corrected edits in force."""
    assert run("push", str(local), *REMOTE).status == 0
    editor("policy: enabled", "policy: enabledd")

    result = edit(run, "policy.yaml")

    assert (result.status, len(account.versions())) == (1, 1)
    (folder,) = leftovers(tmp_path)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert f"the edits are not in force; they are in {folder}; to continue" in result.err
    line = result.err[result.err.index("podgraft push") :].splitlines()[0]
    (folder / "policy.yaml").write_text("policy: disabled\n")
    assert run(*shlex.split(line)[1:]).status == 0
    assert len(account.versions()) == 2


def test_a_change_meanwhile_is_not_replaced(
    run: Run, local: Path, account: Account, editor: Editor, monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:  # fmt: skip
    assert run("push", str(local), *REMOTE).status == 0
    editor(*TAG)
    document = account.documents()[0]
    original = edit_command.check_bundle

    def check_and_change(folder: ConfigFolder) -> CheckedBundle:
        account.put(document + "# by a colleague\n")
        return original(folder)

    monkeypatch.setattr(edit_command, "check_bundle", check_and_change)
    result = edit(run)
    assert result.status == 1
    assert "expected version 1, got version 2" in result.err
    assert account.documents()[-1].endswith("# by a colleague\n")
    assert len(leftovers(tmp_path)) == 1


def test_an_edit_without_a_confirmation_remains(
    run: Run, local: Path, account: Account, editor: Editor, monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:  # fmt: skip
    assert run("push", str(local), *REMOTE).status == 0
    editor(*TAG)
    answer_prompts(monkeypatch, "n")
    result = run("edit", *REMOTE)
    assert (result.status, len(account.versions()), len(leftovers(tmp_path))) == (1, 1, 1)
    assert "error: not confirmed; nothing is changed" in result.err


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("/absent/editor", "editor /absent/editor: "),
        ("false", "editor false: exit status 1"),
        ("'", "editor ': No closing quotation; set EDITOR to a command"),
    ],
)
def test_an_editor_that_fails(
    run: Run, local: Path, account: Account, monkeypatch: pytest.MonkeyPatch, command: str,
    message: str,
) -> None:  # fmt: skip
    assert run("push", str(local), *REMOTE).status == 0
    monkeypatch.setenv("VISUAL", command)
    result = edit(run)
    assert (result.status, message in result.err, len(account.versions())) == (1, True, 1)


def test_a_new_file_is_part_of_the_bundle(
    run: Run, local: Path, account: Account, editor: Editor
) -> None:
    assert run("push", str(local), *REMOTE).status == 0
    manifest = "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n"
    editor(
        more="folder = pathlib.Path(sys.argv[1]).parent / 'bundle'\n"
        f"(folder / 'more.yaml').write_text({manifest!r})\n"
        "(folder / '.more.yaml.swp').write_text('editor')\n"
        "(folder / 'mesh.yaml~').write_text('editor')\n"
    )
    result = edit(run)
    assert result.status == 0, result.err
    names = {key.rpartition("/")[2] for key in account.object_keys()}
    assert names == {"injector.yaml", "mesh.yaml", "more.yaml"}


def folder_options(store: Path) -> tuple[str, ...]:
    return ("--config", str(store), "--injector", "shop")


def test_an_edit_of_a_folder(run: Run, store: Path, editor: Editor, tmp_path: Path) -> None:
    editor(*TAG)
    result = run("edit", *folder_options(store), "--yes")
    assert result.status == 0, result.err
    assert '"1.30.1"' in (store / "shop/bundle/injector.yaml").read_text()
    assert (store / "shop/policy.yaml").read_text() == "policy: enabled\n"
    assert sorted(path.name for path in (store / "shop").iterdir()) == ["bundle", "policy.yaml"]
    assert leftovers(tmp_path) == []


def test_a_folder_with_a_digest_gets_another_bundle(
    run: Run, store: Path, editor: Editor, local: Path
) -> None:
    """The policy switches to the new bundle at once; the old one remains for prune."""
    assert run("diff", str(local), *folder_options(store)).status == 0
    digest = bundle.digest(BUNDLE)
    (store / "shop/policy.yaml").write_text(f"policy: enabled\nbundle: {digest}\n")
    editor(*TAG)
    result = run("edit", *folder_options(store), "--yes", "bundle/injector.yaml")
    assert result.status == 0, result.err
    (new,) = (store / "shop/bundles").iterdir()
    assert (store / "shop/policy.yaml").read_text() == (
        f"policy: enabled\nbundle: sha256:{new.name}\n"
    )
    assert '"1.30.0"' in (store / "shop/bundle/injector.yaml").read_text()
    assert FolderStore(store).snapshot("shop", None).bundle.digest == f"sha256:{new.name}"


def test_a_denied_bundle_does_not_come_into_force(run: Run, store: Path, editor: Editor) -> None:
    before, after = (each.encode() for each in TAG)
    edited = {name: content.replace(before, after) for name, content in BUNDLE.items()}
    (store / "denied.yaml").write_text(f"{bundle.digest(edited)}: old proxy\n")
    editor(*TAG)
    result = run("edit", *folder_options(store), "--yes")
    assert (result.status, "is denied: old proxy" in result.err) == (1, True)
    assert (store / "shop/bundle/injector.yaml").read_bytes() == BUNDLE["injector.yaml"]


def test_a_signed_folder_must_be_signed_again(
    run: Run, store: Path, editor: Editor, tmp_path: Path
) -> None:
    signer = MemorySigner()
    key = tmp_path / "signer.key"
    key.write_text(signer.private_pem)
    sign = (
        "sign", str(store / "shop"),
        "--injector", "shop", "--sign-key", str(key),
    )  # fmt: skip
    assert run(*sign).status == 0
    editor(*TAG)
    edit_bundle = ("edit", *folder_options(store), "--yes", "bundle/injector.yaml")
    result = run(*edit_bundle)
    assert (result.status, "is signed; sign the new version with --sign" in result.err) == (1, True)
    assert run(*edit_bundle, "--sign-key", str(key)).status == 0
    verifier = make_verifier(signer.public_pem)
    assert FolderStore(store, verifier=verifier).snapshot("shop", None)


@pytest.mark.parametrize(
    ("more", "status", "message"),
    [
        (("--message", "a"), 2, "--message: a folder has no messages"),
        (("--injector", "new"), 1, "injector new has no policy: "),
    ],
)
def test_options_that_a_folder_does_not_have(
    run: Run, store: Path, editor: Editor, more: tuple[str, ...], status: int, message: str
) -> None:
    editor(*TAG)
    result = run("edit", *folder_options(store), *more)
    assert (result.status, message in result.err) == (status, True)


def test_an_edit_corrects_a_folder_that_does_not_load(
    run: Run, store: Path, editor: Editor
) -> None:
    (store / "shop/policy.yaml").write_text("policy: enabledd\n")
    editor("enabledd", "disabled")
    result = run("edit", *folder_options(store), "--yes", "policy.yaml")
    assert result.status == 0, result.err
    assert (store / "shop/policy.yaml").read_text() == "policy: disabled\n"


def test_an_edit_corrects_a_newest_version_that_does_not_load(
    run: Run, local: Path, account: Account, editor: Editor
) -> None:
    """The bundle is that of the version in force."""
    assert run("push", str(local), *REMOTE).status == 0
    account.put("policy: [\n")
    editor("policy: [", "policy: disabled")
    result = edit(run, "policy.yaml")
    assert result.status == 0, result.err
    assert "warning: version 2 does not load" in result.err
    documents = account.documents()
    assert documents[2] == documents[0].replace("enabled", "disabled")
