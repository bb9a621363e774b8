"""Archives depend on names and contents only."""

import io
import os
import tarfile
import zipfile
from pathlib import Path

from make_archives import make_layer
from supply_chain.archives import digest, normalize_sdist, normalize_wheel

FILES = {"b/two.py": b"2", "a.py": b"1", "b/__pycache__/two.pyc": b"\x00"}


def write_folder(folder: Path, names: list[str], mode: int, time: int) -> Path:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(FILES[name])
        path.chmod(mode)
        os.utime(path, (time, time))
    return folder


def test_a_layer_has_sorted_names_and_fixed_times_and_modes(tmp_path: Path) -> None:
    first = make_layer(write_folder(tmp_path / "first", sorted(FILES), 0o644, 10**9))
    second = make_layer(write_folder(tmp_path / "second" / "x", [*FILES], 0o755, 2 * 10**9))
    assert first == second
    with zipfile.ZipFile(io.BytesIO(first)) as archive:
        assert archive.namelist() == sorted(f"python/{name}" for name in FILES)
        assert {each.date_time for each in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert {each.external_attr >> 16 for each in archive.infolist()} == {0o100644}
        assert archive.read("python/a.py") == b"1"


def make_wheel(mode: int) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, text in FILES.items():
            member = zipfile.ZipInfo(name)
            member.external_attr = mode << 16
            archive.writestr(member, text)
    return content.getvalue()


def test_a_wheel_does_not_depend_on_the_umask() -> None:
    wheel = normalize_wheel(make_wheel(0o644))
    assert wheel == normalize_wheel(make_wheel(0o664))
    with zipfile.ZipFile(io.BytesIO(wheel)) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == FILES


def make_sdist(names: list[str], owner: str, mode: int, time: int) -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as archive:
        folder = tarfile.TarInfo("b")
        folder.type = tarfile.DIRTYPE
        archive.addfile(folder)
        for name in names:
            member = tarfile.TarInfo(name)
            member.size, member.uname, member.mode, member.mtime = 1, owner, mode, time
            archive.addfile(member, io.BytesIO(FILES[name]))
    return content.getvalue()


def test_a_source_archive_has_no_trace_of_its_builder() -> None:
    first = normalize_sdist(make_sdist(sorted(FILES), "root", 0o644, 10**9))
    second = normalize_sdist(make_sdist([*FILES], "builder", 0o775, 2 * 10**9))
    assert digest(first) == digest(second)
    with tarfile.open(fileobj=io.BytesIO(first)) as archive:
        assert archive.getnames() == sorted(FILES)
        for member in archive:
            fields = (member.uname, member.uid, member.mtime, member.mode)
            assert fields == ("", 0, 0, 0o644)
