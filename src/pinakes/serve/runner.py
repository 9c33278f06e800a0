"""Jobs started from the browser: each is the command a person would type, in a process of its own.

What a job was given and what it said stand in `desk/NNNN/` of the library, so that they outlive the application.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import msgspec
from starlette.requests import Request

from pinakes.core.errors import PinakesError
from pinakes.library.library import in_use

LOG = 200_000
"""Bytes of a job's words that are shown."""
GRACE = 10.0
"""Seconds jobs have to end when the application does."""
State = Literal["running", "done", "failed", "stopped", "lost"]


class Busy(Exception):  # noqa: N818
    """Another job is writing to the library."""


@dataclass(frozen=True, slots=True)
class Job:
    id: int
    kind: str
    title: str
    command: tuple[str, ...]
    """As typed, without the program's name."""
    started: float
    shows: str = ""
    """Where its result is looked at."""
    ended: float | None = None
    code: int | None = None

    @property
    def state(self) -> State:
        if self.ended is None:
            return "running"
        if self.code is None:
            return "lost"
        return "done" if self.code == 0 else "stopped" if self.code == 130 else "failed"


class Runner:
    """The jobs of one library. Several threads may ask."""

    def __init__(self, folder: Path, options: Sequence[str] = ()) -> None:
        self._folder = folder / "desk"
        self._library = folder
        self._options = tuple(options)
        self._lock = threading.Lock()
        self._running: dict[int, subprocess.Popen[bytes]] = {}

    def place(self) -> tuple[int, Path]:
        """A number for the next job, and a folder for what it is given."""
        with self._lock:
            self._folder.mkdir(exist_ok=True)
            number = max((int(path.name) for path in self._folder.iterdir() if path.name.isdigit()), default=0) + 1
            place = self._folder / f"{number:04d}"
            place.mkdir()
            return number, place

    def give_back(self, number: int) -> None:
        """Nothing came of that number."""
        shutil.rmtree(self._folder / f"{number:04d}", ignore_errors=True)

    def start(
        self,
        kind: str,
        title: str,
        command: Sequence[str],
        *,
        writes: bool,
        shows: str = "",
        crawls: bool = False,
        number: int | None = None,
    ) -> Job:
        """Run a command. One that `writes` needs the library for itself; one that `crawls` gets the options of all."""
        if writes and in_use(self._library):
            raise Busy("A job is writing to the library now; wait until it ends, or stop it on its crawl's page.")
        if number is None:
            number, _ = self.place()
        folder = self._folder / f"{number:04d}"
        whole = [command[0], *(self._options if crawls else ()), *command[1:]]
        job = Job(number, kind, title, tuple(whole), time.time(), shows)
        self._keep(job)
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "pinakes", *whole],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                env={**os.environ, "NO_COLOR": "1", "COLUMNS": "100"},
            )
        with self._lock:
            self._running[number] = process
        threading.Thread(target=self._await, args=(job, process), daemon=True).start()
        return job

    def _await(self, job: Job, process: subprocess.Popen[bytes]) -> None:
        code = process.wait()
        self._keep(replace(job, ended=time.time(), code=code if code >= 0 else 130 if -code == signal.SIGINT else 1))
        with self._lock:
            self._running.pop(job.id, None)

    async def wait(self, number: int, seconds: float) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until and self.job(number).state == "running":
            await asyncio.sleep(0.1)

    def jobs(self) -> list[Job]:
        """All jobs, the latest first."""
        if not self._folder.is_dir():
            return []
        numbers = sorted((int(path.name) for path in self._folder.iterdir() if path.name.isdigit()), reverse=True)
        found = []
        for number in numbers[:200]:
            with contextlib.suppress(LookupError):
                found.append(self.job(number))
        return found

    def job(self, number: int) -> Job:
        try:
            job = msgspec.json.decode((self._folder / f"{number:04d}" / "job.json").read_bytes(), type=Job)
        except (OSError, msgspec.MsgspecError):
            raise LookupError(f"There is no job {number}.") from None
        if job.ended is None and number not in self._running:
            # Of a time before this application was started; nobody saw it end.
            job = msgspec.json.decode((self._folder / f"{number:04d}" / "job.json").read_bytes(), type=Job)
            return job if job.ended is not None else replace(job, ended=job.started)
        return job

    def said(self, number: int) -> str:
        """The end of what a job said."""
        try:
            data = (self._folder / f"{number:04d}" / "log").read_bytes()
        except OSError:
            return ""
        return data[-LOG:].decode("utf-8", "replace")

    def stop(self, number: int) -> None:
        """Ask a job to end as Ctrl-C does: what it has is kept."""
        with self._lock:
            process = self._running.get(number)
        if process is None:
            raise PinakesError("That job is not running.")
        process.send_signal(signal.SIGINT)

    def close(self) -> None:
        """Let all jobs end, resumable."""
        with self._lock:
            running = dict(self._running)
        for process in running.values():
            process.send_signal(signal.SIGINT)
        until = time.monotonic() + GRACE
        for process in running.values():
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(max(0.1, until - time.monotonic()))

    def _keep(self, job: Job) -> None:
        path = self._folder / f"{job.id:04d}" / "job.json"
        unfinished = path.with_suffix(".tmp")
        unfinished.write_bytes(msgspec.json.encode(job))
        unfinished.replace(path)


def runner_of(request: Request) -> Runner:
    runner: Runner = request.app.state.runner
    return runner
