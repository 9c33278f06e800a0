"""Which paper an address is of."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinakes.formats.url import canonical
from pinakes.services.backlinks.identifiers import paper_of


@pytest.mark.parametrize(
    ("url", "kind", "value"),
    [
        ("https://doi.org/10.1093/mind/LIX.236.433", "doi", "10.1093/mind/lix.236.433"),
        ("http://dx.doi.org/10.1016%2Fj.xgen.2025.100814", "doi", "10.1016/j.xgen.2025.100814"),
        ("https://dl.acm.org/doi/abs/10.1145/324133.324140", "doi", "10.1145/324133.324140"),
        ("https://dl.acm.org/doi/pdf/10.1145/324133.324140", "doi", "10.1145/324133.324140"),
        ("https://link.springer.com/content/pdf/10.1007/s00799-007-0022-9.pdf", "doi", "10.1007/s00799-007-0022-9"),
        ("https://www.frontiersin.org/articles/10.3389/fnins.2013.12345/full", "doi", "10.3389/fnins.2013.12345"),
        ("https://onlinelibrary.wiley.com/doi/10.1002/wrna.1370?campaign=x", "doi", "10.1002/wrna.1370"),
        ("https://www.biorxiv.org/content/10.1101/2020.01.01.123456v2.full.pdf", "doi", "10.1101/2020.01.01.123456"),
        ("https://journals.plos.org/plosone/article?id=10.1371/journal.pone.0012345", "doi", None),
        ("https://www.nature.com/articles/s41586-020-2649-2.pdf", "doi", "10.1038/s41586-020-2649-2"),
        ("https://doi.org/10.48550/arXiv.2304.05376", "arxiv", "2304.05376"),
        ("http://arxiv.org/abs/2304.05376v3", "arxiv", "2304.05376"),
        ("https://arxiv.org/pdf/2304.05376.pdf", "arxiv", "2304.05376"),
        ("https://export.arxiv.org/abs/astro-ph/0601001", "arxiv", "astro-ph/0601001"),
        ("https://arxiv.org/abs/math.GT/0309136", "arxiv", "math.GT/0309136"),
        ("https://pubmed.ncbi.nlm.nih.gov/29456894/", "pmid", "29456894"),
        ("https://www.ncbi.nlm.nih.gov/pmc/articles/PMC5815332/pdf/x.pdf", "pmcid", "PMC5815332"),
        ("https://pmc.ncbi.nlm.nih.gov/articles/PMC5815332/", "pmcid", "PMC5815332"),
        ("https://aclanthology.org/P19-1001.pdf", "acl", "P19-1001"),
        ("https://aclanthology.org/2020.sdp-1.3/", "acl", "2020.sdp-1.3"),
        ("https://openalex.org/w2741809807", "openalex", "W2741809807"),
        ("https://api.semanticscholar.org/CorpusID:14514057", "corpus", "14514057"),
        (
            "https://www.semanticscholar.org/paper/Computing/2d5673caa9e6af3a7b82a43f19ee920992db07ad",
            "s2",
            "2d5673caa9e6af3a7b82a43f19ee920992db07ad",
        ),
    ],
)
def test_addresses_of_papers(url: str, kind: str, value: str | None) -> None:
    """By DOI wherever it stands in the address, by the numbers of the archives in their own places."""
    paper = paper_of(canonical(url))
    assert paper is not None
    assert paper == (kind, value or "10.1371/journal.pone.0012345")


@pytest.mark.parametrize(
    "url",
    [
        "http://a.example/",
        "http://a.example/10.1/x",
        "http://a.example/v110.1234/x",
        "http://a.example/1.10.1234/x",
        "http://a.example/10.1234/",
        "http://arxiv.org/list/cs.DL/recent",
        "http://notarxiv.org/abs/2304.05376",
        "http://arxiv.org.example/abs/2304.05376",
        "https://www.semanticscholar.org/author/1234",
        "https://openalex.org/A5023888391",
        "",
    ],
)
def test_other_addresses(url: str) -> None:
    """Most pages are of no paper, and numbers that look alike are not taken for one."""
    assert paper_of(url) is None


@given(st.text(alphabet="10./%aV-vpdfxiorg:?&=", max_size=300).map(lambda tail: f"https://arxiv.org/{tail}"))
def test_any_address_will_do(url: str) -> None:
    """Nothing in an address breaks it, and what is found is no longer than the address."""
    paper = paper_of(url)
    assert paper is None or 0 < len(paper.value) <= len(url) + 8
