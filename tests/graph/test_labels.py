"""What labels are made of: nouns and phrases with their case, not the words of every text."""

from __future__ import annotations

from pinakes.graph.labels import as_written, filled, phrase_labels
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


def test_a_single_page_does_not_name_a_community() -> None:
    """However often it says its own word, and however strange that word is to the others."""
    crawlers = ["The crawler of the library. A crawler fetches the page of a server."] * 9
    odd = ["The owl, an owl, the owl, this owl, its owl, the owl, an owl, the owl.", "The owl of the library."]
    label = labels(crawlers + odd, ["Kettles and lamps."] * 6)[0]
    assert label[0] == "crawler" and label.index("crawler") < (label.index("owl") if "owl" in label else 9)


def test_a_word_that_clusters_share_names_the_one_that_says_it_most() -> None:
    crawling = ["The crawler, a crawler, of the crawler, its crawler, each crawler: the crawler. The server."] * 8
    catalogues = ["The crawler of a catalogue. The catalogue, a catalogue."] * 8
    lamps = ["Kettles and lamps."] * 8
    first, second, *_ = labels(crawling, catalogues, lamps, lamps, lamps)
    assert first[0] == "crawler" and second[0] == "catalogue" and "crawler" not in second


def test_of_words_made_of_one_a_label_has_one() -> None:
    pages = ["The crawler of crawling. Crawling, of a crawler. The server of the frontier."] * 8
    label = labels(pages, ["Kettles and lamps."] * 8)[0]
    assert len({"crawler", "crawling"} & set(label)) == 1 and "frontier" in label


def test_given_names_that_go_with_ever_other_surnames_are_no_subject() -> None:
    lists = [
        ("cs.a.example", f"Ada Quill{n}, Ada Hart{n}, Bo Lund{n} and Ada Marsh{n}. The tunnels. Tunnels of crawlers.")
        for n in range(6)
    ]
    label = on_hosts(lists, OTHERS)[0]
    assert label[0] == "tunnels" and (label.index("Ada") if "Ada" in label else 9) > label.index("crawlers")


def test_a_surname_that_stands_in_lists_alone_is_no_subject() -> None:
    lists = [
        ("cs.a.example", f"Berta Quill, Carl Quill, Bo Hart and Otto Lund {n}. The tunnels. Tunnels of crawlers.")
        for n in range(6)
    ]
    label = on_hosts(lists, OTHERS)[0]
    assert label[0] == "tunnels" and not {"Quill", "Lund", "Hart"} & set(label[:2])


def test_a_label_is_never_empty_where_pages_have_words() -> None:
    assert filled([], ["2026", "month", "18", "of", "previous", "next"]) == ["month", "previous", "next"]
    assert filled(["tides", "grey seals"], ["seals", "shore", "marsh"]) == ["tides", "grey seals", "shore"]
    assert filled(["a", "b", "c"], ["more"]) == ["a", "b", "c"]


def test_stems_are_written_out_even_where_they_begin_no_phrase() -> None:
    read = PhraseReader(Words().stems).read
    text = "Entries leave. Previous entry, next entries, entries"
    assert as_written(["entri", "xyzzi"], [read("Lamps.")], [text]) == ["entries", "xyzzi"]
