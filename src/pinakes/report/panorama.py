"""The report of a panorama: one page with the map, its communities, the paper's own facts and how the crawl went."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from pinakes.core.counting import count_of
from pinakes.formats.item import title_or_name
from pinakes.jobs.panorama.communities import Community, CommunityMap, Standing
from pinakes.jobs.panorama.job import PanoramaResult, Sources
from pinakes.jobs.paper import kept
from pinakes.jobs.unreported import map_name
from pinakes.report.charts import LineChart, Series, line_chart
from pinakes.report.community_map import drawing
from pinakes.report.map_picture import as_png
from pinakes.report.markup import Html, join, tag
from pinakes.report.page import Section, document
from pinakes.report.palette import styles

LISTED = 200
"""Pages of a community in its list; all of them stand in the JSON beside the report."""
LONGEST = 160


def write_panorama(library: Path, result: PanoramaResult) -> Path:
    """Write `reports/panorama-NNNN.*` of a library, each file whole or not at all; answers the HTML page."""
    folder = library / "reports"
    folder.mkdir(exist_ok=True)
    stem = map_name(result.crawl.crawl)
    copies = _copied(result.sources.files, folder, stem)
    written = {
        f"{stem}.html": as_html(result, copies).encode(),
        f"{stem}.svg": _styled(drawing(result.map, _title(result))).encode(),
        f"{stem}.png": as_png(result.map),
        f"{stem}.json": msgspec.json.format(msgspec.json.encode(result.map), indent=1) + b"\n",
        f"{stem}.graphml": as_graphml(result.map).encode(),
        **{
            f"{stem}-paper-{number}{ending}": data
            for number, paper in enumerate(result.sources.papers, 1)
            for ending, data in kept(paper).items()
        },
    }
    for name, data in written.items():
        unfinished = folder / f"{name}.tmp"
        unfinished.write_bytes(data)
        unfinished.replace(folder / name)
    return folder / f"{stem}.html"


def as_html(result: PanoramaResult, copies: Sequence[str] = ()) -> str:
    """The whole report; `copies` are files beside it that hold the papers, by name."""
    found = result.map
    sections = [
        Section("map", "The map", _map(found, _title(result)), _MAP_LEAD),
        Section(
            "communities", "The communities", tag("div", [_community(n, found) for n in range(len(found.communities))])
        ),
        Section("paper", "The paper", _papers(result.sources, copies)),
        Section("crawl", "The crawl", _crawl(result), _CRAWL_LEAD),
    ]
    facts = (
        f"{result.in_words}. {count_of(result.sources.positives, 'example page')}, "
        f"{count_of(result.sources.negatives, 'other')} to tell them"
        " from."
    )
    return document(_title(result), sections, kind="Panorama", facts=facts, lead=_lead(found), extra=("panorama",))


_MAP_LEAD = (
    "A circle is a community: pages that are about the same and link to each other. Its size tells how many pages it"
    " has, the thickness of a line how alike two communities are. Choose one to open it."
)
_CRAWL_LEAD = "The harvest rate is the mean score of the pages so far, as the judge that guided the crawl scored them."


def _lead(found: CommunityMap) -> Html:
    names = [community.label[0] for community in found.communities if community.label]
    if not names:
        return tag("p", "The crawl found too little to make a map of.")
    told = ", ".join(names[:-1]) + (f" and {names[-1]}" if len(names) > 1 else names[0])
    return tag(
        "p",
        f"The web round this paper falls into {count_of(len(found.communities), 'community', 'communities')}: {told}.",
    )


def _title(result: PanoramaResult) -> str:
    titles = [paper.title for paper in result.sources.papers if paper.title]
    return _cut(titles[0]) if titles else "A panorama"


def _map(found: CommunityMap, title: str) -> Html:
    search = tag(
        "label",
        tag("span", "Find a page in the map"),
        tag(
            "input",
            type="search",
            class_="find",
            autocomplete="off",
            spellcheck="false",
            placeholder="title or address",
        ),
        class_="finder",
        hidden=True,
    )
    return tag("div", tag("div", drawing(found, f"Communities round {title}"), class_="map-frame"), search,
               tag("p", "", class_="found", role="status"), class_="map-box")  # fmt: skip


def _community(number: int, found: CommunityMap) -> Html:
    community = found.communities[number]
    near = sorted(
        (at for at in range(len(found.communities)) if at != number), key=lambda at: -found.likeness[number][at]
    )
    neighbours = [
        tag(
            "li",
            tag("a", ", ".join(found.communities[at].label[:2]), href=f"#community-{at + 1}"),
            f" (likeness {found.likeness[number][at]:.2f}, {count_of(found.links[number][at], 'link')} to it)",
        )
        for at in near[:3]
    ]
    return tag(
        "article",
        tag("h3", tag("span", number + 1, class_=f"badge c{number % 7}"), " ", ", ".join(community.label)),
        tag("p", f"{count_of(community.pages, 'page')}. Top terms: {', '.join(community.words)}.", class_="facts"),
        tag(
            "div",
            _list("Typical pages", "nearest to the centre", community.examples),
            _list("Hubs", "they link to the community's authorities", community.hubs),
            _list("Authorities", "the community's hubs link to them", community.authorities),
            tag("div", tag("h4", "Sites"), _counts(community.sites), tag("h4", "Languages"),
                _counts(community.languages), tag("h4", "Near it"), tag("ul", neighbours), class_="card"),
            class_="cards",
        ),
        _pages(community),
        id=f"community-{number + 1}",
        class_="community",
        data_community=number + 1,
        tabindex=-1,
    )  # fmt: skip


def _list(heading: str, hint: str, pages: Sequence[Standing]) -> Html:
    items = [tag("li", link(page.url, page.title), " ", tag("small", f"{page.score:.2f}")) for page in pages]
    body = tag("ol", items) if items else tag("p", "None.", class_="facts")
    return tag("div", tag("h4", heading, " ", tag("small", hint)), body, class_="card")


def _pages(community: Community) -> Html:
    items = [
        tag("li", link(url, title), class_="page")
        for url, title in zip(community.urls[:LISTED], community.titles[:LISTED], strict=True)
    ]
    more = len(community.urls) - len(items)
    return tag(
        "details",
        tag("summary", f"All pages ({community.pages:,})"),
        tag("ol", items),
        more > 0 and tag("p", f"{more:,} more stand in the JSON file beside this report.", class_="facts"),
    )


def _counts(counts: Sequence[tuple[str, int]]) -> Html:
    return tag("ul", [tag("li", name, " ", tag("small", f"{count:,}")) for name, count in counts])


def _papers(sources: Sources, copies: Sequence[str]) -> Html:
    asked = sources.asked
    parts: list[Html] = [tag("p", note, class_="note") for note in sources.notes]
    for at, paper in enumerate(sources.papers):
        file = copies[at] if at < len(copies) and copies[at] else ""
        named = [url for one in asked if one.query.text == paper.title for url in one.urls] if paper.title else []
        rows: list[tuple[str, Html | str | int | None]] = [
            ("Title", paper.title),
            ("Authors", ", ".join(paper.authors)),
            ("Year", paper.year),
            ("Affiliations", "; ".join(paper.affiliations)),
            ("Keywords", ", ".join(paper.keywords)),
            ("Abstract", _cut(paper.abstract, 1500)),
            ("References", len(paper.references)),
            ("File", tag("a", file, href=file) if file else ""),
            ("As read", _as_read(file) if file else ""),
            ("Named by", join((link(url, url), " ") for url in named[:3])),
        ]
        facts = [(tag("dt", name), tag("dd", value)) for name, value in rows if value]
        parts.append(tag("dl", facts, class_="paper-facts"))
    items = [
        tag(
            "li",
            _cut(one.query.text),
            " ",
            tag("small", one.query.kind),
            tag("ul", [tag("li", link(url, url)) for url in one.urls])
            if one.urls
            else tag(
                "small", " not found" if one.hits == 0 else f" {count_of(one.hits, 'result')}, none of which has it"
            ),
        )
        for one in asked
    ]
    parts.append(tag("details", tag("summary", f"Where its references were found ({sum(bool(a.urls) for a in asked)} "
                     f"of {len(asked)})"), tag("ul", items)))  # fmt: skip
    return tag("div", parts)


def _as_read(file: str) -> Html:
    """Links to what was read of a paper, which stands beside its copy."""
    stem = file.rpartition(".")[0]
    return join(
        (tag("a", name, href=f"{stem}{ending}"), " ") for name, ending in (("JSON", ".json"), ("TEI", ".tei.xml"))
    )


def _crawl(result: PanoramaResult) -> Html:
    if not result.harvest:
        return tag("p", "No page was read.")
    name = "harvest rate"
    chart = LineChart(
        key="harvest",
        title="Harvest rate",
        x=[float(pages) for pages, _ in result.harvest],
        series=[Series(name, [rate for _, rate in result.harvest])],
        x_label="pages crawled",
        y_label=name,
        share=True,
        fixed=True,
        y_range=(0.0, 1.0),
    )
    outcomes = ", ".join(f"{kind} {count:,}" for kind, count in result.crawl.outcomes.items())
    return tag(
        "div",
        tag("div", line_chart(chart, styles([name])), class_="panels"),
        tag("p", f"It ended because of: {result.crawl.stopped}. What came of the links: {outcomes}.", class_="facts"),
    )


def _copied(files: Sequence[str], folder: Path, stem: str) -> list[str]:
    """Copies of the papers beside the report, so that its link to them works wherever it is taken."""
    names = []
    for number, file in enumerate(files, 1):
        name = f"{stem}-paper-{number}{Path(file).suffix.lower()}"
        with suppress(OSError):  # a paper that is gone meanwhile was copied before, or has no link
            shutil.copyfile(file, folder / name)
        names.append(name if (folder / name).is_file() else "")
    return names


def as_graphml(found: CommunityMap) -> str:
    """Pages and communities as a graph for Gephi and the like."""
    from xml.sax.saxutils import escape, quoteattr

    keys = [("label", "string"), ("kind", "string"), ("community", "int"), ("pages", "int")]
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">']
    lines += [f'<key id="{name}" for="node" attr.name="{name}" attr.type="{kind}"/>' for name, kind in keys]
    lines += ['<key id="weight" for="edge" attr.name="weight" attr.type="double"/>', '<graph edgedefault="undirected">']

    def node(name: str, **values: object) -> str:
        data = "".join(f'<data key="{key}">{escape(_clean(str(value)))}</data>' for key, value in values.items())
        return f"<node id={quoteattr(_clean(name))}>{data}</node>"

    for number, community in enumerate(found.communities, 1):
        label = ", ".join(community.label)
        lines.append(
            node(f"community-{number}", label=label, kind="community", community=number, pages=community.pages)
        )
        for url, title in zip(community.urls, community.titles, strict=True):
            lines.append(node(url, label=title, kind="page", community=number))
            lines.append(f'<edge source={quoteattr(_clean(url))} target="community-{number}"/>')
    for i, row in enumerate(found.likeness):
        lines += [
            f'<edge source="community-{i + 1}" target="community-{j + 1}"><data key="weight">{row[j]}</data></edge>'
            for j in range(i)
        ]
    return "\n".join([*lines, "</graph>", "</graphml>", ""])


def link(url: str, title: str) -> Html:
    """A page's title as a link to it; only to addresses of the web."""
    shown = _cut(title_or_name(title, url)) or _cut(url.removeprefix("http://").removeprefix("https://"))
    if urlsplit(url).scheme not in ("http", "https"):
        return tag("span", shown)
    return tag("a", shown, href=url, rel="noreferrer noopener", title=_cut(url, 300))


def _styled(svg: Html) -> str:
    """The map as a file of its own: colours stand in it, for no style sheet is beside it."""
    style = (
        ".ties line{stroke:#8a909b;stroke-opacity:.35}circle{fill:#1f5f8b;fill-opacity:.75}"
        "text{font:15px sans-serif;fill:#22252b}.number{fill:#fff}"
        ".label{paint-order:stroke;stroke:#fff;stroke-width:7px;stroke-linejoin:round}"
    )
    head, rest = svg.split(">", 1)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{head}><style>{style}</style>{rest}\n'


def _cut(text: str, longest: int = LONGEST) -> str:
    text = " ".join(text.split())
    return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}…"


def _clean(text: str) -> str:
    return "".join(c for c in text if c >= " " and not 0xD800 <= ord(c) <= 0xDFFF and c not in "\ufffe\uffff")
