"""Compiles the parts of Pinakes that exist in C too, where there is a compiler; without one Pinakes is only slower.

    pip install .          runs this for the wheel, and says nothing when it cannot compile
    python hatch_build.py  compiles in place, as an editable install does

All keep to Python's stable interface, so that one file serves every Python from 3.11 on.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent
PARTS = ("src/pinakes/formats/_url", "src/pinakes/formats/_walk", "src/pinakes/text/_lexicon")


def compiled(part: str) -> Path | None:
    """The shared library made of a part's C file; None, with the reason told, when there is no compiler for it."""
    source, library = ROOT / f"{part}.c", ROOT / f"{part}.abi3.so"
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
    include = sysconfig.get_paths()["include"]
    shared = ["-shared", *(["-undefined", "dynamic_lookup"] if sys.platform == "darwin" else [])]
    flags = ["-O2", "-fPIC", f"-I{include}", *shlex.split(os.environ.get("CFLAGS", ""))]
    fresh = library.with_suffix(".new")
    try:
        command = [*compiler, *flags, *shared, str(source), "-o", str(fresh)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    except (OSError, subprocess.TimeoutExpired) as error:
        print(f"{source.name} is not compiled: {error}", file=sys.stderr)
        return None
    if done.returncode:
        print(f"{source.name} is not compiled: {done.stderr.strip()[-500:]}", file=sys.stderr)
        return None
    fresh.replace(library)  # whoever runs the old one keeps it
    return library


try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # run by hand
    pass
else:

    class CompileHook(BuildHookInterface[Any]):
        """Puts what could be compiled into the wheel, which then belongs to this platform."""

        PLUGIN_NAME = "custom"

        def initialize(self, version: str, build_data: dict[str, Any]) -> None:
            if self.target_name != "wheel" or sys.implementation.name != "cpython" or os.name != "posix":
                return
            made = [library for library in map(compiled, PARTS) if library is not None]
            if made and version != "editable":
                build_data["pure_python"] = False
                platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
                build_data["tag"] = f"cp311-abi3-{platform}"
                build_data["force_include"] |= {
                    str(library): str(library.relative_to(ROOT / "src")) for library in made
                }


if __name__ == "__main__":
    sys.exit(not all(map(compiled, PARTS)))
