"""`pinakes.toml`: who runs the crawls, and which search engines and services to use.

    contact = "you@example.org"
    proxy = "http://proxy.example.org:3128"

    [search.mine]
    kind = "searxng"
    url = "https://search.example.org"
    key_env = "SEARCH_KEY"

    [services.openalex]
    key_env = "OPENALEX_KEY"

    [logins]
    "https://library.example.org" = "cookies.txt"

    [limits]
    timeout = 10
    largest = 10_485_760

Keys are never written here: `key_env` names the environment variable that holds one.
"""

from __future__ import annotations

import os
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import msgspec

from pinakes.core.errors import PinakesError

NAME = "pinakes.toml"


class Search(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A search engine."""

    kind: str
    """`searxng`, `brave`, `marginalia`, `mojeek`, or `json` for any other."""
    url: str = ""
    key_env: str = ""
    results: str = ""
    """Of kind json: where the list of results stands in an answer, such as `data.items`."""
    address: str = "url"
    title: str = "title"
    snippet: str = "snippet"
    key_header: str = ""
    key_parameter: str = ""

    def key(self) -> str:
        return _key(self.key_env)


class Service(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A service for metadata, holdings and the like; what is not set is the service's own default."""

    url: str = ""
    key_env: str = ""
    mailto: str = ""
    budget: float = 0.0
    """What may be spent on it in a day, in its own currency; 0 for its free allowance."""

    def key(self) -> str:
        return _key(self.key_env)


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How long a request may take, and how much of a file is kept."""

    timeout: Annotated[float, msgspec.Meta(gt=0)] = 10.0
    """Seconds for each stage: to connect, to the end of the answer's head, between two pieces of the body."""
    total: Annotated[float, msgspec.Meta(gt=0)] = 60.0
    """Seconds for all of them together."""
    largest: Annotated[int, msgspec.Meta(gt=0)] = 10 << 20
    """Bytes of a file."""


class Config(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All settings. Without a file, the defaults."""

    contact: str = ""
    proxy: str = ""
    search: dict[str, Search] = {}
    services: dict[str, Service] = {}
    logins: dict[str, Path] = {}
    """Site to a file of cookies; relative to the configuration's folder."""
    limits: Limits = Limits()

    def engine(self, name: str) -> Search:
        """The search engine of that name."""
        if name not in self.search:
            has = f"it has {', '.join(sorted(self.search))}" if self.search else f"add [search.{name}] to {NAME}"
            raise PinakesError(f"The configuration has no search engine '{name}'; {has}.")
        return self.search[name]


def load(path: Path | None = None) -> Config:
    """Read the file given, else `./pinakes.toml`, else the one in the user's configuration folder."""
    found = path or next((file for file in (Path(NAME), user_folder() / NAME) if file.is_file()), None)
    if found is None:
        return Config()
    try:
        config = msgspec.convert(tomllib.loads(found.read_text("utf-8-sig")), Config, dec_hook=_path)
    except OSError as error:
        raise PinakesError(f"{found} cannot be read: {error.strerror or error}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise PinakesError(f"{found} is not TOML: {error}.") from None
    except msgspec.ValidationError as error:
        raise PinakesError(f"{found} has a mistake: {_plain(str(error))}.") from None
    folder = found.absolute().parent
    logins = {site: folder / file.expanduser() for site, file in config.logins.items()}
    return msgspec.structs.replace(config, logins=logins)


def user_folder(environment: Mapping[str, str] = os.environ, platform: str = "") -> Path:
    """Where the user's configuration is kept."""
    platform = platform or sys.platform
    if platform == "win32" and environment.get("APPDATA"):
        return Path(environment["APPDATA"]) / "pinakes"
    if platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "pinakes"
    return Path(environment.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "pinakes"


def _path(kind: type, value: object) -> Path:
    if kind is not Path or not isinstance(value, str):
        raise TypeError(f"Expected a file's name, got `{type(value).__name__}`")
    return Path(value)


def _plain(complaint: str) -> str:
    """msgspec's complaint with the place as it is written in the file: `$.search.mine` is `[search.mine]`."""
    text, _, place = complaint.partition(" - at `")
    parts = [part.strip("[]…'\"") for part in place.rstrip("`").replace("$", "").split(".") if part]
    where = f" in {'.'.join(part for part in parts if part)}" if parts else ""
    return text.replace("Object contains unknown field", "there is no setting").replace("`", "'") + where


def _key(variable: str) -> str:
    if not variable:
        return ""
    key = os.environ.get(variable, "")
    if not key:
        raise PinakesError(f"The key is looked for in the environment variable {variable}, which is not set.")
    return key
