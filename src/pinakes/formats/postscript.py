"""PostScript turned into PDF by Ghostscript, where it is installed.

PostScript is a program somebody else wrote: Ghostscript runs it in its safe mode, in an empty folder of its own, under
limits on processor time, memory and what it may write.
"""

from __future__ import annotations

import contextlib
import gzip
import os
import shutil
import signal
import subprocess
import tempfile
import zlib
from pathlib import Path

LARGEST = 128 << 20
_SECONDS = 60
_MEMORY_KB = 2 << 20
_LIMITS = f"ulimit -t {_SECONDS}; ulimit -c 0; ulimit -f {LARGEST // 512}; ulimit -v {_MEMORY_KB} 2>/dev/null"
_LIMITED = f'{_LIMITS}; exec "$@"'


class PostscriptError(Exception):
    """There is no PDF; the text is `no-ghostscript`, `too-slow` or `damaged`."""


def is_postscript(data: bytes) -> bool:
    return data[:4] in (b"%!PS", b"\x04%!P") or data[:11] == b"\x1b%-12345X@P"


def unpacked(data: bytes) -> bytes:
    """A gzip file's content, no more than is allowed; other data as it is."""
    if data[:2] != b"\x1f\x8b":
        return data
    with contextlib.suppress(OSError, EOFError, zlib.error), tempfile.TemporaryFile() as file:
        file.write(data)
        file.seek(0)
        with gzip.open(file) as packed:
            return packed.read(LARGEST)
    return b""


def to_pdf(data: bytes, seconds: float = 2 * _SECONDS) -> bytes:
    """The PDF of a PostScript document."""
    program = shutil.which("gs")
    if not program:
        raise PostscriptError("no-ghostscript")
    with tempfile.TemporaryDirectory(prefix="pinakes-ps-") as folder:
        out = Path(folder) / "paper.pdf"
        command = [program, "-q", "-dSAFER", "-dBATCH", "-dNOPAUSE", "-sDEVICE=pdfwrite", f"-sOutputFile={out}", "-"]
        environment = {"PATH": os.defpath, "TMPDIR": folder, "HOME": folder}
        child = subprocess.Popen(
            ["/bin/sh", "-c", _LIMITED, "sh", *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env=environment,
            start_new_session=True,
        )
        try:
            child.communicate(data, timeout=seconds)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            child.communicate()
            raise PostscriptError("too-slow") from None
        if child.returncode in (-signal.SIGXCPU, 128 + signal.SIGXCPU, -signal.SIGKILL):
            raise PostscriptError("too-slow")
        if child.returncode or not out.is_file() or not out.stat().st_size:
            raise PostscriptError("damaged")
        return out.read_bytes()
