"""From a list of topics to ranked collections, in one crawl for all of them (seed 000)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pinakes.core.counting import count_of
from pinakes.core.errors import PinakesError
from pinakes.core.page import Brief, Link
from pinakes.core.parameters import settings
from pinakes.formats.url import canonical
from pinakes.jobs.centroid_check import CentroidView, look_at
from pinakes.jobs.crawl import library_known, set_out
from pinakes.jobs.crawl_records import CrawlOptions, CrawlResult, Ready, Watch
from pinakes.jobs.gather import Ranking, gather
from pinakes.jobs.judging import open_judge
from pinakes.jobs.outfit import outfit, shared
from pinakes.jobs.rerank import labelled
from pinakes.jobs.running import run
from pinakes.jobs.taking_up import ended, take_up
from pinakes.jobs.topic_pages import MOST, TopicPages, gather_pages
from pinakes.jobs.topics_file import TopicsFile, load_topics_file
from pinakes.jobs.unreported import lacking
from pinakes.jobs.webs import Indexing, Opened, Tell, open_web, processes_for, quietly
from pinakes.library.collections import Collection, load_collections, save_collections
from pinakes.library.desk import held_at
from pinakes.library.labels import Labels
from pinakes.library.library import Crawl, Library
from pinakes.web.http import LiveOptions
from pinakes.web.scope import Scope

PAGES = 1000
SIZE = 50
STRATEGY, JUDGE = "evidence", "contrast"


@dataclass(frozen=True, slots=True)
class CollectOptions:
    """What `pinakes collect` is told. What is None or empty stands in the topics file, or has its default there."""

    topics: Path
    into: Path | None = None
    """Not needed for a dry run."""
    web: str = "live"
    strategy: str = ""
    judge: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """For the strategy; `threshold`, and what only the judge knows, reaches the judge."""
    pages: int | None = None
    seconds: float | None = None
    size: int | None = None
    per_host: int | None = None
    expository: bool | None = None
    hits: int = MOST
    weights: str = "tf-idf"
    """How the centroids that are shown, and those of the judge `centroids`, are weighed: `tf-idf` or `tf`."""
    seed_hits: bool = False
    """Start from the search hits too."""
    shares: bool = True
    """Give each topic its share of the fetches."""
    dry_run: bool = False
    random_state: int = 0
    dedup: bool = True
    traps: bool = True
    first_bytes: int | None = None
    scope: Scope = field(default_factory=Scope)
    live: LiveOptions | None = None
    fresh: float = 7.0
    in_flight: int = 32
    processes: int | None = None
    new: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """What a crawl for collections sets out with, as shown before it and by a dry run."""

    centroids: tuple[CentroidView, ...]
    dropped: tuple[str, ...]
    """A sentence for each topic that is left out."""
    notes: tuple[str, ...]
    """What else is worth knowing: examples that could not be read, where the crawl starts."""
    seeds: tuple[str, ...]
    setup: Mapping[str, int]
    """Pages fetched and searches made before the crawl; they cost no budget."""

    @property
    def warnings(self) -> tuple[str, ...]:
        return (*self.dropped, *(warning for view in self.centroids for warning in view.warnings))


@dataclass(frozen=True, slots=True)
class CollectResult:
    """How collecting ended."""

    crawl: CrawlResult
    collections: tuple[Collection, ...]
    plan: Plan | None = None
    """None when a crawl was taken up again."""
    continued: bool = False
    """An earlier crawl for the same topics went on, rather than another being started."""

    @property
    def interrupted(self) -> bool:
        return self.crawl.interrupted

    def _repr_html_(self) -> str:
        """The crawl and its collections in short, for notebooks."""
        from html import escape

        rows = "".join(
            f"<tr><td>{escape(one.name)}</td><td>{len(one.entries)}</td><td>"
            + "<br>".join(escape(entry.title) for entry in one.entries[:3])
            + "</td></tr>"
            for one in self.collections
        )
        return f"{self.crawl._repr_html_()}<table><tr><th>Collection</th><th>Pages</th><th>Best</th></tr>{rows}</table>"


Show = Callable[[Plan], None]


def collect(
    options: CollectOptions,
    *,
    show: Show = quietly,
    watch: Watch | None = None,
    indexing: Indexing = quietly,
    tell: Tell = quietly,
) -> CollectResult | Plan:
    """Collect; `show` sees the centroids before the crawl. A dry run answers the plan."""
    if options.into is None and not options.dry_run:
        raise PinakesError("Nothing says where the collections go; give --into LIBRARY, or --dry-run.")
    if not 1 <= options.hits <= 50:
        raise PinakesError(f"--hits {options.hits} is not a number from 1 to 50; the paper has 4 to 7.")
    file = load_topics_file(topics_path(options.topics, options.web))
    return run(_Collecting(options, file, show, watch, indexing, tell).run())


def topics_path(given: Path, web: str) -> Path:
    """The topics file; `demo:topics.toml` is the demo's own."""
    if str(given).startswith("demo:"):
        from pinakes import demo

        try:
            return demo.path(str(given).removeprefix("demo:"))
        except FileNotFoundError as error:
            raise PinakesError(f"{given}: {error}.") from None
    return given


def collections_of(folder: Path) -> list[Collection]:
    """The collections a library holds."""
    with Library(folder) as library:
        return load_collections(library.connection)


def collected(crawl: CrawlResult) -> CollectResult | None:
    """What a crawl that was taken up again came to; None when it was not for collections."""
    with Library(crawl.library) as library:
        job = library.crawls()[-1].job
    return CollectResult(crawl, tuple(regather(crawl.library))) if job == "collect" else None


def uncollected(folder: Path) -> CollectResult | None:
    """The collections of a crawl that had ended when it was killed before they were made; None where there are none
    to make."""
    with Library(folder) as library:
        last = library.crawls()[-1:]
        if not last or lacking(library, last[0]) != "collections":
            return None
    done = ended(folder)
    return None if done is None else CollectResult(done, tuple(regather(folder)))


def regather(folder: Path, kept: Mapping[str, Any] | None = None) -> list[Collection]:
    """Make the collections of a library's last crawl anew from what it holds; what `pinakes resume` ends with.

    `kept` are other settings than those in the crawl's recipe."""
    with Library(folder, write=True) as library:
        crawl = library.crawls()[-1]
        recipe = library.recipe(crawl)
        kept = kept or recipe.options["collect"]
        judge = open_judge(recipe.judge, recipe.brief, recipe.judge_parameters)
        made = gather(
            library,
            crawl,
            recipe.brief,
            judge,
            look_at(recipe.brief, kept["weights"]),
            Ranking(kept["size"], kept["per_host"], kept["expository"]),
            kept["given"],
        )
        labels = Labels(folder)
        made = [labelled(library, crawl, recipe, one) if labels.of(one.name) else one for one in made]
        save_collections(library.connection, made)
        return made


class _Collecting:
    def __init__(
        self,
        options: CollectOptions,
        file: TopicsFile,
        show: Show,
        watch: Watch | None,
        indexing: Indexing,
        tell: Tell,
    ) -> None:
        self.options, self.file = options, file
        self.show, self.watch, self.indexing, self.tell = show, watch, indexing, tell
        self._kept: Mapping[str, Any] = {}

    async def run(self) -> CollectResult | Plan:
        options = self.options
        opened = open_web(
            options.web,
            live=options.live,
            first_bytes=options.first_bytes,
            processes=processes_for(options.processes, options.pages or self.file.pages),
            indexing=self.indexing,
            tell=self.tell,
        )
        try:
            found = await gather_pages(self.file, opened, options.hits)
            brief = self._brief(found)
            plan = self._plan(found, brief)
            self.show(plan)
            if options.dry_run:
                await opened.close()
                return plan
            if not brief.topics:
                raise PinakesError(f"No topic is left: {plan.dropped[0] if plan.dropped else 'the file has none.'}")
            crawl, continued = await self._crawl(found, brief, plan, opened)
        except BaseException:
            await opened.close()
            raise
        return CollectResult(crawl, tuple(regather(crawl.library, self._kept)), plan, continued)

    def _brief(self, found: list[TopicPages]) -> Brief:
        kept = [one for one in found if not one.dropped]
        return Brief(
            topics=tuple(one.entry.topic for one in kept),
            examples={one.entry.name: one.pages for one in kept},
            pages=self.options.pages or self.file.pages or PAGES,
            random_state=self.options.random_state,
        )

    def _plan(self, found: list[TopicPages], brief: Brief) -> Plan:
        seeds, note = self._seeds(found)
        notes = [sentence for one in found for sentence in one.unread]
        if note:
            notes.append(note)
        return Plan(
            tuple(look_at(brief, self.options.weights)),
            tuple(one.dropped for one in found if one.dropped),
            tuple(notes),
            tuple(link.url for link in seeds),
            {
                "pages": sum(len(one.pages) + len(one.unread) for one in found),
                "searches": sum(bool(one.query) for one in found),
            },
        )

    def _seeds(self, found: list[TopicPages]) -> tuple[tuple[Link, ...], str]:
        """Where the crawl starts: the file's seeds and the topics' own, else the examples, else the hits."""
        links = [Link(canonical(url)) for url in self.file.seeds]
        links += [Link(canonical(url), topic=one.entry.name) for one in found for url in one.entry.seeds]
        note = ""
        if not links:
            links = [
                Link(page.url, topic=one.entry.name)
                for one in found
                if one.entry.examples
                for page in one.pages
                if canonical(page.url)
            ]
        if self.options.seed_hits or not links:
            if not links:
                note = "The topics file gives neither seeds nor examples, so the crawl starts from the search hits."
            links += [Link(url, topic=one.entry.name) for one in found if not one.dropped for url in one.hits]
        return tuple({link.url: link for link in reversed(links)}.values())[::-1], note

    async def _crawl(
        self, found: list[TopicPages], brief: Brief, plan: Plan, opened: Opened
    ) -> tuple[CrawlResult, bool]:
        options, file = self.options, self.file
        assert options.into is not None
        if not plan.seeds:
            raise PinakesError('The crawl has nowhere to start; put seeds = ["http://…"] into the topics file.')
        strategy_name, parameters = self._chosen("strategy", options.strategy, STRATEGY)
        judge_name, judge_parameters = self._chosen("judge", options.judge, JUDGE)
        given = {**parameters, **options.parameters}
        if judge_name == "centroids":
            judge_parameters.setdefault("weights", options.weights)
        if "threshold" in judge_parameters:
            given.setdefault("threshold", judge_parameters.pop("threshold"))
        async with library_known(options.into, opened):
            brief, strategy, judge, judge_name = await outfit(
                strategy_name, judge_name, given, brief, opened, judge_parameters
            )
        size = options.size or file.collections.size or SIZE
        expository = options.expository if options.expository is not None else file.collections.expository
        own: dict[str, Any] = {
            "shares": size if options.shares else 0,
            "collect": {
                "size": size,
                "per_host": options.per_host or file.collections.per_host,
                "expository": expository is not False,
                "weights": options.weights,
                "given": {
                    one.entry.name: sorted({canonical(url) for url in one.entry.examples} | {p.url for p in one.pages})
                    for one in found
                    if one.entry.examples
                },
            },
        }
        seeds, _ = self._seeds(found)
        crawl_options = self._crawl_options(strategy_name, judge_name, brief.pages)
        ready = Ready(
            brief,
            seeds,
            shared(strategy, brief, own),
            judge,
            judge_name,
            settings(strategy),
            job="collect",
            own=own,
        )
        self._kept = own["collect"]
        if earlier := self._earlier(ready, opened):
            pages = earlier.progress.pages + brief.pages
            self.tell(
                f"{options.into} has a finished crawl for these topics "
                f"({count_of(earlier.progress.pages, 'page')}); it goes on "
                f"to {pages:,}. Start another with --new."
            )
            await opened.close()
            return await take_up(options.into, pages, options.processes, self.watch, self.indexing, self.tell), True
        return await set_out(crawl_options, ready, opened, self.watch, self.tell), False

    def _earlier(self, ready: Ready, opened: Opened) -> Crawl | None:
        """The library's last crawl, if it was for the same topics, set out the same way, and is finished."""
        into = self.options.into
        if into is None or self.options.new or not held_at(into):
            return None
        with Library(into) as library:
            crawls = library.crawls()
            last = crawls[-1] if crawls else None
            if last is None or last.job != "collect" or last.unfinished:
                return None
            recipe = library.recipe(last)
        now = (*_known_by(ready.brief), ready.judge_name, settings(ready.judge), ready.parameters, opened.digest)
        then = (*_known_by(recipe.brief), recipe.judge, recipe.judge_parameters, recipe.parameters)
        same = now == (*then, recipe.options["digest"]) and recipe.seeds == ready.seeds
        return last if same and (recipe.web == "live") == (self.options.web == "live") else None

    def _chosen(self, table: str, given: str, default: str) -> tuple[str, dict[str, Any]]:
        """The strategy or judge by name, and the parameters the topics file has for it."""
        name, parameters = self.file.part(table)
        if given and given != name:
            return given, {}
        return name or default, parameters

    def _crawl_options(self, strategy: str, judge: str, pages: int) -> CrawlOptions:
        options, file = self.options, self.file
        assert options.into is not None
        scope = replace(
            options.scope, allow=(*options.scope.allow, *file.allow), ignore=(*options.scope.ignore, *file.ignore)
        )
        return CrawlOptions(
            into=options.into,
            web=options.web,
            strategy=strategy,
            judge=judge,
            pages=pages,
            seconds=options.seconds,
            random_state=options.random_state,
            dedup=options.dedup,
            traps=options.traps,
            first_bytes=options.first_bytes,
            scope=scope,
            live=options.live,
            fresh=options.fresh,
            in_flight=options.in_flight,
            processes=options.processes,
            new=options.new,
        )


def _known_by(brief: Brief) -> tuple[Any, ...]:
    """What makes two briefs the same to a person: the topics, and the addresses of their examples."""
    return brief.topics, {name: [page.url for page in pages] for name, pages in brief.examples.items()}
