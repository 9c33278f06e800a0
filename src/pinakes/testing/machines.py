"""Machines for tests: each worker with an address of its own, and a network between it and a server that can be cut.

Where this process may make network namespaces (as root, on Linux) each machine is one, joined to this one by a pair of
virtual interfaces: cut, it sends and hears nothing, and its connections know nothing of it. Elsewhere each is an
address of loopback behind a proxy, which ends connections when it is cut.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from types import TracebackType
from typing import Protocol, Self

from pinakes.testing.proxy import CuttingProxy

NETWORK = "10.213"
"""Namespaces have addresses that begin so."""


class Machine(Protocol):
    """Where a worker runs."""

    def reach(self, port: int) -> tuple[str, int]:
        """The address at which a server of this machine's, listening there, is found from that one."""

    def command(self, command: Sequence[str]) -> list[str]:
        """A command, so that it runs there."""

    def cut(self) -> None: ...

    def mend(self) -> None: ...

    def close(self) -> None: ...


class Namespace:
    """A network namespace with one interface, whose other end is here."""

    def __init__(self, number: int) -> None:
        self._name = f"pinakes-{os.getpid()}-{number}"
        self._end = f"pnk{os.getpid() % 100_000}x{number}"
        net = f"{NETWORK}.{os.getpid() % 250}"
        self.here, self.there = f"{net}.{4 * number + 1}", f"{net}.{4 * number + 2}"
        _ip("netns", "add", self._name)
        try:
            _ip("link", "add", self._end, "type", "veth", "peer", "name", "eth0", "netns", self._name)
            _ip("addr", "add", f"{self.here}/30", "dev", self._end)
            _ip("link", "set", self._end, "up")
            _ip("-n", self._name, "addr", "add", f"{self.there}/30", "dev", "eth0")
            for device in ("lo", "eth0"):
                _ip("-n", self._name, "link", "set", device, "up")
        except BaseException:
            self.close()
            raise

    def reach(self, port: int) -> tuple[str, int]:
        return self.here, port

    def command(self, command: Sequence[str]) -> list[str]:
        return ["ip", "netns", "exec", self._name, *command]

    def cut(self) -> None:
        _ip("-n", self._name, "link", "set", "eth0", "down")

    def mend(self) -> None:
        _ip("-n", self._name, "link", "set", "eth0", "up")

    def close(self) -> None:
        with suppress(OSError):
            _ip("netns", "delete", self._name)  # and both ends with it


class Loopback:
    """An address of loopback, behind a proxy."""

    def __init__(self, number: int) -> None:
        self._host = f"127.0.0.{number + 2}"
        self._proxies: dict[int, CuttingProxy] = {}

    def reach(self, port: int) -> tuple[str, int]:
        if port not in self._proxies:
            self._proxies[port] = CuttingProxy((self._host, 0), ("127.0.0.1", port)).__enter__()
        return self._proxies[port].address

    def command(self, command: Sequence[str]) -> list[str]:
        return list(command)

    def cut(self) -> None:
        for proxy in self._proxies.values():
            proxy.cut()

    def mend(self) -> None:
        for proxy in self._proxies.values():
            proxy.mend()

    def close(self) -> None:
        for proxy in self._proxies.values():
            proxy.__exit__(None, None, None)


class Machines:
    """So many machines, for as long as a `with` lasts."""

    def __init__(self, many: int, *, namespaces: bool | None = None) -> None:
        """With `namespaces` None they are those where they may be made."""
        self.namespaces = namespaces_allowed() if namespaces is None else namespaces
        self._many = many
        self.all: list[Machine] = []

    @property
    def addresses(self) -> list[str]:
        """Where a server must listen besides loopback, to be reached from all."""
        return [machine.here for machine in self.all if isinstance(machine, Namespace)]

    def __enter__(self) -> Self:
        try:
            for number in range(self._many):
                self.all.append(Namespace(number) if self.namespaces else Loopback(number))
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        for machine in self.all:
            machine.close()


def namespaces_allowed() -> bool:
    """May this process make network namespaces?"""
    if os.geteuid() != 0 or shutil.which("ip") is None:
        return False
    try:
        Namespace(60).close()
    except OSError:
        return False
    return True


def _ip(*arguments: str) -> None:
    done = subprocess.run(["ip", *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise OSError(f"ip {' '.join(arguments)}: {done.stderr.strip()}")
