"""A real PostgreSQL for tests and benchmarks: started from the wheel `pgserver` or from the system's programs, on a
Unix socket of its own, and killed as rudely as a test likes."""

from __future__ import annotations

import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from pinakes.testing.machines import NETWORK

_SETTINGS = {
    "listen_addresses": "''",
    "max_connections": "200",
    "shared_buffers": "256MB",
    "autovacuum_naptime": "5s",
    "checkpoint_timeout": "15min",
    "max_wal_size": "4GB",
}


def programs() -> Path | None:
    """The folder of `initdb` and `postgres`: the wheel's, else the system's, else None."""
    found = importlib.util.find_spec("pgserver")
    if found is not None and found.origin is not None:
        folder = Path(found.origin).parent / "pginstall" / "bin"
        if (folder / "postgres").is_file():
            return folder
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    on_path = shutil.which("postgres")
    if installed:
        return installed[-1].parent
    return Path(on_path).resolve().parent if on_path else None


class Postgres:
    """A server with its data in `folder`; use it in a `with`, or `start` and `stop` it.

    As root it runs as another user, who must be able to reach the folder: one made by `tempfile.mkdtemp` will do."""

    def __init__(
        self, folder: Path, settings: dict[str, str] | None = None, *, port: int = 0, addresses: Sequence[str] = ()
    ) -> None:
        """With a `port` it can also be reached at 127.0.0.1, and at `addresses` of test machines."""
        found = programs()
        if found is None:
            raise FileNotFoundError("There is no PostgreSQL; pip install pgserver")
        folder = folder.resolve()  # the server's programs run elsewhere
        self.folder = folder
        self.port = port
        self._settings = {**_SETTINGS, **(settings or {})}
        if port:
            self._settings |= {"listen_addresses": ",".join(["127.0.0.1", *addresses]), "port": str(port)}
        # The server refuses to run as root, so that then some other user must own its folder and reach its programs.
        self._user = _other_user() if os.geteuid() == 0 else None
        folder.mkdir(parents=True, exist_ok=True)
        self._programs = found
        if self._user is not None:
            _open_to(folder, self._user)
            if not self._runs(found):
                shutil.copytree(found.parent, folder / "programs", dirs_exist_ok=True, symlinks=True)
                self._programs = folder / "programs" / found.name
        self._process: subprocess.Popen[bytes] | None = None

    def url(self, database: str = "postgres") -> str:
        """Where a client finds a database."""
        port = f"&port={self.port}" if self.port else ""
        return f"postgresql://pinakes@/{database}?host={self.folder}{port}"

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        data = self.folder / "data"
        if not data.exists():
            options = ["-D", str(data), "-U", "pinakes", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]
            if self._call([str(self._programs / "initdb"), *options]):
                who = f"; can {self._user} reach the folder?" if self._user else ""
                raise RuntimeError(f"PostgreSQL could not be set up in {data}: see {self.folder / 'log'}{who}")
            with (data / "pg_hba.conf").open("a") as rules:
                rules.write(f"host all all {NETWORK}.0.0/16 trust\n")
        (data / "postmaster.pid").unlink(missing_ok=True)
        options = [f"{name}={value}".replace("'", "") for name, value in self._settings.items()]
        arguments = [part for option in options for part in ("-c", option)]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [str(self._programs / "postgres"), "-D", str(data), "-k", str(self.folder), *arguments],
                stdout=log,
                stderr=log,
                user=self._user,
                cwd="/",
                start_new_session=True,
            )
        self._await()

    def kill(self) -> None:
        """kill -9: the server and everything it had begun are gone at once."""
        assert self._process is not None
        children = _children(self._process.pid)
        self._process.kill()
        for child in children:
            try:
                os.kill(child, signal.SIGKILL)
            except ProcessLookupError:
                continue
        self._process.wait()
        while any(_alive(child) for child in children):  # they hold the shared memory until they are gone
            time.sleep(0.01)
        self._process = None

    def stop(self) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGINT)  # a fast shutdown
            self._process.wait()
            self._process = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()

    def create(self, database: str) -> str:
        """Make a database; answers its address."""
        import psycopg

        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{database}"'.encode())
        return self.url(database)

    def _await(self) -> None:
        import psycopg

        assert self._process is not None
        until = time.monotonic() + 60.0
        while True:
            try:
                psycopg.connect(self.url(), connect_timeout=5).close()
                return
            except psycopg.OperationalError:
                if time.monotonic() > until or self._process.poll() is not None:
                    raise RuntimeError(f"PostgreSQL did not start; see {self.folder / 'log'}") from None
                time.sleep(0.05)

    def _runs(self, folder: Path) -> bool:
        try:
            return self._call([str(folder / "postgres"), "--version"]) == 0
        except OSError:
            return False

    def _call(self, command: list[str]) -> int:
        with (self.folder / "log").open("ab") as log:
            return subprocess.run(command, stdout=log, stderr=log, user=self._user, cwd="/", check=False).returncode


def _other_user() -> str:
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


def _open_to(folder: Path, user: str) -> None:
    entry = pwd.getpwnam(user)
    os.chown(folder, entry.pw_uid, entry.pw_gid)


def _children(pid: int) -> list[int]:
    task = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(child) for child in task.read_text().split()] if task.exists() else []


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
