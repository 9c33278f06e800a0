"""The command line: every job as a person types it.

Commands are named in a table and imported only when used, so that `pinakes --help` answers at once.
"""

from __future__ import annotations

import errno
import importlib
import os
import re
import sqlite3
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import click

from pinakes import __version__
from pinakes.core.errors import PinakesError

COMMANDS = {
    "demo": ("pinakes.cli.demo", "A tour of every job, on a small web that ships with Pinakes."),
    "crawl": ("pinakes.cli.crawl", "Crawl towards a topic into a library."),
    "collect": ("pinakes.cli.collect", "From a list of topics to ranked collections, in one crawl."),
    "paths": ("pinakes.cli.paths", "What the paths of a crawl say about where nuggets are."),
    "harvest": ("pinakes.cli.harvest", "The papers of a venue that a library lacks, from their authors' homepages."),
    "panorama": ("pinakes.cli.panorama", "From a research paper to a map of the web communities round it."),
    "refresh": ("pinakes.cli.refresh", "Look a library over again, and tell only what is new."),
    "resume": ("pinakes.cli.resume", "Take up a crawl where it left off."),
    "work": ("pinakes.cli.work", "Join a crawl in PostgreSQL: fetch pages, and decide when nobody else does."),
    "status": ("pinakes.cli.status", "What a library holds and how its crawls went."),
    "why": ("pinakes.cli.why", "How a page was reached, or why it was not fetched."),
    "search": ("pinakes.cli.search", "Full-text search in a library."),
    "label": ("pinakes.cli.label", "Teach a collection's judge by its pages, and rank it anew."),
    "serve": ("pinakes.cli.serve", "Open a library in the browser: search, browse, watch crawls, start jobs."),
    "export": ("pinakes.cli.export", "A library in the formats of other programs: BibTeX, CSV, Atom, WARC, …"),
    "strategies": ("pinakes.cli.strategies", "The crawling strategies, with their papers and parameters."),
    "evaluate": ("pinakes.cli.evaluate", "Compare strategies on one web, by many measures."),
    "topics": ("pinakes.cli.topics", "Topics to evaluate on, from a directory of the web or from a library."),
    "train": ("pinakes.cli.train", "Train a judge from examples, or anchor keywords from crawls."),
    "judge": ("pinakes.cli.judge", "Try a judge on pages."),
    "paper": ("pinakes.cli.paper", "What a paper says: title, authors, abstract, references."),
    "web": ("pinakes.cli.web", "Recorded webs: look at one, build one from a library, serve one over HTTP."),
}


class NobodyReadsError(Exception):
    """Whoever read our output has gone, as `head` does when it has enough."""


@contextmanager
def _told_apart() -> Iterator[None]:
    """click would make a failure of it."""
    try:
        yield
    except BrokenPipeError:
        raise NobodyReadsError from None


class LazyGroup(click.Group):
    """A group whose commands are imported when they are asked for."""

    def make_context(self, *arguments: Any, **more: Any) -> click.Context:
        with _told_apart():  # help is told here
            return super().make_context(*arguments, **more)

    def invoke(self, context: click.Context) -> object:
        with _told_apart():
            return super().invoke(context)

    def list_commands(self, context: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(COMMANDS[name][0]).command
        return command

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="pinakes")
def cli() -> None:
    """Pinakes builds digital libraries from the web.

    Give it a topic or a few example pages: it crawls the web towards what you want, keeps what it finds in a library on
    your disk, and explains every page it kept.
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command. Exit 0 when all went well, 1 for bad input (one line says what to mend), 130 for Ctrl-C."""
    _have_streams()
    # Many small products a page: threads for each would wait for one another longer than they work.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        code = cli.main(args=list(arguments) if arguments is not None else None, standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        code = 0
    except click.ClickException as error:
        code = complain(usage(error))
    except PinakesError as error:
        code = complain(str(error))
    except (click.Abort, KeyboardInterrupt):
        complain(interrupted(list(arguments) if arguments is not None else sys.argv[1:]))
        code = 130
    except NobodyReadsError:
        code = 0
    except (OSError, sqlite3.Error) as error:
        code = complain(trouble(error))
    except Exception as error:
        if os.environ.get("PINAKES_DEBUG"):
            raise
        code = complain(
            f"Something went wrong that should not ({type(error).__name__}: {error}); "
            "please report it with what PINAKES_DEBUG=1 shows. Nothing committed is lost."
        )
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        # The interpreter must not complain about it on its way out.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code if isinstance(code, int) else 0)


def _have_streams() -> None:
    """Stand-ins for standard streams that were closed when we were started: the first files we open would get their
    numbers, which an event loop takes so ill that it aborts."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode))  # noqa: SIM115  it gets the lowest number that is free


def interrupted(arguments: Sequence[str]) -> str:
    """What is kept after Ctrl-C where the command itself could not say, and how to go on."""
    words = [part for word in arguments for part in (word.split("=", 1) if word.startswith("--into=") else [word])]
    into = next((words[at + 1] for at, word in enumerate(words[:-1]) if word == "--into"), "")
    if into and Path(into, "catalogue.db").exists():
        return (
            f"Interrupted. What was committed is kept in {into}: `pinakes status {into}` tells how far it came, "
            f"`pinakes resume {into}` goes on with it."
        )
    nothing = f" before anything was kept in {into}" if into and "://" not in into else ""
    return f"Interrupted{nothing}; nothing is lost. Give the same command again to start anew."


_range = re.compile(r"(\S+) is not in the range (?:(\S+?)<(=?))?x(?:>(=?)(\S+?)|<(=?)(\S+?))?$").search


def usage(error: click.ClickException) -> str:
    """What is wrong with how a command was called, and where to read how it is."""
    message = _in_range(error.format_message().rstrip("."))
    context = getattr(error, "ctx", None)
    if isinstance(error, click.UsageError) and "No such command" in message and context:
        name = message.split("'")[1] if "'" in message else ""
        meant = get_close_matches(name, COMMANDS, 1)
        message += f"; did you mean {meant[0]}?" if meant else ""
    stop = "" if message.endswith("?") else "."
    return f"{message}{stop} See `{context.command_path if context else 'pinakes'} --help`."


def _in_range(message: str) -> str:
    """click's `x>=1` in words, with what to give instead."""
    found = _range(message)
    if found is None:
        return message
    value, least, _, _, above, _, most = found.groups()
    least = least or above
    bounds = f"from {least} to {most}" if least and most else f"{least} or more" if least else f"{most} at most"
    return f"{message[: found.start()]}{value} will not do; give {bounds}"


def complain(sentence: str) -> int:
    click.echo(f"pinakes: {' '.join(sentence.split())}", err=True)
    return 1


def trouble(error: OSError | sqlite3.Error) -> str:
    """What the disk or the database says, as a sentence with the fix."""
    full = isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)
    if full or "disk is full" in str(error):
        return "The disk is full; free some space and go on with `pinakes resume LIBRARY`. Nothing committed is lost."
    if isinstance(error, PermissionError) or "readonly" in str(error):
        name = f"{error.filename} " if isinstance(error, OSError) and error.filename else "The library "
        return f"{name}cannot be written; mind its permissions, or write --into another folder."
    if isinstance(error, OSError) and error.filename:
        return f"{error.filename}: {error.strerror}."
    return f"The disk or the database gave an error ({error}); go on with `pinakes resume LIBRARY` once it is mended."
