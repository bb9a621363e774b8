"""The table of Istio's mesh messages is what the data says."""

from __future__ import annotations

from pathlib import Path

import pytest

import mesh_types


def test_the_table_is_fresh() -> None:
    assert mesh_types.TARGET.read_text(encoding="utf-8") == mesh_types.make_table()
    assert mesh_types.main(["--check"]) == 0


def test_a_table_that_is_not_fresh_fails_the_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Writing makes it fresh again."""
    target = tmp_path / "mesh.json"
    target.write_text("")
    monkeypatch.setattr(mesh_types, "TARGET", target)

    assert mesh_types.main(["--check"]) == 1
    assert mesh_types.main([]) == 0
    assert mesh_types.main(["--check"]) == 0
