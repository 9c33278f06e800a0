"""A Ray cluster to work on: one that runs already, or one of this machine's cores. Ray is an extra."""

from __future__ import annotations

import os
import socket
import warnings
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pinakes.core.errors import PinakesError

LOCAL = "ray://local"
_TOKEN = (
    "The Ray cluster at {} wants its authentication token, and was given none or a wrong one; set RAY_AUTH_MODE=token, "
    "and RAY_AUTH_TOKEN to the token or RAY_AUTH_TOKEN_PATH to a file that holds it (`ray get-auth-token` on its head "
    "shows it)."
)
_OWN_MACHINE = ("127.", "localhost", "[::1]")
KNOCK = 5.0
"""Seconds within which a cluster's port is open; Ray itself waits for most of a minute, and longer."""


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
    door = ""
    if plain not in ("local", "auto") and "://" not in plain:
        door = knock(address)
        if address.startswith("ray://") and not _has_token() and _wants_token(door):
            raise PinakesError(_TOKEN.format(address))
    quiet = {"logging_level": "ERROR", "log_to_driver": False}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what is wrong is raised, too
            if address == LOCAL:
                ray.init("local", include_dashboard=False, _node_ip_address="127.0.0.1", **quiet)
            elif plain == "auto":
                ray.init("auto", **quiet)
            else:
                ray.init(address, **quiet)
    except Exception as error:  # it raises plain ones, too
        if door and address.startswith("ray://") and isinstance(error, ConnectionError) and _wants_token(door):
            raise PinakesError(_TOKEN.format(address)) from None
        raise PinakesError(refusal(address, error)) from None
    return ray, True


def refusal(address: str, error: BaseException) -> str:
    """Why a cluster was not joined, and what to do."""
    said = str(error).strip()
    if "ray[client]" in said:
        return f"{address} goes through Ray's client, which is not installed; pip install 'pinakes[ray]'"
    if any(word in said.lower() for word in ("unauthenticated", "authentication token", "invalidauthtoken")):
        return _TOKEN.format(address)
    said = said.partition("\n")[0].rstrip(".")
    return f"No Ray cluster answers at {address} ({said}); start one with: ray start --head"


def _has_token() -> bool:
    given = os.environ.get("RAY_AUTH_TOKEN") or os.environ.get("RAY_AUTH_TOKEN_PATH")
    return bool(given) or (Path.home() / ".ray" / "auth_token").is_file()


def _wants_token(door: str) -> bool:
    """Does a cluster's door for clients send those away who bring no token? Ray's client takes that for no answer."""
    try:
        grpc: Any = import_module("grpc")
    except ImportError:
        return False
    with grpc.insecure_channel(door) as channel:
        try:
            channel.unary_unary("/ray.rpc.RayletDriver/ClusterInfo")(b"", timeout=KNOCK)
        except grpc.RpcError as error:
            return bool(error.code() == grpc.StatusCode.UNAUTHENTICATED)
    return False


def knock(address: str) -> str:
    """Where a cluster listens; one sentence where nothing does, before Ray waits and warns."""
    try:
        parts = urlsplit(f"//{address.removeprefix('ray://')}")
        host, port = parts.hostname, parts.port or (10001 if address.startswith("ray://") else 6379)
    except ValueError:
        host, port = None, 0
    if not host:
        raise PinakesError(f"{address} is no address of a Ray cluster; write it like ray://head.example:10001.")
    try:
        socket.create_connection((host, port), KNOCK).close()
    except OSError as error:
        reason = "no answer" if isinstance(error, TimeoutError) else error.strerror or str(error)
        raise PinakesError(
            f"No Ray cluster answers at {address} ({reason}); start one with: ray start --head"
        ) from None
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def leave(ray: Any) -> None:
    with suppress(Exception):
        ray.shutdown()
