"""What a person may order in the browser, checked before anything runs, and the command that carries it out.

Only addresses of the web and files that came with the order are taken: never a path on this machine, never a strategy
or judge that is not registered. Every mistake is told beside the field it stands in.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from pinakes.core.errors import PinakesError
from pinakes.formats.url import canonical
from pinakes.jobs.evaluation.topics import load_topics
from pinakes.jobs.harvest.asking import is_service
from pinakes.jobs.topics_file import load_topics_file
from pinakes.judges.registry import JUDGES
from pinakes.strategies.registry import STRATEGIES

PAPERS = (".pdf", ".ps", ".gz", ".bib", ".ris", ".txt")
WORKS = (".jsonl", ".json", ".csv", ".tsv", ".bib", ".ris", ".xml")
Pages = Annotated[int, Meta(ge=1, le=10_000_000)]
Text = Annotated[str, Meta(max_length=2000)]
Addresses = Annotated[tuple[Text, ...], Meta(max_length=500)]
_YEARS = re.compile(r"\d{4}(?:-\d{4})?")
_PARAMETERS = re.compile(r"(?::[a-z_]+=[\w.+-]+)*")


class Mistakes(PinakesError):  # noqa: N818
    """What is wrong with an order, by field."""

    def __init__(self, by_field: dict[str, str]) -> None:
        super().__init__(" ".join(by_field.values()))
        self.by_field = by_field


class File(msgspec.Struct, frozen=True):
    """A file that comes with an order."""

    name: Annotated[str, Meta(max_length=300)]
    """Only its ending counts."""
    data: bytes


class CrawlOrder(msgspec.Struct, frozen=True):
    """Crawl towards a topic."""

    topic: Text = ""
    examples: Addresses = ()
    """Pages of the kind that is wanted."""
    seeds: Addresses = ()
    """Where to start; else the examples, else search hits."""
    pages: Pages = 1000
    strategy: Text = "evidence"


class TopicOrder(msgspec.Struct, frozen=True):
    name: Text
    description: Text = ""
    examples: Addresses = ()
    parent: Text = ""


class CollectOrder(msgspec.Struct, frozen=True):
    """Collect the best pages on each topic."""

    topics: Annotated[tuple[TopicOrder, ...], Meta(max_length=500)] = ()
    file: File | None = None
    """A topics.toml, instead of `topics`."""
    seeds: Addresses = ()
    pages: Pages = 1000


class PanoramaOrder(msgspec.Struct, frozen=True):
    """Map the web round a paper."""

    paper: File | None = None
    pages: Pages = 1000
    communities: Annotated[int, Meta(ge=2, le=50)] = 5


class HarvestOrder(msgspec.Struct, frozen=True):
    """Find a venue's papers on their authors' homepages."""

    metadata: File | None = None
    """What should be there; or `service`."""
    service: Text = ""
    """`dblp:WebDB`, `openalex:…`, `crossref:…`, `acl:…`"""
    holdings: File | None = None
    venue: Text = ""
    years: Text = ""
    venue_sites: Addresses = ()
    pages: Pages = 1000


class EvaluateOrder(msgspec.Struct, frozen=True):
    """Compare strategies on topics."""

    topics: File | None = None
    """One topic a line, as JSON."""
    strategies: Annotated[tuple[Text, ...], Meta(max_length=50)] = ("evidence", "best-first", "breadth-first")
    pages: Annotated[int, Meta(ge=1, le=100_000)] = 300


Order = CrawlOrder | CollectOrder | PanoramaOrder | HarvestOrder | EvaluateOrder
KINDS: dict[str, type[Order]] = {
    "crawl": CrawlOrder, "collect": CollectOrder, "panorama": PanoramaOrder, "harvest": HarvestOrder,
    "evaluate": EvaluateOrder,
}  # fmt: skip


class Command(msgspec.Struct, frozen=True):
    title: str
    words: list[str]
    writes: bool = True
    """It needs the library for itself."""


def command_of(order: Order, library: Path, place: Path) -> Command:
    """The command of an order; its files are put into `place`."""
    if isinstance(order, CrawlOrder):
        return _crawl(order, library)
    if isinstance(order, CollectOrder):
        return _collect(order, library, place)
    if isinstance(order, PanoramaOrder):
        return _panorama(order, library, place)
    if isinstance(order, HarvestOrder):
        return _harvest(order, library, place)
    return _evaluate(order, library, place)


def _crawl(order: CrawlOrder, library: Path) -> Command:
    wrong: dict[str, str] = {}
    examples, seeds = (_addresses(order, name, wrong) for name in ("examples", "seeds"))
    if not order.topic.strip() and not examples and "examples" not in wrong:
        wrong["topic"] = "Say in words what you want, or give an example page."
    if order.strategy not in STRATEGIES.names():
        wrong["strategy"] = f"There is no strategy {order.strategy[:40]}."
    _stop(wrong)
    return Command(
        f"Crawl towards {order.topic.strip()[:60] or examples[0][:60]}",
        [
            "crawl",
            f"--topic={order.topic.strip()}",
            *(f"--example={url}" for url in examples),
            *(f"--seed={url}" for url in seeds),
            f"--pages={order.pages}",
            f"--strategy={order.strategy}",
            f"--into={library}",
            "--new",
        ],
    )


def _collect(order: CollectOrder, library: Path, place: Path) -> Command:
    wrong: dict[str, str] = {}
    path = place / "topics.toml"
    if order.file is not None:
        _put(order.file, path, (".toml",), "file", wrong)
    else:
        seeds = _addresses(order, "seeds", wrong)
        topics = []
        for number, topic in enumerate(order.topics, 1):
            found = [url for text in topic.examples if (url := canonical(text))]
            bad = next((text for text in topic.examples if not canonical(text)), None)
            if bad is not None:
                wrong.setdefault("topics", f"Topic {number}: {bad[:100]} is not a web address.")
            if not topic.name.strip():
                wrong.setdefault("topics", f"Topic {number} has no name.")
            topics.append((topic, found))
        if not topics and not wrong:
            wrong["topics"] = "Name at least one topic, or bring a topics.toml."
        path.write_text(_toml(topics, seeds), "utf-8")
    _stop(wrong)
    try:
        file = load_topics_file(path)
    except PinakesError as error:
        raise Mistakes({"file" if order.file else "topics": _shown(error, path)}) from None
    for entry in file.topics:
        # An example may be a file where a person types it; from a browser that would read this machine's disk.
        if bad := next((url for url in entry.examples if not canonical(url)), None):
            wrong["file"] = f"“{entry.name[:60]}”: {Path(bad).name[:100]} is not a web address."
    for kind, registry in (("strategy", STRATEGIES), ("judge", JUDGES)):
        name, _ = file.part(kind)
        if name and name not in registry.names():
            wrong["file"] = f"There is no {kind} {name[:60]}; choose one of {', '.join(registry.names())}."
    _stop(wrong)
    names = ", ".join(entry.name for entry in file.topics[:3])
    pages = order.pages if order.file is None or file.pages is None else file.pages
    return Command(
        f"Collect {names[:80]}", ["collect", f"--pages={pages}", f"--into={library}", "--new", "--", str(path)]
    )


def _panorama(order: PanoramaOrder, library: Path, place: Path) -> Command:
    wrong: dict[str, str] = {}
    if order.paper is None:
        raise Mistakes({"paper": "Choose a paper: a PDF, a PostScript file, a bibliography or a list of titles."})
    path = _put(order.paper, place / "paper", PAPERS, "paper", wrong)
    if path is not None and path.suffix == ".pdf" and b"%PDF-" not in order.paper.data[:1024]:
        wrong["paper"] = "That file is called .pdf but is no PDF."
    _stop(wrong)
    title = f"Panorama of {Path(order.paper.name).name[:60]}"
    words = [
        "panorama",
        f"--pages={order.pages}",
        f"--k={order.communities}",
        f"--into={library}",
        "--new",
        "--",
        str(path),
    ]
    return Command(title, words)


def _harvest(order: HarvestOrder, library: Path, place: Path) -> Command:
    wrong: dict[str, str] = {}
    service = order.service.strip()
    sites = _addresses(order, "venue_sites", wrong)
    source = ""
    if order.metadata is not None:
        source = str(_put(order.metadata, place / "papers", WORKS, "metadata", wrong) or "")
    elif not service:
        wrong["metadata"] = "Choose a file that lists the papers, or name a service that does."
    elif not is_service(service) or "/" in service or service.startswith("demo:"):
        wrong["service"] = (
            "A service is named like dblp:WebDB, openalex:S4306420609, crossref:1076-9757 or acl:2020.sdp."
        )
    else:
        source = service
    held = _put(order.holdings, place / "holdings", WORKS, "holdings", wrong) if order.holdings else None
    years = order.years.strip()
    if years and not _YEARS.fullmatch(years):
        wrong["years"] = "Years are written like 1999-2003."
    _stop(wrong)
    words = [
        "harvest",
        f"--metadata={source}",
        f"--venue={order.venue.strip()}",
        f"--years={years}",
        *(f"--venue-site={url}" for url in sites),
        f"--pages={order.pages}",
        f"--into={library}",
        "--new",
    ]
    words += [f"--holdings={held}"] if held else []
    name = order.venue.strip() or service or (Path(order.metadata.name).name if order.metadata else "")
    return Command(f"Harvest {name[:60]}", words)


def _evaluate(order: EvaluateOrder, library: Path, place: Path) -> Command:
    wrong: dict[str, str] = {}
    for text in order.strategies:
        name, colon, given = text.partition(":")
        if name not in STRATEGIES.names() or not _PARAMETERS.fullmatch(colon + given):
            wrong["strategies"] = f"There is no strategy {text[:60]}."
    if not order.strategies:
        wrong["strategies"] = "Choose the strategies to compare."
    path = None
    if order.topics is None:
        wrong["topics"] = "Choose a file of topics: one a line, as JSON, with its known relevant pages."
    else:
        path = _put(order.topics, place / "topics", (".jsonl",), "topics", wrong)
    _stop(wrong)
    assert path is not None
    try:
        load_topics(path)
    except PinakesError as error:
        raise Mistakes({"topics": _shown(error, path)}) from None
    out = library / "reports" / f"evaluation-{place.name}"
    words = [
        "evaluate",
        f"--topics={path}",
        f"--strategies={','.join(order.strategies)}",
        f"--pages={order.pages}",
        f"--out={out}",
    ]
    return Command(f"Compare {', '.join(order.strategies)[:80]}", words, writes=False)


def _addresses(order: Order, name: str, wrong: dict[str, str]) -> list[str]:
    """Addresses of the web, in one form; a mistake is noted."""
    given: Iterable[str] = getattr(order, name)
    found = []
    for text in given:
        if url := canonical(text.strip()):
            found.append(url)
        else:
            wrong.setdefault(name, f"{text[:100]} is not a web address; write it like http://example.org/page.")
    return found


def _put(file: File, path: Path, endings: tuple[str, ...], field: str, wrong: dict[str, str]) -> Path | None:
    """Write a file under a name of ours: of the one it came with only a known ending is taken."""
    name = file.name.lower()
    ending = next((ending for ending in endings if name.endswith(ending)), "")
    if not ending:
        wrong[field] = f"That is not one of {', '.join(endings)}; a file's name tells what it is."
        return None
    if not file.data:
        wrong[field] = "That file is empty."
        return None
    path = path.with_suffix(".ps.gz" if name.endswith(".ps.gz") else ending)
    path.write_bytes(file.data)
    return path


def _toml(topics: Iterable[tuple[TopicOrder, list[str]]], seeds: list[str]) -> str:
    lines = [f"seeds = {_quoted(seeds)}"] if seeds else []
    for topic, examples in topics:
        lines += ["", "[[topic]]", f"name = {_quoted(topic.name.strip())}"]
        lines += [
            f"{key} = {_quoted(value)}"
            for key, value in (
                ("description", topic.description.strip()),
                ("parent", topic.parent.strip()),
                ("examples", examples),
            )
            if value
        ]
    return "\n".join([*lines, ""])


def _quoted(value: str | list[str]) -> str:
    """JSON's strings and lists are TOML's, too, once a delete character is out of them."""
    return msgspec.json.encode(value).decode().replace("\x7f", "")


def _stop(wrong: dict[str, str]) -> None:
    if wrong:
        raise Mistakes(wrong)


def _shown(error: PinakesError, path: Path) -> str:
    """A sentence about a file, without where it lies here."""
    return str(error).replace(str(path), path.name)
