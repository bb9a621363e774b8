"""The environment: what it may say, and that every impossible value is named at once."""

from pathlib import Path

import pytest

from podgraft.web import Auth, Settings, SettingsError, settings


def test_a_folder_is_all_that_is_needed(tmp_path: Path) -> None:
    read = settings.read({"PODGRAFT_STORE": f"file:{tmp_path}", "PATH": "/bin", "PODGRAF": "x"})
    assert read == Settings(folder=tmp_path, auth=Auth.TOKEN)


@pytest.mark.parametrize("auth", Auth)
def test_every_kind_of_authentication_is_known(auth: Auth, tmp_path: Path) -> None:
    read = settings.read({"PODGRAFT_STORE": f"file:{tmp_path}", "PODGRAFT_AUTH": auth})
    assert read.auth is auth


def test_every_fault_is_named_at_once(tmp_path: Path) -> None:
    environment = {
        "PODGRAFT_STORE": f"file:{tmp_path}/missing",
        "PODGRAFT_AUTH": "nobody",
        "PODGRAFT_ATUH": "token",
    }
    with pytest.raises(SettingsError) as error:
        settings.read(environment)
    assert error.value.faults == (
        "PODGRAFT_ATUH: is unknown; known: PODGRAFT_STORE, PODGRAFT_AUTH",
        f"PODGRAFT_STORE: {tmp_path}/missing is no folder",
        "PODGRAFT_AUTH: got 'nobody'; use token, mtls, none",
    )


@pytest.mark.parametrize("value", ["", "s3", "file", "file:", "http://x"])
def test_a_store_is_a_scheme_and_a_place(value: str) -> None:
    with pytest.raises(SettingsError) as error:
        settings.read({"PODGRAFT_STORE": value})
    assert error.value.faults == (f"PODGRAFT_STORE: got {value!r}; use file:<folder>",)
