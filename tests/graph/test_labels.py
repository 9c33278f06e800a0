"""What labels are made of: nouns and phrases with their case, not the words of every text."""

from __future__ import annotations

from pinakes.graph.labels import phrase_labels
from pinakes.text.phrases import PhraseReader
from pinakes.text.words import Words


def labels(*clusters: list[str]) -> list[list[str]]:
    read = PhraseReader(Words().stems).read
    return phrase_labels([[read(text) for text in texts] for texts in clusters])


def test_words_of_any_text_give_way() -> None:
    """`results`, `section` and `et al` are said more often than the subject, and name nothing."""
    papers = [
        f"The results of section {n}, et al. The results of the sensor. Every sensor has a battery." for n in range(6)
    ]
    owls = ["The barn owl is a bird. The owl hunts voles at night."] * 6
    first, second = labels(papers, owls)
    assert first[:2] == ["sensor", "battery"] and "et al" not in first and "results" not in first[:2]
    assert second[0] == "owl"


def test_names_of_variables_dates_and_foreign_articles_are_no_labels() -> None:
    notes = ["On Thu Sep 3 the M0 and h1 of la maison and du port were given; the solver ran. pp. 12"] * 4
    others = ["A museum of bells."] * 4
    found = {word.lower() for label in labels(notes, others)[0] for word in label.split()}
    assert "solver" in found and not found & {"thu", "sep", "m0", "h1", "la", "du", "pp"}


def test_a_name_at_the_head_of_a_clause_keeps_its_capital() -> None:
    authors = ["Marco Polo. Marco Bianchi. Marco Rossi. The index of Marco Verdi."] * 3
    others = ["Kettles and lamps."] * 3
    assert any(label.startswith("Marco") for label in labels(authors, others)[0])


def test_acronyms_keep_their_case() -> None:
    pages = ["The CORBA standard. CORBA by the Object Management Group."] * 3
    others = ["Kettles and lamps."] * 3
    assert {"CORBA", "Object Management Group"} <= set(labels(pages, others)[0])


def on_hosts(*clusters: list[tuple[str, str]]) -> list[list[str]]:
    read = PhraseReader(Words().stems).read
    pages = [[read(text) for _, text in cluster] for cluster in clusters]
    return phrase_labels(pages, hosts=[[host for host, _ in cluster] for cluster in clusters])


OTHERS = [(f"k{n}.example", "Kettles and lamps are sold here.") for n in range(6)]


def test_people_who_are_listed_give_way_to_what_they_write_about() -> None:
    lists = [
        ("cs.a.example", f"Tunnels, by Ada Quill. Ada Quill, Bo Hart, {n}. The tunnels of crawlers.") for n in range(6)
    ]
    label = on_hosts(lists, OTHERS)[0]
    assert label[0] == "tunnels" and not {"Ada Quill", "Quill", "Ada"} & set(label[:2])


def test_a_site_is_not_what_its_pages_are_about() -> None:
    pages = [
        ("www.northlake.example", f"Welcome to Northlake, Northlake {n}: the telescope of Northlake.") for n in range(6)
    ]
    label = on_hosts(pages, OTHERS)[0]
    assert label.index("telescope") < (label.index("Northlake") if "Northlake" in label else 9)


def test_a_name_that_many_sites_use_is_their_subject() -> None:
    pages = [(f"s{n}.example", "The Object Management Group meets. Of the Object Management Group.") for n in range(6)]
    assert on_hosts(pages, OTHERS)[0][0] == "Object Management Group"


def test_a_piece_of_a_title_gives_way() -> None:
    cited = [("a.example", "What Anchor Text Promises, again. The anchor text of a link. Every anchor text.")] * 4
    assert "Anchor Text Promises" not in on_hosts(cited, OTHERS)[0]


def test_no_phrase_runs_over_an_article() -> None:
    """`price the link` is a verb and what it is done to."""
    assert all(
        "the" not in label.split() for label in labels(["Price the link. Price the link."] * 3, ["Lamps."] * 3)[0]
    )
