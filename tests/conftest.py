"""What the tests share: where the recorded webs are, a browser, and a cache folder of their own."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# A test's time says how busy the machine is, not whether Pinakes is right.
settings.register_profile("pinakes", deadline=None)
settings.load_profile("pinakes")

# Shells let what runs in the background ignore Ctrl-C, and all that it starts; some tests press it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def missing(what: str, reason: str) -> None:
    """Skip for want of something, or fail where CI demands it."""
    if what in os.environ.get("PINAKES_REQUIRE", "").split(","):
        pytest.fail(f"{what} is required here (PINAKES_REQUIRE) but {reason}")
    pytest.skip(reason)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of recorded webs, papers and service answers."""
    given = os.environ.get("PINAKES_SHARED")
    folder = Path(given) if given else Path(__file__).resolve().parents[2] / "shared"
    if not (folder / "webs").is_dir():
        missing("shared", f"no recorded webs at {folder}; set PINAKES_SHARED to the folder that holds them")
    return folder


@pytest.fixture(scope="session")
def compiled() -> None:
    """The parts of Pinakes that exist in C too."""
    from pinakes.formats import url, walk
    from pinakes.text import words

    if not (url.QUICK and walk.QUICK and words.QUICK):
        missing("compiled", "the parts in C were not compiled: python hatch_build.py")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A real browser without a window: the system's Chromium, driven by playwright.

    It lives no longer than a module, since an event loop runs while it does: no other test could start its own.
    """
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        missing("browser", "there is no Chromium; install Debian's chromium package")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing("browser", "playwright is not installed")
    flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=chromium, args=flags)
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def chromium() -> str:
    """The browser's program, for tests of what starts it itself."""
    if importlib.util.find_spec("playwright") is None:
        missing("browser", "playwright is not installed")
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        missing("browser", "there is no Chromium; install Debian's chromium package")
    return program or ""


@pytest.fixture(scope="session", autouse=True)
def cache_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Indexes of frozen webs are cached in a folder of the test run's own, unless one is given."""
    if "PINAKES_CACHE" not in os.environ:
        os.environ["PINAKES_CACHE"] = str(tmp_path_factory.mktemp("cache"))
    return Path(os.environ["PINAKES_CACHE"])


@pytest.fixture
def ray_cluster() -> Iterator[Any]:
    """A real Ray cluster of one node, bound to loopback; a test adds and removes others."""
    os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"  # loopback stays loopback
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    if importlib.util.find_spec("ray") is None:
        missing("ray", "Ray is not installed; pip install 'pinakes[ray]'")
    from ray.cluster_utils import Cluster

    here = {"num_cpus": 1, "node_ip_address": "127.0.0.1", "include_dashboard": False}
    made = Cluster(initialize_head=True, head_node_args=here)
    try:
        yield made
    finally:
        made.shutdown()


@pytest.fixture
def s3(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of an empty bucket, in a server that speaks S3 over HTTP."""
    for module in ("moto", "s3fs"):
        if importlib.util.find_spec(module) is None:
            missing("s3", f"{module} is not installed; pip install 'moto[server]' 's3fs'")
    import logging

    import fsspec
    from moto.server import ThreadedMotoServer

    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
        kind: Any = fsspec.get_filesystem_class("s3")
        bucket = f"pages-{uuid.uuid4()}"
        kind.clear_instance_cache()
        fsspec.filesystem("s3").mkdir(bucket)
        yield f"s3://{bucket}/library"
        kind.clear_instance_cache()
    finally:
        server.stop()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Any]:
    """A real PostgreSQL server, from the wheel `pgserver` or the system's programs."""
    from pinakes.testing.postgres import Postgres, programs

    if importlib.util.find_spec("psycopg") is None:
        missing("postgres", "psycopg is not installed; pip install 'pinakes[postgres]'")
    if programs() is None:
        missing("postgres", "there is no PostgreSQL; pip install pgserver")
    folder = Path(tempfile.mkdtemp(prefix="pinakes-pg-"))
    try:
        with Postgres(folder, {"fsync": "off"}) as server:
            yield server
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def database(postgres: Any, request: pytest.FixtureRequest) -> str:
    """The address of an empty database of the module's own."""
    name = "".join(letter if letter.isalnum() else "_" for letter in request.module.__name__)[-40:]
    address: str = postgres.create(f"{name}_{os.getpid()}")
    return address
