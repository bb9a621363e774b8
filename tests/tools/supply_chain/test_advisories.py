"""Advisories in the OSV format affect the versions that the format defines."""

import json
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from supply_chain.advisories import AdvisoryError, read_advisories
from supply_chain.semver import parse_semver

RANGE: list[dict[str, str]] = [{"introduced": "1.0"}, {"fixed": "1.10"}]


def make_record(
    *events: dict[str, str], versions: tuple[str, ...] = (), **changes: Any
) -> dict[str, Any]:
    """A record about Some_Package."""
    affected = {
        "package": {"ecosystem": "PyPI", "name": "Some_Package"},
        "ranges": [{"type": "ECOSYSTEM", "events": list(events)}] if events else [],
        "versions": list(versions),
    }
    return {
        "id": "GHSA-1",
        "aliases": ["CVE-1"],
        "summary": "text",
        "affected": [affected],
    } | changes


def write(folder: Path, *records: object) -> Path:
    path = folder / "advisories.json"
    path.write_text(json.dumps(list(records)))
    return path


@pytest.mark.parametrize(
    ("events", "versions", "version", "fixed"),
    [
        # A range ends before its fix; 1.10 is later than 1.9
        (RANGE, (), "1.9", "1.10"),
        (RANGE, (), "1.0", "1.10"),
        (RANGE, (), "1.10rc1", "1.10"),
        (RANGE, (), "1.10", ""),
        (RANGE, (), "1.10.0", ""),
        (RANGE, (), "0.9", ""),
        # From the first version, and without a fix
        ([{"introduced": "0"}], (), "0.0.dev1", "-"),
        ([{"introduced": "0"}, {"last_affected": "2.0"}], (), "2.0", "-"),
        ([{"introduced": "0"}, {"last_affected": "2.0"}], (), "2.0.post1", ""),
        # Two intervals in one range, in any order
        ([{"fixed": "4"}, {"introduced": "3"}, *RANGE], (), "3.5", "4"),
        ([{"fixed": "4"}, {"introduced": "3"}, *RANGE], (), "2", ""),
        ([{"fixed": "4"}, {"introduced": "3"}, *RANGE], (), "1.1", "1.10"),
        # A limit closes the range
        ([{"introduced": "0"}, {"limit": "2"}], (), "1", "-"),
        ([{"introduced": "0"}, {"limit": "2"}], (), "2", ""),
        ([{"introduced": "0"}, {"limit": "*"}], (), "9", "-"),
        # Single versions, in any spelling; those from before PEP 440 match no pin
        ([], ("1.5.0", "0.1dev-r1"), "1.5", "-"),
        ([], ("1.5.0", "0.1dev-r1"), "1.6", ""),
        (RANGE, ("2.0",), "2.0", "-"),
    ],
)
def test_a_version_is_affected_as_osv_defines(
    events: list[dict[str, str]],
    versions: tuple[str, ...],
    version: str,
    fixed: str,
    tmp_path: Path,
) -> None:
    """*fixed* is - for an affected version without a fix, and empty for an unaffected version."""
    database = read_advisories(write(tmp_path, make_record(*events, versions=versions)))
    results = list(database.find("PyPI", "some-package", version))
    assert [each.fixed or "-" for each in results] == ([fixed] if fixed else [])


@pytest.mark.parametrize(
    "changes",
    [
        {"withdrawn": "2026-01-01T00:00:00Z"},
        {"affected": []},
        {"affected": [{"ranges": [{"type": "GIT", "events": [{"introduced": "0"}]}]}]},
        {"affected": [{"package": {"ecosystem": "Go", "name": "some-package"}, "versions": ["1"]}]},
        {"affected": [{"package": {"ecosystem": "PyPI", "name": "other"}, "versions": ["1"]}]},
    ],
)
def test_some_records_affect_nothing(changes: dict[str, Any], tmp_path: Path) -> None:
    valid = make_record({"introduced": "0"}, id="GHSA-2")
    path = write(tmp_path, make_record(versions=("1",)) | changes, valid)
    [result] = read_advisories(path).find("PyPI", "some-package", "1")
    assert result.advisory.id == "GHSA-2"


def test_npm_versions_compare_as_semantic_versions(tmp_path: Path) -> None:
    package = {"ecosystem": "npm", "name": "@scope/some"}
    events = [{"introduced": "1.0.0-rc.2"}, {"fixed": "2.0.0"}]
    affected = {"package": package, "ranges": [{"type": "SEMVER", "events": events}]}
    database = read_advisories(write(tmp_path, make_record(affected=[affected])))
    versions = ("1.0.0-rc.1", "1.0.0-rc.10", "1.0.0", "2.0.0-beta", "2.0.0")
    affected_versions = [v for v in versions if list(database.find("npm", "@scope/some", v))]
    assert affected_versions == ["1.0.0-rc.10", "1.0.0", "2.0.0-beta"]


def test_semantic_versions_have_the_order_of_their_specification() -> None:
    """The example of section 11."""
    ordered = (
        *("1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2"),
        *("1.0.0-beta.11", "1.0.0-rc.1", "1.0.0", "2.0.0", "2.1.0", "2.1.1"),
    )
    shuffled = sorted(ordered)
    assert sorted(shuffled, key=parse_semver) == list(ordered) != shuffled
    assert parse_semver("1.0.0+build") == parse_semver("1.0.0")
    with pytest.raises(ValueError, match="invalid version"):
        parse_semver("1.x")


YAML = """\
id: PYSEC-1
affected:
- package: {ecosystem: PyPI, name: some-package}
  ranges: [{type: ECOSYSTEM, events: [{introduced: 1.0}, {fixed: 1.10}]}]
"""


def test_a_folder_an_archive_and_yaml_are_read(tmp_path: Path) -> None:
    """The databases of OSV (all.zip) and of the Python Packaging Authority (YAML files)."""
    folder = tmp_path / "folder"
    (folder / "vulns" / "some").mkdir(parents=True)
    (folder / "README.md").write_text("no record")
    (folder / "vulns" / "some" / "PYSEC-1.yaml").write_text(YAML)
    (folder / "GHSA-1.json").write_text(json.dumps(make_record(*RANGE)))
    archive = tmp_path / "all.zip"
    with ZipFile(archive, "w") as packed:
        packed.writestr("GHSA-1.json", json.dumps(make_record(*RANGE)))
    for path, ids in ((folder, ["GHSA-1", "PYSEC-1"]), (archive, ["GHSA-1"])):
        database = read_advisories(path)
        results = list(database.find("PyPI", "Some.Package", "1.9"))
        assert [each.advisory.id for each in results] == ids
        assert {each.fixed for each in results} == {"1.10"}
        assert database.size == len(ids)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "contains no OSV advisory"),
        ("{", "invalid JSON or YAML; download the file again"),
        ("\xff", "invalid JSON or YAML"),
        ("3", "expected an OSV record"),
        ('{"affected": []}', "expected an OSV record"),
        ('{"id": "A", "affected": [{"package": {}}, 3]}', "expected an OSV record"),
    ],
)
def test_a_file_that_is_no_advisory_is_an_error(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "records.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(AdvisoryError, match=message):
        read_advisories(path)


def test_a_range_that_cannot_be_compared_is_an_error(tmp_path: Path) -> None:
    """Instead of a version that is reported as unaffected."""
    database = read_advisories(write(tmp_path, make_record({"introduced": "one"})))
    assert list(database.find("PyPI", "another", "1")) == []
    with pytest.raises(AdvisoryError, match=r"advisories\.json: GHSA-1: invalid version 'one'"):
        list(database.find("PyPI", "some-package", "1"))
