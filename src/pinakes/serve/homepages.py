"""The homepages a harvest went by: who has which, and a harvest of the same papers with a person's corrections."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

import msgspec
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from pinakes.core.counting import count_of
from pinakes.core.errors import PinakesError
from pinakes.formats.url import canonical
from pinakes.jobs.harvest.assigning import Candidate
from pinakes.jobs.harvest.corrections import BELIEVED, corrected, read_known, write_candidates
from pinakes.jobs.harvest.outcome import Kept
from pinakes.report.markup import Html, tag
from pinakes.serve import parts
from pinakes.serve.desk import Desk, desk_of
from pinakes.serve.forms import read_form
from pinakes.serve.runner import Job, Runner, runner_of


class _Options(msgspec.Struct, frozen=True):
    harvest: Kept


class _Recipe(msgspec.Struct, frozen=True):
    options: _Options


def kept_of(desk: Desk, crawl: int) -> Kept | None:
    """What the harvest knew before its crawl."""
    path = desk.folder / "recipes" / f"{crawl:04d}.json"
    try:
        return _kept(path, path.stat().st_mtime_ns)
    except (OSError, msgspec.MsgspecError):
        return None


@lru_cache(maxsize=4)
def _kept(path: Path, changed: int) -> Kept:
    return msgspec.json.decode(path.read_bytes(), type=_Recipe).options.harvest


def people(desk: Desk, crawl: int, kept: Kept, writes: bool) -> Html:
    """Authors and their homepages; with the token, to be corrected."""
    named = [(name, url, "") for name, url in sorted(kept.homepages.items())]
    named = [*((name, "", why) for name, why in sorted(kept.failures.items())), *named][:500]
    rows = [
        tag(
            "tr",
            tag("th", parts.words(name, 80), scope="row"),
            tag("td", parts.outside(url, parts.address(url, 70)) if url else parts.plain(why, 200)),
            writes
            and tag(
                "td",
                tag(
                    "input",
                    type="url",
                    name=f"homepage {name}",
                    value="",
                    placeholder="https://…",
                    aria_label=f"Another homepage of {parts.plain(name, 80)}",
                ),
            ),
            writes
            and tag(
                "td",
                url and tag("label", tag("input", type="checkbox", name=f"refuse {name}", value=url), " not theirs"),
            ),
        )
        for name, url, why in named
    ]
    heads = [
        tag("th", name, scope="col")
        for name in ("Author", "Homepage, or why none", *(("Correct it", "Refuse it") if writes else ()))
    ]
    body = parts.sheet("Homepages", heads, rows)
    known, lost = len(kept.homepages), len(kept.failures)
    lead = tag(
        "p",
        f"{known:,} of {count_of(known + lost, 'author')} {'has' if known == 1 else 'have'} a homepage that "
        "could be found.",
        class_="section-lead",
    )
    if writes:
        body = parts.write_form(
            desk,
            f"/harvests/{crawl}/correct",
            body,
            tag("button", "Harvest again with these corrections", type="submit", class_="primary"),
        )
    return tag("section", tag("h2", "Homepages", id="people"), lead, body, aria_labelledby="people")


async def correct(request: Request) -> Response:
    """Harvest the same papers again, with what a person says of homepages."""
    desk, crawl, form = desk_of(request), request.path_params["number"], await read_form(request)
    said: dict[str, dict[str, str]] = {"homepage": {}, "refuse": {}}
    for key in form.values:
        kind, _, name = key.partition(" ")
        if kind in said and (text := form.text(key, 4000)):
            said[kind][name] = text
    job = again(desk, runner_of(request), crawl, said["homepage"], said["refuse"])
    return RedirectResponse(desk.at(f"/jobs/{job.id}"), 303)


def again(desk: Desk, runner: Runner, crawl: int, homepages: Mapping[str, str], refused: Mapping[str, str]) -> Job:
    """Begin a harvest of the same papers; `homepages` and `refused` are a person's word, by author."""
    kept = kept_of(desk, crawl)
    if kept is None:
        raise LookupError(f"The library has no harvest {crawl}.")
    known = kept.homepages | kept.failures
    for name, url in (*homepages.items(), *refused.items()):
        if name not in known:
            raise PinakesError(f"{parts.plain(name, 60)} is not among the authors of this harvest.")
        if not canonical(url):
            raise PinakesError(f"{parts.plain(url, 100)}, given for {parts.plain(name, 60)}, is not a web address.")
    if not homepages and not refused:
        raise PinakesError("Nothing was corrected; write a homepage beside an author, or refuse one.")
    number, place = runner.place()
    write_candidates(place / "homepages.csv", corrected(_rows(desk, kept), homepages, refused), {})
    works = [
        {
            "id": one.id,
            "title": one.title,
            "authors": one.authors,
            "year": one.year,
            "venue": one.venue,
            "doi": one.doi,
            "affiliations": one.affiliations,
        }
        for one in kept.records
    ]
    (place / "papers.jsonl").write_bytes(b"\n".join(map(msgspec.json.encode, works)))
    held = [work for work in works if work["id"] in kept.held]
    (place / "held.jsonl").write_bytes(b"\n".join(map(msgspec.json.encode, held)))
    command = [
        "harvest",
        f"--metadata={place / 'papers.jsonl'}",
        *([f"--holdings={place / 'held.jsonl'}"] if held else []),
        f"--homepages={place / 'homepages.csv'}",
        "--new",
        f"--into={desk.folder}",
        *(f"--venue-site={url}" for url in kept.venue_sites),
    ]
    title, shows = f"Harvest {crawl} again, corrected", desk.at("/harvests")
    return runner.start("harvest", title, command, writes=True, crawls=True, number=number, shows=shows)


def _rows(desk: Desk, kept: Kept) -> list[Candidate]:
    """The candidates of the harvest: its table where that is the last one's, else the homepages alone."""
    try:
        rows = read_known(desk.folder / "reports" / "homepages.csv").rows
    except PinakesError:
        rows = ()
    if {row.name: row.url for row in rows if row.kept} == kept.homepages:
        return list(rows)
    return [Candidate(name, url, "", 0.0, BELIEVED, "high", True) for name, url in kept.homepages.items()]


ROUTES = [Route("/harvests/{number:int}/correct", correct, methods=["POST"])]
