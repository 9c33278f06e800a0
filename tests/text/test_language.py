from __future__ import annotations

import pytest

from pinakes.text.language import ENGLISH_STOP_WORDS, Languages
from pinakes.text.words import Words

GERMAN = "Der Hund lief über die Straße, weil er die Katze sah, die auf der anderen Seite in der Sonne schlief. " * 4
ENGLISH = "The dog ran across the street because it saw the cat that slept in the sun on the other side. " * 4
CHINESE = "中文分词是一个很重要的问题，我们需要认真研究这个问题。" * 10


class Spy(Languages):
    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []
        self._classify = self.classify

    def classify(self, text: str) -> tuple[str, float]:
        self.asked.append(text)
        return "tlh", 1.0


@pytest.fixture(scope="module")
def languages() -> Languages:
    return Languages()


@pytest.mark.parametrize(("text", "language"), [(GERMAN, "de"), (ENGLISH, "en"), (CHINESE, "zh")])
def test_text_is_classified(languages: Languages, text: str, language: str) -> None:
    assert languages.of(text) == language


def test_a_plausible_attribute_is_believed() -> None:
    """The page's own word saves the classifier's time."""
    languages = Spy()
    assert languages.of(ENGLISH, "en-GB") == "en"
    assert languages.of(GERMAN, " DE ") == "de"
    assert languages.of(CHINESE, "zh_CN") == "zh"
    assert languages.asked == []


@pytest.mark.parametrize(("text", "hint"), [(CHINESE, "en"), (GERMAN, "ru"), (GERMAN, "und"), (GERMAN, "deutsch")])
def test_an_implausible_attribute_is_not(text: str, hint: str) -> None:
    """Letters that contradict the attribute, or an attribute that names no language, call for the classifier."""
    languages = Spy()
    assert languages.of(text, hint) == "tlh"
    assert len(languages.asked) == 1
    assert len(languages.asked[0]) <= 1000


def test_little_text_is_not_guessed_at() -> None:
    languages = Spy()
    assert languages.of("just a few words") == ""
    assert languages.of("") == ""
    assert languages.asked == []


def test_english_shows_by_its_stop_words() -> None:
    """A third of stop words is English without a classifier; other languages do not come near."""
    words, spy = Words(), Spy()
    for text, english in ((ENGLISH, True), (GERMAN, False)):
        stems = words.stems(text)
        assert (stems.count("") / len(stems) >= ENGLISH_STOP_WORDS) is english
    assert spy.of(ENGLISH, stopped=0.4) == "en"
    assert spy.asked == []


LISTS = (
    "Computation and Neural Systems, Electronic Journals Catalog, Employment Information, Supercomputing Servers, "
    "Undergraduate Course Offerings, Parallel Program Performance Tools, nonlinear image processing activities, "
    "developing two special purpose languages, pattern recognition methods, research demonstrations running again. "
)


def test_english_without_stop_words_needs_no_classifier() -> None:
    """Lists have few stop words; loading the classifier's model for them would cost more than the pages."""
    spy = Spy()
    assert spy.of(LISTS * 3) == "en"
    assert spy.asked == []
    countries = (
        "Laos Latvia Lesotho Macau Malawi Mali Malta Mauritius Monaco Nauru Niue Oman Palau Samoa Togo Tonga " * 9
    )
    assert spy.of(LISTS + countries + LISTS[:100]) == "en"
    assert spy.asked == []
    for text in (GERMAN, CHINESE, LISTS + GERMAN * 6 + LISTS):
        assert spy.of(text) == "tlh"
