"""Draws the pictures of the README from the demo: python docs/pictures.py"""

from __future__ import annotations

import io
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from rich.console import Console
from rich.text import Text

IMAGES = Path(__file__).parent / "images"


def terminal(title: str, command: list[str], name: str, folder: str) -> None:
    """A terminal with a command and what it prints, as SVG."""
    bin_folder = Path(sys.executable).parent
    done = subprocess.run(
        [bin_folder / "pinakes", *command],
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
        env={**os.environ, "PATH": f"{bin_folder}:{os.environ['PATH']}"},
    )
    console = Console(record=True, width=100, file=io.StringIO())
    console.print(Text(f"$ pinakes {' '.join(command)}", style="bold green"))
    console.print(Text(done.stdout.rstrip()))
    svg = console.export_svg(title=title)
    # The picture stands on its own: no font is fetched from elsewhere.
    (IMAGES / name).write_text(re.sub(r"@font-face \{.*?\}", "", svg, flags=re.DOTALL))


def application(library: Path) -> None:
    """Pages of `pinakes serve`, as PNG: on a wide screen in light, on a phone in dark."""
    from playwright.sync_api import sync_playwright

    command = [
        sys.executable,
        "-m",
        "pinakes",
        "serve",
        str(library),
        "--port",
        "8397",
        "--token",
        "only-for-the-pictures",
    ]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    try:
        for _ in range(300):
            with suppress(OSError), socket.create_connection(("127.0.0.1", 8397), 1):
                break
            time.sleep(0.2)
        time.sleep(3)  # its index is being made
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            for name, path, width, height, scheme in PAGES:
                tab = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
                tab.goto("http://127.0.0.1:8397/?token=only-for-the-pictures")
                tab.goto(f"http://127.0.0.1:8397{path}")
                if name == "serve-page.png":
                    tab.locator(".ranked h2 a").nth(2).click()
                tab.wait_for_timeout(800)
                tab.screenshot(path=IMAGES / name)
                tab.close()
            browser.close()
    finally:
        server.terminate()
        server.wait()


def reports(library: Path) -> None:
    """The page of collections, at the comets, and the map of communities, as PNG."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": 1080, "height": 720})
        tab.goto((library / "reports" / "collections.html").as_uri())
        tab.get_by_role("heading", name="Astronomy").scroll_into_view_if_needed()
        tab.evaluate(
            "[...document.querySelectorAll('h2')].find((h) => h.textContent === 'Astronomy')?.scrollIntoView()"
        )
        tab.screenshot(path=IMAGES / "collections.png")
        tab.goto((library / "reports" / "panorama-0003.html").as_uri())
        tab.locator("svg.map").screenshot(path=IMAGES / "panorama.png")
        browser.close()


def harvest(folder: Path) -> None:
    """The report of a harvest, its first screen, as PNG."""
    from playwright.sync_api import sync_playwright

    options = ["--metadata", "demo:venue.jsonl", "--web", "demo", "--venue-site", "http://www.webshelf.example/"]
    command = [sys.executable, "-m", "pinakes", "harvest", *options, "--into", str(folder)]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": 1200, "height": 1010})
        tab.goto((folder / "reports" / "harvest.html").as_uri())
        tab.screenshot(path=IMAGES / "harvest.png")
        browser.close()


OWLS = "/collection?name=Owls%20and%20birds%20of%20prey"
PAGES = (
    ("serve-search.png", "/search?q=owl nest", 1200, 760, "light"),
    ("serve-page.png", OWLS, 1200, 900, "light"),
    ("serve-collection-phone.png", OWLS, 400, 800, "dark"),
)


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        terminal("pinakes demo", ["demo"], "demo.svg", folder)
        application(Path(folder) / "pinakes-demo")
        reports(Path(folder) / "pinakes-demo")
        harvest(Path(folder) / "webshelf")


if __name__ == "__main__":
    main()
