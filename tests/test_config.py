"""The configuration: found, read, and wrong in one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from pinakes.config import Config, Limits, Search, Service, load, user_folder
from pinakes.core.errors import PinakesError

TEXT = """
contact = "you@example.org"
proxy = "http://proxy.example.org:3128"

[search.mine]
kind = "searxng"
url = "https://search.example.org"
key_env = "PINAKES_TEST_KEY"

[services.openalex]
key_env = "PINAKES_TEST_KEY"
budget = 1

[logins]
"https://library.example.org" = "cookies.txt"

[limits]
timeout = 3
largest = 1_000_000
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder and an empty configuration folder."""
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setattr("sys.platform", "linux")
    (tmp_path / "config" / "pinakes").mkdir(parents=True)
    return tmp_path


def test_all_settings_are_read(home: Path) -> None:
    """Into plain records; files are relative to the configuration's folder."""
    file = home / "some.toml"
    file.write_text(TEXT)
    config = load(file)
    assert config.contact == "you@example.org"
    assert config.search == {"mine": Search("searxng", "https://search.example.org", "PINAKES_TEST_KEY")}
    assert config.services == {"openalex": Service(key_env="PINAKES_TEST_KEY", budget=1.0)}
    assert config.logins == {"https://library.example.org": home / "cookies.txt"}
    assert config.engine("mine").kind == "searxng"
    assert config.limits == Limits(timeout=3.0, total=60.0, largest=1_000_000)
    with pytest.raises(AttributeError):
        config.contact = "x"  # type: ignore[misc]


def test_the_nearest_file_counts(home: Path) -> None:
    """The one given, else the working folder's, else the user's, else none."""
    assert load() == Config()
    (user_folder({"XDG_CONFIG_HOME": str(home / "config")}, "linux") / "pinakes.toml").write_text(
        'contact = "user@x.org"'
    )
    assert load().contact == "user@x.org"
    Path("pinakes.toml").write_text('contact = "here@x.org"')
    assert load().contact == "here@x.org"
    (home / "given.toml").write_text('contact = "given@x.org"')
    assert load(home / "given.toml").contact == "given@x.org"


def test_every_system_has_its_folder() -> None:
    """As its users expect."""
    assert user_folder({}, "linux") == Path.home() / ".config" / "pinakes"
    assert user_folder({}, "darwin") == Path.home() / "Library" / "Application Support" / "pinakes"
    assert user_folder({"APPDATA": "/data"}, "win32") == Path("/data/pinakes")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("contact = 5", "Expected 'str', got 'int' in contact"),
        ("contcat = 'x'", "there is no setting 'contcat'"),
        ("[search.mine]\nurl = 'x'", "missing required field 'kind' in search"),
        ("[search.mine]\nkind = 'x'\nkey = 'secret'", "there is no setting 'key' in search"),
        ("[services]\nopenalex = 'x'", "got 'str' in services"),
        ("[logins]\n'https://a.example' = 5", "Expected a file's name, got 'int' in logins"),
        ("contact = ", "is not TOML"),
        ("\ud800", "is not TOML"),
    ],
)
def test_a_mistake_is_one_sentence(home: Path, text: str, says: str) -> None:
    """It names the file and the place, and never repeats a secret."""
    file = home / "bad.toml"
    file.write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(PinakesError) as caught:
        load(file)
    sentence = str(caught.value)
    assert sentence.startswith(str(file)) and sentence.endswith(".") and "\n" not in sentence
    assert says in sentence
    assert "secret" not in sentence


def test_a_file_that_is_not_there_is_said_to_be_missing(home: Path) -> None:
    """When it was asked for by name."""
    with pytest.raises(PinakesError, match=r"none\.toml cannot be read: No such file"):
        load(home / "none.toml")


def test_keys_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """And where the variable is not set, its name is told."""
    monkeypatch.setenv("PINAKES_TEST_KEY", "k")
    assert Search("x", key_env="PINAKES_TEST_KEY").key() == "k"
    assert Service().key() == ""
    monkeypatch.delenv("PINAKES_TEST_KEY")
    with pytest.raises(PinakesError, match="PINAKES_TEST_KEY"):
        Service(key_env="PINAKES_TEST_KEY").key()


def test_an_unknown_search_engine_is_told_with_the_choice() -> None:
    """Or with how to add one."""
    with pytest.raises(PinakesError, match="it has mine"):
        Config(search={"mine": Search("x")}).engine("other")
    with pytest.raises(PinakesError, match=r"add \[search\.other\]"):
        Config().engine("other")
