"""The text of PDFs, read in a process of its own.

The PDF library is C++ fed with hostile bytes: it may crash, hang or eat memory. So a child process does the reading,
under limits on its processor time and memory; when it dies or overruns, only the document is lost and the next one
gets a new child. Run as a module, this file is that child: on its standard input come documents, on its standard
output go answers, each with its length in front.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import resource
import selectors
import signal
import struct
import subprocess
import sys
from collections.abc import Callable
from time import monotonic
from typing import IO, Any, NamedTuple

MOST_PAGES = 200
MOST_TEXT = 1_000_000

_SIZE = struct.Struct("<Q")
_ANSWER_LIMIT = 8 * MOST_TEXT
_CHUNK = 1 << 16
_hyphen = re.compile(r"[\ufffe\x02]\s?").sub  # how the library marks a word divided at the end of a line
_breaks = re.compile(r"\r\n?|[\x0b\x0c]").sub
_not_text = re.compile(r"[\x00-\x08\x0e-\x1f\ufffe\uffff]").sub
_file_name = re.compile(r"\S+\.(?:docx?|pdf|ps|dvi|tex|rtf|odt|qxd|indd|pptx?|wpd|eps)", re.IGNORECASE).fullmatch
_program = re.compile(r"(?:microsoft\s+\w+|untitled|no title|title|powerpoint)\b.{0,4}", re.IGNORECASE).match


class PdfText(NamedTuple):
    title: str = ""
    """Of the document's metadata, where it looks like a title."""
    text: str = ""
    pages: int = 0
    error: str = ""
    """`encrypted`, `damaged`, `no-text`, `too-slow`, `crashed` (as when memory runs out), `unavailable` (no child)."""


class PdfReader:
    """Reads PDFs one at a time through one child, which starts when first needed. Not for several threads at once."""

    def __init__(self, cpu_seconds: int = 20, wall_seconds: float = 60.0, memory: int = 1 << 30) -> None:
        self._limits = (cpu_seconds, memory)
        self._wall_seconds = wall_seconds
        self._child: subprocess.Popen[bytes] | None = None

    def read(self, data: bytes) -> PdfText:
        """Title and text of a PDF, or the name of what is wrong with it. Never raises; blocks up to `wall_seconds`."""
        try:
            child = self._started()
        except OSError:
            return PdfText(error="unavailable")
        try:
            return PdfText(*json.loads(_exchanged(child, data, self._wall_seconds)))
        except TimeoutError:
            error = "too-slow"
        except (OSError, EOFError, ValueError, TypeError):
            error = "crashed"
        self.close()
        return PdfText(error="too-slow" if child.returncode == -signal.SIGXCPU else error)

    def close(self) -> None:
        """End the child; the next document starts another."""
        child, self._child = self._child, None
        if child:
            child.kill()
            child.wait()
            for pipe in (child.stdin, child.stdout):
                if pipe:
                    with contextlib.suppress(OSError):
                        pipe.close()

    def __del__(self) -> None:
        with contextlib.suppress(Exception):  # half of the interpreter may be gone by now
            self.close()

    def _started(self) -> subprocess.Popen[bytes]:
        if self._child and self._child.poll() is not None:
            self.close()
        if self._child is None:
            # -P: a module of the same name in the current folder must not get in the way.
            command = [sys.executable, "-P", "-m", "pinakes.formats.pdf", *map(str, self._limits)]
            self._child = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                start_new_session=True,  # Ctrl-C is for the parent; the child ends when its input does
            )
        return self._child


def _exchanged(child: subprocess.Popen[bytes], data: bytes, seconds: float) -> bytes:
    """Send a document and receive the answer, whatever the child does in between."""
    assert child.stdin
    assert child.stdout
    write, read = child.stdin.fileno(), child.stdout.fileno()
    os.set_blocking(write, False)
    unsent = memoryview(_SIZE.pack(len(data)) + data)
    answer = bytearray()
    wanted = _SIZE.size
    deadline = monotonic() + seconds
    with selectors.DefaultSelector() as selector:
        selector.register(write, selectors.EVENT_WRITE)
        selector.register(read, selectors.EVENT_READ)
        while len(answer) < wanted:
            ready = selector.select(max(deadline - monotonic(), 0))
            if not ready:
                raise TimeoutError
            for key, _ in ready:
                if key.fd == write:
                    unsent = unsent[os.write(write, unsent[:_CHUNK]) :]
                    if not unsent:
                        selector.unregister(write)
                else:
                    received = os.read(read, _CHUNK)
                    if not received:
                        child.wait(1)
                        raise EOFError
                    answer += received
                    if len(answer) >= _SIZE.size:
                        wanted = _SIZE.size + _SIZE.unpack_from(answer)[0]
                        if wanted > _ANSWER_LIMIT:
                            raise ValueError
    return bytes(answer[_SIZE.size :])


def extracted(data: bytes) -> PdfText:
    """Title and text of a PDF, read in this very process. For documents one trusts."""
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        return PdfText(error="encrypted" if "password" in str(error).lower() else "damaged")
    with contextlib.closing(document):
        pages = len(document)
        texts: list[str] = []
        room = MOST_TEXT
        for number in range(min(pages, MOST_PAGES)):
            if room <= 0:
                break
            with contextlib.suppress(pypdfium2.PdfiumError):
                texts.append(_page_text(document, number, room))
                room -= len(texts[-1]) + 1
        text = "\n".join(filter(None, texts))[:MOST_TEXT]
        title = ""
        with contextlib.suppress(pypdfium2.PdfiumError, UnicodeError):
            title = sane_title(document.get_metadata_value("Title"))
        return PdfText(title, text, pages, "" if text else "no-text" if pages else "damaged")


def _page_text(document: Any, number: int, room: int) -> str:
    with contextlib.closing(document[number]) as page, contextlib.closing(page.get_textpage()) as text_page:
        text = text_page.get_text_range(0, min(text_page.count_chars(), room))
    return _not_text("", _breaks("\n", _hyphen("", text))).strip()


def sane_title(title: str) -> str:
    """A metadata title, or nothing when a program or a file name stands in its place."""
    title = " ".join(_not_text("", title[:1000]).split())
    if not 4 <= len(title) <= 300 or _file_name(title) or _program(title) or not any(map(str.isalpha, title)):
        return ""
    return title


def _limit(what: int, value: int) -> None:
    with contextlib.suppress(ValueError, OSError):  # not every system has every limit
        resource.setrlimit(what, (value, resource.getrlimit(what)[1]))


def _serve(cpu_seconds: int, memory: int, read: Callable[[int], bytes], out: IO[bytes]) -> None:
    import pypdfium2  # noqa: F401  loaded before memory is limited

    _limit(resource.RLIMIT_AS, memory)
    _limit(resource.RLIMIT_CORE, 0)
    while len(size := read(_SIZE.size)) == _SIZE.size:
        data = read(_SIZE.unpack(size)[0])
        used = resource.getrusage(resource.RUSAGE_SELF)
        _limit(resource.RLIMIT_CPU, int(used.ru_utime + used.ru_stime) + cpu_seconds + 1)
        answer = json.dumps(extracted(data)).encode()
        out.write(_SIZE.pack(len(answer)) + answer)
        out.flush()


if __name__ == "__main__":
    _serve(int(sys.argv[1]), int(sys.argv[2]), sys.stdin.buffer.read, sys.stdout.buffer)
