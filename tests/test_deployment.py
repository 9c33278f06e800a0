"""The deployment examples of the documentation: sound in themselves, and their commands are ones that exist."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from pinakes.cli import cli

EXAMPLES = Path(__file__).resolve().parents[1] / "docs" / "examples"
COMPOSE, KUBERNETES, SERVICE = (
    EXAMPLES / name for name in ("compose.yaml", "kubernetes.yaml", "pinakes-work@.service")
)
LIBRARY = "postgresql://pinakes@database/library"
API = {"Job": "batch/v1", "Deployment": "apps/v1"}


def compose() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(COMPOSE.read_text())
    return loaded


def documents() -> list[dict[str, Any]]:
    return list(yaml.safe_load_all(KUBERNETES.read_text()))


def service() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in SERVICE.read_text().splitlines():
        name, equals, value = line.partition("=")
        if equals and not line.startswith("#"):
            found.setdefault(name, []).append(value)
    return found


def commands() -> list[list[str]]:
    found = [shlex.split(one["command"]) for one in compose()["services"].values() if "command" in one]
    found += [c["args"] for d in documents() for c in d["spec"]["template"]["spec"]["containers"]]
    found += [shlex.split(line.replace("${LIBRARY}", LIBRARY)) for line in service()["ExecStart"]]
    return found


def test_commands_exist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is a command of Pinakes with options it has, and values they take."""
    monkeypatch.setenv("PINAKES_DATA", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    told = []
    for program, name, *arguments in commands():
        assert Path(program).name == "pinakes"
        command = cli.get_command(click.Context(cli), name)
        assert command is not None, name
        context = command.make_context(name, list(arguments))
        told.append(name)
        assert LIBRARY in arguments and not context.args
    assert sorted(told) == ["crawl", "crawl", "work", "work", "work"]


def test_compose() -> None:
    """Whatever a service mounts or waits for is there; workers do not begin before the database is well."""
    told = compose()
    services, volumes = told["services"], told["volumes"]
    for one in services.values():
        assert all(mounted.partition(":")[0] in volumes for mounted in one["volumes"])
        for other, how in one.get("depends_on", {}).items():
            assert how == {"condition": "service_healthy"} and "healthcheck" in services[other]
        assert "PGPASSWORD" in str(one["environment"])
    assert services["work"]["restart"] == "unless-stopped"


def test_kubernetes() -> None:
    """Kinds and versions fit, labels are selected, what is mounted is declared, and the password is a secret's."""
    for told in documents():
        assert told["apiVersion"] == API[told["kind"]] and told["metadata"]["name"].startswith("pinakes-")
        template = told["spec"]["template"]
        pod = template["spec"]
        volumes = {volume["name"] for volume in pod["volumes"]}
        for container in pod["containers"]:
            assert {mount["name"] for mount in container["volumeMounts"]} <= volumes
            assert {name["name"] for name in container["env"] if "secretKeyRef" in name["valueFrom"]} == {"PGPASSWORD"}
        if told["kind"] == "Deployment":
            assert told["spec"]["selector"]["matchLabels"].items() <= template["metadata"]["labels"].items()
        else:
            assert pod["restartPolicy"] == "Never"


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd")
def test_systemd(tmp_path: Path) -> None:
    """systemd itself has nothing to say against it."""
    unit = tmp_path / "pinakes-work@1.service"
    unit.write_text(SERVICE.read_text().replace("/opt/pinakes/bin/pinakes", "/bin/true"))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(unit)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0 and "pinakes" not in done.stderr, done.stderr
    assert service()["Restart"] == ["always"]
