"""Time zones by name do not depend on the machine."""

import subprocess
import sys
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from podgraft.base import zones
from podgraft.base.zones import UnknownZoneError, find_zone

SUMMER = 1_785_000_000
_PROGRAM = "from podgraft.base.zones import find_zone; print(find_zone('Europe/Berlin', 0))"


@pytest.mark.parametrize(
    ("name", "seconds", "zone"),
    [
        ("Europe/Berlin", SUMMER, ("CEST", 7200)),
        ("Europe/Berlin", SUMMER + 180 * 86400, ("CET", 3600)),
        (
            "America/New_York",
            SUMMER + 100 * 366 * 86400,
            ("EDT", -4 * 3600),
        ),  # no transition in the file
        ("Etc/GMT+5", 0, ("-05", -5 * 3600)),
        ("Asia/Tokyo", 253_402_300_799, ("JST", 9 * 3600)),
        ("America/New_York", -62_135_596_800, ("LMT", -17_762)),
    ],
)
def test_a_name_has_the_zone_of_the_time(name: str, seconds: int, zone: tuple[str, int]) -> None:
    assert find_zone(name, seconds) == zone


@pytest.mark.parametrize(
    "name",
    [
        "Nope",
        "Europe",
        "../zones",
        "/etc/localtime",
        "zone.tab",
        "leapseconds",
        "a b",
        "",
        "\0",
        "é",
    ],
)
def test_another_name_is_unknown(name: str) -> None:
    with pytest.raises(UnknownZoneError):
        find_zone(name, 0)


@pytest.mark.parametrize("has_files", [False, True])
def test_the_database_of_the_system_changes_nothing(tmp_path: Path, *, has_files: bool) -> None:
    if has_files:
        (tmp_path / "Europe").mkdir()
        (tmp_path / "Europe" / "Berlin").write_bytes(b"TZif")
    environment = {"PYTHONTZPATH": str(tmp_path), "TZ": "Asia/Tokyo"}
    printed = subprocess.run(
        [sys.executable, "-c", _PROGRAM], env=environment, check=True, capture_output=True
    )
    assert printed.stdout == b"('CET', 3600)\n"


def test_without_the_package_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    zones._load_zone.cache_clear()  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setitem(sys.modules, "tzdata", None)
    with pytest.raises(ModuleNotFoundError) as missing:
        find_zone("Europe/Berlin", 0)
    assert missing.value.name == "tzdata"


def test_zones_are_those_of_python() -> None:
    assert find_zone("Europe/Berlin", 0) == ("CET", 3600)
    assert isinstance(zones._load_zone("Europe/Berlin"), ZoneInfo)  # pyright: ignore[reportPrivateUsage]
