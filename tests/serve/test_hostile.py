"""Pages that mean harm, as data: titles, snippets, addresses and stored copies with scripts, marks that turn the
direction of writing, titles of a megabyte. Everything is shown, nothing of it acts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from pinakes.jobs.collect import CollectOptions, collect
from pinakes.library.fulltext import FullText
from pinakes.library.library import Library
from pinakes.serve.keeper import keep_up
from pinakes.testing.recording import a, html, recorded, write

SCRIPT = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
ESCAPED = SCRIPT.replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
BIDI = "\u202egnp.exe\u202c \u2067turned\u2069 \u200fmark"
TOPIC = '"><script>document.title="owned"</script>'
ACTIVE = 'main script:not([type="application/json"]), main img'
WORDS = "owls hunt voles at night in the meadow and carry pellets to the barn"
HOST = "http://evil.example"
BASE = f"{HOST}/?q=%22%3E%3Cscript%3Edocument.title='owned'%3C/script%3E"


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory, listen: Callable[..., Any]) -> Iterator[Any]:
    folder = tmp_path_factory.mktemp("hostile")
    pages = {
        f"{HOST}/": html("Owls", WORDS, a("/scripted", ESCAPED), a("/turned", BIDI), a("/long"), a("/big"),
                         a(BASE, "q"), a("javascript:alert(1)", "js"), a("/frame")),
        f"{HOST}/scripted": html(ESCAPED, SCRIPT, WORDS, ESCAPED, "owls and owls"),
        f"{HOST}/turned": html(BIDI, BIDI, WORDS, "owls in the barn, owls in the oak"),
        f"{HOST}/long": html("owl " * 250_000, WORDS, "a long title about owls"),
        f"{HOST}/big": html("Big", f"<p>{WORDS} {'x' * 300_000}</p>", "<b>" * 3000),
        BASE: html("An address with a script", WORDS, "owls again"),
        f"{HOST}/frame": html("Frames", WORDS, '<meta http-equiv="refresh" content="0;url=http://evil.example/go">',
                              '<base target="_top">', '<form action="http://evil.example/"><input name=a></form>',
                              '<iframe src="http://127.0.0.1/"></iframe><link rel=stylesheet href="http://evil.example/x.css">',
                              '<script>top.location="http://evil.example/"</script>'),
    }  # fmt: skip
    web = write(folder / "evil.warc.gz", [recorded(url, body) for url, body in pages.items()])
    topics = folder / "topics.toml"
    topics.write_text(f"seeds = ['{HOST}/']\n[[topic]]\nname = '{TOPIC}'\ndescription = '''{SCRIPT}'''\n"
                      f"examples = ['{HOST}/']\n[[topic]]\nname = '../../x'\n"
                      "examples = ['http://evil.example/big']\n")  # fmt: skip
    library = folder / "library"
    collect(CollectOptions(topics, library, web=str(web), pages=50))
    keep_up(library, FullText(library))
    with listen(library) as found:
        yield found


@pytest.fixture
def tab(browser: Any, hostile: Any) -> Iterator[Any]:
    """Every request and every dialog is noted."""
    context = browser.new_context()
    page = context.new_page()
    page.left, page.dialogs = [], []
    context.on("request", lambda one: page.left.append(one))  # noqa: PLW0108 playwright wants a function
    page.on("dialog", lambda one: (page.dialogs.append(one.message), one.dismiss()))
    page.goto(f"{hostile.url}/?token={hostile.app.state.desk.token}")
    yield page
    elsewhere = [one for one in page.left if not one.url.startswith((hostile.url, "data:"))]
    # What the policy refuses is told of, too, but goes nowhere.
    assert [one.url for one in elsewhere if "csp" not in (one.failure or "").lower()] == []
    assert page.dialogs == []
    context.close()


def numbers(hostile: Any) -> dict[str, int]:
    with Library(hostile.folder) as library:
        return dict(library.connection.execute("SELECT url, max(id) FROM pages GROUP BY url"))


@pytest.mark.parametrize("path", ["/", "/collections", "/search?q=owl", "/crawls/1", "/start", "/search?q={script}",
                                  "/collection?name={topic}", "/collection?name=../../x", "/page?url={script}",
                                  "/collection?name={script}", "/harvests/{script}"])  # fmt: skip
def test_what_strangers_wrote_is_only_text(tab: Any, hostile: Any, path: str) -> None:
    from urllib.parse import quote

    answer = tab.goto(hostile.url + path.replace("{script}", quote(SCRIPT)).replace("{topic}", quote(TOPIC)))
    assert answer.status in (200, 400, 404)
    assert "owned" not in tab.title() or "<script>" in tab.title()
    assert tab.locator(ACTIVE).count() == 0
    assert len(answer.body()) < 200_000
    shown = tab.locator("body").inner_text()
    assert not any(mark in shown for mark in "\u202e\u202c\u2067\u2069\u200f")


def test_every_page_of_theirs_can_be_looked_at(tab: Any, hostile: Any) -> None:
    """Bounded, whole and harmless, the one with a title of a megabyte too."""
    found = numbers(hostile)
    assert len(found) >= 6
    for url, number in found.items():
        answer = tab.goto(f"{hostile.url}/pages/{number}")
        assert answer.status == 200 and len(answer.body()) < 200_000, url
        assert tab.locator(ACTIVE).count() == 0
        assert tab.locator("h1").inner_text()
        hrefs = tab.locator("main a").evaluate_all("links => links.map(a => a.protocol)")
        assert set(hrefs) <= {"http:", "https:"}
        tab.locator("iframe").scroll_into_view_if_needed()
        tab.wait_for_timeout(100)
        assert tab.url == f"{hostile.url}/pages/{number}"


def test_a_stored_copy_alone_runs_and_loads_nothing(tab: Any, hostile: Any) -> None:
    found = numbers(hostile)
    for name in ("scripted", "frame", "big"):
        tab.goto(f"{hostile.url}/copy/{found[f'{HOST}/{name}']}")
        tab.wait_for_timeout(200)
        assert tab.title() != "owned"
        assert tab.url.startswith(hostile.url)
        assert tab.evaluate("self.origin") == "null"


def test_programs_read_it_bounded_too(hostile: Any) -> None:
    number = numbers(hostile)[f"{HOST}/long"]
    assert len(hostile.get(f"/api/pages/{number}").body) < 20_000
    assert len(hostile.get("/api/search?q=owl").body) < 50_000


def test_labels_of_hostile_names_are_kept_and_harmless(tab: Any, hostile: Any) -> None:
    tab.goto(f"{hostile.url}/collections")
    tab.locator(".shelf a").first.click()
    if not tab.locator(".ranked li").count():
        tab.go_back()
        tab.locator(".shelf a").nth(1).click()
    tab.locator(".thumbs button").first.click()
    assert tab.locator('.thumbs [aria-pressed="true"]').count() == 1
    assert tab.url.startswith(hostile.url)


def test_a_form_sends_nobody_to_another_site(hostile: Any) -> None:
    """Where to go back to is only ever one of our own pages."""
    with Library(hostile.folder) as library:
        sql = "SELECT name, url FROM entries JOIN collections ON collections.id = collection LIMIT 1"
        name, url = library.connection.execute(sql).fetchone()
    for back in ("http://evil.example/", "//evil.example/", "/\\evil.example", "https:evil.example", "/x\r\nX: y"):
        answer = hostile.post("/label", name=name, url=url, label="good", back=back)
        assert answer.status == 303 and answer.headers["location"].startswith("/collection?name=")
        assert "x" not in answer.headers
