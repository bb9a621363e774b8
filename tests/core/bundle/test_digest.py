"""The digest names a bundle by paths and contents, and by nothing else."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgraft.core import bundle
from support.store_fixture import BUNDLE, write

FILES = st.dictionaries(
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=5).filter(
        lambda path: bundle.validate_path(path) is None
    ),
    st.binary(max_size=5),
    max_size=4,
)


def test_a_recorded_bundle_has_its_recorded_digest() -> None:
    """Pushed bundles are found by it: it must not change between releases."""
    assert bundle.digest({"b.yaml": b"two\n", "a/c.json": b"one"}) == (
        "sha256:fe09dd4d3bd622c0e9ef3900c4f7678a4ef7efb0810756bc1e13b0e696938103"
    )


def test_standard_tools_compute_the_same_digest(tmp_path: Path) -> None:
    for path, content in {**BUNDLE, "deep/er.yaml": b"x", "Z.yaml": b""}.items():
        write(tmp_path / path, content)
    files = {
        path.relative_to(tmp_path).as_posix(): path.read_bytes()
        for path in tmp_path.rglob("*.yaml")
    }
    command = r"find . -name '*.yaml' -printf '%P\n' | LC_ALL=C sort | xargs sha256sum | sha256sum"
    printed = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert bundle.digest(files) == f"sha256:{printed.stdout.split()[0]}"


@given(FILES)
def test_the_digest_does_not_depend_on_the_order_of_files(files: dict[str, bytes]) -> None:
    assert bundle.digest(dict(reversed(files.items()))) == bundle.digest(files)


@given(FILES, FILES)
def test_different_bundles_have_different_digests(
    left: dict[str, bytes], right: dict[str, bytes]
) -> None:
    assert (bundle.digest(left) == bundle.digest(right)) is (left == right)


PATHS = (
    ("injector.yaml", True),
    ("deep/er/mesh.yml", True),
    ("list.json", True),
    ("README.md", False),
    ("values.yaml.bak", False),
    ("yaml", False),
    (".hidden.yaml", False),
    ("..data/injector.yaml", False),
    (".git/config.yaml", False),
)


@pytest.mark.parametrize(("path", "belongs"), PATHS)
def test_the_bundle_contains_the_files_that_kubectl_applies(path: str, belongs: bool) -> None:
    assert bundle.is_manifest(path) is belongs


INVALID_PATHS = (
    "",
    "/abs/path/a.yaml",
    "//a.yaml",
    "a//b.yaml",
    "a/",
    ".",
    "./a.yaml",
    "..",
    "../a.yaml",
    "a/../../b.yaml",
    "a/..",
    "..\\a.yaml",
    "a\nb.yaml",
    "a\x00.yaml",
)


@pytest.mark.parametrize("path", INVALID_PATHS)
def test_no_file_of_a_bundle_leaves_its_folder(path: str) -> None:
    """Anyone who can write to the bucket chooses the keys that an operator downloads."""
    assert bundle.validate_path(path) is not None
    with pytest.raises(bundle.BundleError, match="rename or delete the file") as refused:
        bundle.digest({"a.yaml": b"", path: b""})
    assert [fault.document for fault in refused.value.errors] == [repr(path)]


@pytest.mark.parametrize(
    "path", ["a.yaml", "..a.yaml", "a..b/c...yaml", "a b/é.json", "a/.b/c.yml"]
)
def test_names_with_dots_and_spaces_are_valid_paths(path: str) -> None:
    assert bundle.validate_path(path) is None
    assert bundle.digest({path: b""}).startswith("sha256:")
