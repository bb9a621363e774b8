"""``podgraft playground``: the files of one folder on loopback, and nothing else."""

import http.client
from collections.abc import Iterator
from pathlib import Path

import pytest

from podgraft import cli
from podgraft.cli.playground import open_server
from support.server_thread import run_server

PAGE = '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'"><p>page</p>'


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    """A server over a small page."""
    folder = tmp_path / "page"
    (folder / "id").mkdir(parents=True)
    (folder / "index.html").write_text(PAGE)
    (folder / "id" / "app.js").write_text("1;\n" * 100)
    (folder / "id" / "site.zip").write_bytes(b"zip")
    (folder / "id" / "site.zip.gz").write_bytes(b"gzip")
    (folder / "id" / "link.js").symlink_to(tmp_path / "secret")
    (tmp_path / "secret").write_text("secret")
    server = open_server(folder, 0)
    with run_server(server):
        yield server.server_port


def fetch(
    port: int, path: str, method: str = "GET", encoding: str = ""
) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request(method, path, headers={"Accept-Encoding": encoding})
    response = connection.getresponse()
    content = response.read()
    headers = {name.lower(): value for name, value in response.getheaders()}
    connection.close()
    return response.status, headers, content


def test_the_page_has_its_policy_as_a_header(port: int) -> None:
    status, headers, content = fetch(port, "/?query")

    assert (status, content.decode()) == (200, PAGE)
    assert headers["content-security-policy"] == "default-src 'none'"
    assert headers["content-type"] == "text/html; charset=utf-8"
    assert headers["cache-control"] == "no-cache"


def test_files_of_a_hash_are_cached_for_a_year(port: int) -> None:
    _, headers, content = fetch(port, "/id/app.js", encoding="gzip, br")

    assert (headers["cache-control"], content[:2]) == ("public, max-age=31536000, immutable", b"1;")
    assert headers["content-type"].startswith("text/javascript")


def test_an_archive_is_sent_as_it_is(port: int) -> None:
    _, headers, _ = fetch(port, "/id/site.zip.gz")

    assert headers["content-type"] == "application/gzip"
    assert "content-encoding" not in headers


def test_head_sends_no_body(port: int) -> None:
    status, headers, content = fetch(port, "/id/site.zip", "HEAD")

    assert (status, headers["content-length"], content) == (200, "3", b"")


@pytest.mark.parametrize(
    "path",
    [
        "/../secret",
        "/%2e%2e/secret",
        "//../secret",
        "/id/link.js",
        "/id",
        "/other",
        "/%00",
        "/id/../../secret",
    ],
)
def test_no_other_file_is_served(port: int, path: str) -> None:
    status, _, content = fetch(port, path)

    assert status == 404
    assert b"secret" not in content


def test_nothing_can_be_written(port: int) -> None:
    assert fetch(port, "/index.html", "POST")[0] == 405


def test_a_folder_without_a_page_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["playground", "--folder", str(tmp_path)]) == 1
    assert "run make playground" in capsys.readouterr().err
