"""A Ray cluster to work on: one that runs already, or one of this machine's cores. Ray is an extra."""

from __future__ import annotations

import os
from contextlib import suppress
from importlib import import_module
from typing import Any

from pinakes.core.errors import PinakesError

LOCAL = "ray://local"
_OWN_MACHINE = ("127.", "localhost", "[::1]")


def join(address: str) -> tuple[Any, bool]:
    """Ray, joined to the cluster at an address, and whether it was joined just now.

    `ray://local` is a cluster of this machine alone, bound to loopback; `ray://auto` the one this machine is part of;
    `ray://HOST:10001` goes through Ray's own door for clients, `HOST:6379` is for machines of the cluster."""
    plain = address.removeprefix("ray://")
    if address == LOCAL or plain.startswith(_OWN_MACHINE):
        # Else Ray takes another address of this machine for loopback.
        os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        ray: Any = import_module("ray")
    except ImportError:
        raise PinakesError("--on needs Ray; install it with: pip install 'pinakes[ray]'") from None
    if ray.is_initialized():
        return ray, False
    quiet = {"logging_level": "ERROR", "log_to_driver": False}
    try:
        if address == LOCAL:
            ray.init("local", include_dashboard=False, _node_ip_address="127.0.0.1", **quiet)
        elif plain == "auto":
            ray.init("auto", **quiet)
        else:
            ray.init(address, **quiet)
    except Exception as error:  # it raises plain ones, too
        said = str(error).strip().partition("\n")[0].rstrip(".")
        raise PinakesError(f"No Ray cluster answers at {address} ({said}); start one with: ray start --head") from None
    return ray, True


def leave(ray: Any) -> None:
    with suppress(Exception):
        ray.shutdown()
