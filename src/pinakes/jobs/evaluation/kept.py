"""Finished runs on disk, one JSON file each, so that an evaluation that was killed goes on where it was."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

import msgspec

from pinakes.core.errors import PinakesError
from pinakes.jobs.evaluation.plan import Plan, Task
from pinakes.jobs.evaluation.runs import Run

_encode, _decode = msgspec.json.Encoder(order="deterministic").encode, msgspec.json.Decoder(Run).decode


class KeptRuns:
    """The folder `runs` of an evaluation."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise PinakesError(f"{folder} cannot be made ({error.strerror}); give --out another folder.") from None

    def load(self, plan: Plan, task: Task) -> Run | None:
        """The run, if it is there and would be the same today."""
        try:
            run = _decode(self._path(task).read_bytes())
        except (OSError, msgspec.MsgspecError):
            return None
        return run if run.key == plan.key(task) else None

    def keep(self, task: Task, run: Run) -> None:
        path = self._path(task)
        unfinished = path.with_name(f"{path.name}.tmp")
        with unfinished.open("wb") as file:
            file.write(_encode(run))
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)

    def _path(self, task: Task) -> Path:
        """A name people can read, and that two tasks never share."""
        whole = f"{task.entrant}\n{task.topic}\n{task.half}"
        words = re.sub(r"[^\w.=-]+", "_", f"{task.entrant}-{task.topic}{f'-half{task.half}' * bool(task.half)}")[:120]
        return self._folder / f"{words}-{hashlib.sha256(whole.encode()).hexdigest()[:8]}.json"
