"""The options and settings for the live web, from the command line to the server that sees what comes of them."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import trustme

import pinakes
from pinakes.cli import main
from pinakes.testing import serve

COOKIES = "a.example\tFALSE\t/\tFALSE\t0\tsession\tsecret\n"


class Site(ThreadingHTTPServer):
    """Every host: a front page, on one of them with links, and a long page."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Asked)
        self.asked: list[tuple[str, str, dict[str, str]]] = []


class _Asked(BaseHTTPRequestHandler):
    server: Site

    def do_GET(self) -> None:
        host = self.headers["Host"]
        self.server.asked.append((host, self.path, {name.lower(): value for name, value in self.headers.items()}))
        links = [] if (host, self.path) != ("a.example", "/") else ["/long", "http://b.example/"]
        body = "Owls. " + "".join(f"<a href='{link}'>owls</a>" for link in links)
        body += "owl " * 10_000 if self.path == "/long" else ""
        self.send_response(404 if self.path == "/robots.txt" else 200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, format: str, *args: Any) -> None: ...


@pytest.fixture
def site() -> Iterator[Site]:
    server = Site()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def crawl(folder: Path, port: int, *more: str) -> tuple[object, list[str]]:
    arguments = ["crawl", "--topic", "owls", "--seed", "http://a.example/", "--into", str(folder / "library"), "--json"]
    arguments += ["--strategy", "breadth-first", "--delay", "0", "--resolve", f"*=127.0.0.1:{port}", *more]
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    return ended.value.code, arguments


def test_what_lifts_a_guard_says_so(tmp_path: Path, site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    """Each by its name, and on the error output, so that what is printed stays what was asked for."""
    ca = tmp_path / "ca.pem"
    trustme.CA().cert_pem.write_to_path(str(ca))
    code, _ = crawl(
        tmp_path, site.server_port, "--contact", "me@example.org", "--pages", "1", "--allow-private", "--ca", str(ca)
    )
    told = capsys.readouterr()
    assert code == 0 and json.loads(told.out.splitlines()[-1])["pages"] == 1
    for option in ("--allow-private", "--resolve", "--ca"):
        assert f"{option} is for tests and intranets" in told.err


def test_a_crawl_that_gets_not_a_single_page_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It says why and exits 1, so that scripts notice; nothing is lost, and the crawl can be told more."""
    with serve({}) as empty:
        code, _ = crawl(tmp_path, empty.port, "--contact", "me@example.org")
    told = capsys.readouterr().out
    assert code == 1 and json.loads(told.splitlines()[-1])["pages"] == 0
    assert "No page could be fetched: There is no such page." in told and "or give others by --seed." in told
    assert pinakes.status(tmp_path / "library").crawls[-1].pages == 0


def test_without_a_contact_one_line_says_what_to_do(
    tmp_path: Path, site: Site, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody is asked, and nothing is written."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "none"))
    code, _ = crawl(tmp_path, site.server_port)
    assert code == 1 and 'contact = "you@example.org"' in capsys.readouterr().err.splitlines()[-1]
    assert not site.asked and not (tmp_path / "library").exists()


@pytest.mark.parametrize("processes", ["1", "2"])
def test_the_configuration_reaches_the_wire(
    tmp_path: Path, site: Site, capsys: pytest.CaptureFixture[str], processes: str
) -> None:
    """Contact, login, timeout and size; the login's cookie goes to its site and to no other."""
    (tmp_path / "cookies.txt").write_text(COOKIES)
    settings = tmp_path / "some.toml"
    settings.write_text(
        'contact = "me@example.org"\n[logins]\n"http://a.example" = "cookies.txt"\n'
        "[limits]\ntimeout = 7.5\nlargest = 20_000\n"
    )
    code, _ = crawl(tmp_path, site.server_port, "--config", str(settings), "--processes", processes)
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert code == 0 and told["outcomes"] == {"ok": 3}
    cookies = {(host, headers.get("cookie", "")) for host, _, headers in site.asked}
    assert cookies == {("a.example", "session=secret"), ("b.example", "")}
    assert {headers["from"] for _, _, headers in site.asked} == {"me@example.org"}
    (recipe,) = (tmp_path / "library" / "recipes").iterdir()
    assert json.loads(recipe.read_text())["options"]["live"]["timeouts"] == {
        **dict.fromkeys(("connect", "head", "read"), 7.5),
        "total": 60.0,
    }
    archive = b"".join(path.read_bytes() for path in (tmp_path / "library" / "archive").glob("*.warc.gz"))
    assert b"secret" not in archive and _kept(tmp_path / "library") == 20_000


@pytest.mark.parametrize(
    ("given", "dropped"),
    [((), 1), (("--ignore-rel", "none"), 0), (("--ignore-rel", "nofollow"), 1), (("--ignore-rel", "ugc"), 1)],
)
def test_links_that_a_site_does_not_answer_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], given: tuple[str, ...], dropped: int
) -> None:
    """Are not followed, are told, and are followed on demand; so is an address that is linked in earnest elsewhere."""
    front = "<p>Owls <a href='/ad' rel='sponsored'>a</a> <a href='/b' rel='UGC'>b</a> <a href='/c' rel=nofollow>c</a>"
    pages = {
        "http://a.example/": front + "<a href='/d'>d</a>",
        "http://a.example/d": "Owls, again <a href='/ad'>in earnest</a>",
        **{f"http://a.example/{name}": f"Owls of {name}" for name in ("ad", "b", "c")},
    }
    with serve(pages) as server:
        code, _ = crawl(tmp_path, server.port, "--contact", "me@example.org", "--no-dedup", *given)
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert code == 0 and told["outcomes"] == {"ok": 5 - dropped}
    assert told["dropped"] == ({"scope:rel": told["dropped"]["scope:rel"]} if dropped else {})


def _kept(library: Path) -> int:
    """Bytes of the long page in the archive."""
    from pinakes.formats import http
    from pinakes.formats.warc_reader import Record, records

    (file,) = (library / "archive").glob("*.warc.gz")
    found = [one for one in records(file) if isinstance(one, Record) and one.kind == "response"]
    return len(next(http.parse(one.block).body for one in found if one.url.endswith("/long")))
