"""A library whose catalogue is in PostgreSQL has a desk on every machine that works with it: a folder with its address,
the text index and reports. All of it can be made again, so that a library is one folder to every job, wherever its
catalogue is."""

from __future__ import annotations

import os
import re
from hashlib import sha256
from pathlib import Path

from pinakes.core.errors import PinakesError
from pinakes.library.postgres import holds, shown

ADDRESS = "catalogue.url"
_SCHEMES = ("postgresql:", "postgres:")


def library_path(name: str | os.PathLike[str]) -> Path:
    """The folder of a library by the name a person gives: a folder, or `postgresql://…`, for which a desk is made."""
    address = os.fspath(name)
    if not address.startswith(_SCHEMES):
        return Path(address)
    if "://" not in address:  # a path was made of it on the way
        address = re.sub(r":/*", "://", address, count=1)
    # Not for the password, which may change.
    plain = shown(address)
    short = re.sub(r"[^A-Za-z0-9]+", "-", plain.partition("?")[0].partition("//")[2]).strip("-")[:60]
    desk = desks() / f"{short}-{sha256(plain.encode()).hexdigest()[:8]}"
    for folder in ("index", "reports"):
        (desk / folder).mkdir(parents=True, exist_ok=True)
    path = desk / ADDRESS
    if not path.is_file() or path.read_text("utf-8").strip() != address:
        fresh = desk / f"{ADDRESS}.{os.getpid()}"
        with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:  # noqa: PTH123
            file.write(address + "\n")
        fresh.replace(path)
    return desk


def desks() -> Path:
    """Where desks are: `PINAKES_DATA`, else the user's data folder."""
    given = os.environ.get("PINAKES_DATA")
    home = os.environ.get("XDG_DATA_HOME")
    return Path(given) if given else (Path(home) if home else Path.home() / ".local" / "share") / "pinakes"


def address_of(folder: Path) -> str:
    """Where the catalogue of a desk is; empty for a library that has its own."""
    try:
        return (folder / ADDRESS).read_text("utf-8").strip()
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError as error:
        raise PinakesError(f"{folder / ADDRESS} cannot be read: {error.strerror}.") from None


def name_of(folder: Path) -> str:
    """A library's name as a person gives it."""
    address = address_of(folder)
    return shown(address) if address else str(folder)


def held_at(folder: Path) -> bool:
    """Is there a library?"""
    if (folder / "catalogue.db").is_file():
        return True
    address = address_of(folder)
    return bool(address) and holds(address)
