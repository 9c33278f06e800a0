"""Clusters that cannot be joined: one sentence, soon, with the right remedy."""

from __future__ import annotations

import socket

import pytest

from pinakes.core.errors import PinakesError
from pinakes.jobs.ray_cluster import knock, refusal

# Ray itself is not loaded here: it keeps what it was told then, and the cluster of other tests has to tell it first.


@pytest.mark.parametrize("scheme", ["ray://", ""])
def test_nothing_listens(scheme: str) -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))  # and nobody listens there
        address = f"{scheme}127.0.0.1:{held.getsockname()[1]}"
        with pytest.raises(PinakesError, match=rf"No Ray cluster answers at {address} \(Connection refused\)"):
            knock(address)


@pytest.mark.parametrize("address", ["ray://", "ray://:10001", "ray://head:port"])
def test_no_address(address: str) -> None:
    with pytest.raises(PinakesError, match="is no address of a Ray cluster"):
        knock(address)


@pytest.mark.parametrize(
    ("said", "remedy"),
    [
        ("Ray Client requires pip package `ray[client]`. If you …", "pip install 'pinakes[ray]'"),
        ("InvalidAuthToken: Authentication token is missing or incorrect", "RAY_AUTH_TOKEN"),
        (
            "ray client connection timeout\nand more",
            "(ray client connection timeout); start one with: ray start --head",
        ),
    ],
)
def test_the_remedy_is_the_right_one(said: str, remedy: str) -> None:
    sentence = refusal("ray://head:10001", ValueError(said))
    assert remedy in sentence and "ray://head:10001" in sentence and "\n" not in sentence
    assert ("ray start" in sentence) == ("ray start" in remedy)
