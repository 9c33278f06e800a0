"""Which paper an address is of, where the address itself says so: a DOI, or the number an archive gave it."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import unquote

from pinakes.core.page import host_of


class Paper(NamedTuple):
    kind: str
    """`doi`, `arxiv`, `pmid`, `pmcid`, `acl`, `openalex`, `s2` (Semantic Scholar's hash) or `corpus` (its number)."""
    value: str


_ARXIV = r"(\d{4}\.\d{4,5}|[a-z-]{2,20}(?:\.[A-Z]{2})?/\d{7})(?:v\d{1,3})?(?:\.pdf)?/?"
_PLACES = tuple(
    (re.compile(host).fullmatch, re.compile(path).fullmatch, kind)
    for host, path, kind in (
        (r"(?:[\w-]{1,30}\.){0,2}arxiv\.org", rf"/(?:abs|pdf|html|format|e-print)/{_ARXIV}", "arxiv"),
        (r"(?:www\.)?semanticscholar\.org", r"/paper/(?:[^/]*/)?([0-9a-f]{40})/?", "s2"),
        (r"api\.semanticscholar\.org", r"/Corpus[Ii][Dd]:(\d{1,12})", "corpus"),
        (r"(?:\w{1,10}\.)?openalex\.org", r"/(?:works/)?([Ww]\d{1,12})/?", "openalex"),
        (r"pubmed\.ncbi\.nlm\.nih\.gov", r"/(\d{1,9})/?", "pmid"),
        (r"(?:www\.)?ncbi\.nlm\.nih\.gov", r"/pubmed/(\d{1,9})/?", "pmid"),
        (r"(?:pmc|www)\.ncbi\.nlm\.nih\.gov", r"(?:/pmc)?/articles/(PMC\d{1,9})(?:/.*)?", "pmcid"),
        (
            r"(?:www\.)?aclanthology\.org",
            r"/([A-Z]\d{2}-\d{4}|\d{4}\.[a-z0-9]{1,30}-[a-z0-9]{1,30}\.\d{1,4})(?:v\d)?(?:\.pdf)?/?",
            "acl",
        ),
    )
)
_nature = re.compile(r"/articles/([a-z0-9.-]{4,60}?)(?:\.pdf)?/?").fullmatch
_doi = re.compile(r"(?<![\d.])10\.\d{4,9}/[^\s\"&]{1,200}").search
_doi_of_arxiv = re.compile(rf"10\.48550/arxiv\.{_ARXIV}", re.IGNORECASE).fullmatch
# What publishers' sites hang behind a DOI.
_tail = re.compile(
    r"(?:/(?:full(?:text|html)?|abstract|abs|e?pdf|html|meta|summary|references|citations|download)|\.pdf|\.html?|[.,;/])$",
    re.IGNORECASE,
)
_preprint_tail = re.compile(r"(10\.1101/[\d.]+?)(?:v\d+)?(?:\.full|\.abstract)?(?:\.pdf|-text|\+html)?", re.IGNORECASE)


def paper_of(url: str) -> Paper | None:
    """The paper a canonical address is of; None when it does not say."""
    host = host_of(url)
    path, _, query = url.partition("://")[2].removeprefix(host).partition("?")
    path = unquote(path)
    for of_host, of_path, kind in _PLACES:
        if of_host(host) and (found := of_path(path)):
            value = found[1]
            return Paper(kind, value.upper() if kind == "openalex" else value)
    if host in ("www.nature.com", "nature.com") and (found := _nature(path)):
        return Paper("doi", f"10.1038/{found[1]}")
    if found := _doi(path) or _doi(unquote(query)):
        return _of_doi(found[0])
    return None


def _of_doi(text: str) -> Paper | None:
    if found := _doi_of_arxiv(text):
        return Paper("arxiv", found[1])
    if found := _preprint_tail.fullmatch(text):
        text = found[1]
    for _ in range(3):
        text = _tail.sub("", text)
    return Paper("doi", text.lower()) if text.partition("/")[2] else None
