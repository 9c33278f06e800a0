"""`pinakes serve` as a person types it."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from pinakes.cli import main


def test_a_new_folder_is_served_until_ctrl_c(tmp_path: Path) -> None:
    """It says where it reads and where it writes, makes an empty library, keeps its index, and ends in peace."""
    folder = tmp_path / "new"
    command = [sys.executable, "-m", "pinakes", "serve", str(folder), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout is not None
        said = [process.stdout.readline() for _ in range(4)]
        assert "new and empty" in said[0]
        link = re.search(r"http://127\.0\.0\.1:\d+/\?token=\S{20,}", said[2])
        assert link, said
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        with opener.open(link[0], timeout=30) as answer:
            body = answer.read().decode()
            assert "token" not in answer.url
        assert "you may label pages and start jobs here" in body and "This library is empty" in body
        process.send_signal(signal.SIGINT)
        rest = process.communicate(timeout=30)[0]
    assert process.returncode == 0 and "Traceback" not in rest, rest


def test_what_cannot_be_is_said_in_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        for options, sentence in (
            (["--port", str(taken.getsockname()[1])], "choose another --port"),
            (["--token", "short"], "too short"),
            (["--base-url", "nowhere"], "--base-url nowhere is not an address"),
        ):
            with pytest.raises(SystemExit) as ended:
                main(["serve", str(tmp_path / "library"), *options])
            assert ended.value.code == 1 and sentence in capsys.readouterr().err
    (tmp_path / "file").write_text("x")
    with pytest.raises(SystemExit):
        main(["serve", str(tmp_path / "file")])
    assert "not a Pinakes library" in capsys.readouterr().err
