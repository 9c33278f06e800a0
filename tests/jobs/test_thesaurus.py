"""Thesauri and outlines become topics."""

from __future__ import annotations

from pathlib import Path

import pytest

from pinakes.core.errors import PinakesError
from pinakes.jobs.thesaurus import read_thesaurus
from pinakes.jobs.topics_import import ImportOptions, import_topics

RDF = """<?xml version="1.0" encoding="UTF-8"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:skos="http://www.w3.org/2004/02/skos/core#">
  <skos:ConceptScheme rdf:about="http://t.example/"/>
  <skos:Concept rdf:about="http://t.example/animals">
    <skos:prefLabel xml:lang="de">Tiere</skos:prefLabel>
    <skos:prefLabel xml:lang="en">Animals</skos:prefLabel>
    <skos:narrower><skos:Concept rdf:about="http://t.example/fish"><skos:prefLabel>Fish</skos:prefLabel></skos:Concept>
    </skos:narrower>
  </skos:Concept>
  <rdf:Description rdf:about="http://t.example/birds">
    <rdf:type rdf:resource="http://www.w3.org/2004/02/skos/core#Concept"/>
    <skos:prefLabel xml:lang="en-GB">Birds</skos:prefLabel>
    <skos:scopeNote xml:lang="en">Feathered
      ones</skos:scopeNote>
    <skos:broader rdf:resource="http://t.example/animals"/>
  </rdf:Description>
</rdf:RDF>"""
TURTLE = '''@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix t: <http://t.example/> .   # a remark
t:animals a skos:Concept ; skos:prefLabel "Animals"@en , "Tiere"@de .
t:birds a skos:Concept ;
    skos:prefLabel "Birds"@en ;
    skos:definition """Feathered
"ones" \\u00e9"""@en ;
    skos:notation "1.2"^^t:code , 5 ;
    skos:broader t:animals .
'''
OUTLINE = """# a remark
Animals
    - Birds: feathered ones
\t\tOwls
    1.2 Fish
Plants
    Owls
"""


def topics(tmp_path: Path, text: str, **more: object) -> list[tuple[str, str, str]]:
    source = tmp_path / "source"
    source.write_text(text)
    out = tmp_path / "topics.toml"
    out.unlink(missing_ok=True)
    found = import_topics(ImportOptions(source, out, **more))  # type: ignore[arg-type]
    return [(topic.name, topic.parent, topic.description) for topic in found]


def test_rdf(tmp_path: Path) -> None:
    assert topics(tmp_path, RDF) == [
        ("Animals", "", ""), ("Fish", "Animals", ""), ("Birds", "Animals", "Feathered ones")
    ]  # fmt: skip
    assert topics(tmp_path, RDF, language="de")[0][0] == "Tiere"
    assert [name for name, _, _ in topics(tmp_path, RDF, leaves=True)] == ["Fish", "Birds"]


def test_turtle(tmp_path: Path) -> None:
    assert topics(tmp_path, TURTLE) == [("Animals", "", ""), ("Birds", "Animals", 'Feathered "ones" é')]


def test_outline(tmp_path: Path) -> None:
    """Bullets and numbers go, descriptions stay, and names that occur twice get their parent's."""
    assert topics(tmp_path, OUTLINE, seeds=("http://a.example/",)) == [
        ("Animals", "", ""),
        ("Birds", "Animals", "feathered ones"),
        ("Birds / Owls", "Birds", ""),
        ("Fish", "Animals", ""),
        ("Plants", "", ""),
        ("Plants / Owls", "Plants", ""),
    ]
    assert 'seeds = ["http://a.example/"]' in (tmp_path / "topics.toml").read_text()


def test_circles_are_cut(tmp_path: Path) -> None:
    text = TURTLE.replace('"Tiere"@de .', '"Tiere"@de ; skos:broader t:birds .')
    assert [parent for _, parent, _ in topics(tmp_path, text)] == ["", ""]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b'<?xml version="1.0"?><!DOCTYPE r [<!ENTITY x "y">]><rdf:RDF/>', "entities"),
        (b'<?xml version="1.0"?><rdf', "not well-formed"),
        (b"@prefix a: <http://a/> .\nb:c a:d a:e .", "line 2: 'b:c' has no prefix"),
        (b"@prefix a: <http://a/> .\na:c a:d [ a:x 1 ] .", "line 2"),
        (b"\xff\xfe\x00", "not UTF-8"),
    ],
)
def test_what_cannot_be_read_says_why(data: bytes, said: str) -> None:
    with pytest.raises(PinakesError) as error:
        read_thesaurus("file", data)
    assert said in str(error.value)


def test_nothing_is_written_over(tmp_path: Path) -> None:
    (tmp_path / "topics.toml").write_text("mine")
    (tmp_path / "source").write_text("Owls")
    with pytest.raises(PinakesError, match="is there already"):
        import_topics(ImportOptions(tmp_path / "source", tmp_path / "topics.toml"))
    (tmp_path / "source").write_text("# nothing")
    with pytest.raises(PinakesError, match="no topics"):
        import_topics(ImportOptions(tmp_path / "source", tmp_path / "new.toml"))
