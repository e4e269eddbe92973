# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Modules as a user runs them: a real ansible, a real store."""

from __future__ import annotations

import json
import os
import pathlib
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.tests.support import warm_ansible
from ansible_collections.kubeops.kops.tests.support.moto_here import moto_here

ROOT = pathlib.Path(__file__).resolve().parents[4]
COLLECTIONS = ROOT / ".venv" / "collections"
MODULES = ROOT / "plugins" / "modules"


class Ansible:
    """Runs modules of the collection on localhost, each in a process of its own."""

    def __init__(self, environment: dict[str, str], scratch: pathlib.Path) -> None:
        self.environment = environment
        self.scratch = scratch

    def adhoc(self, module: str, **arguments: Any) -> dict[str, Any]:
        """The result of ``ansible localhost -m``; output is everything that it printed."""
        return self.adhoc_text(module, json.dumps(arguments) if arguments else "")

    def adhoc_text(self, module: str, arguments: str) -> dict[str, Any]:
        """The same with arguments as a person types them."""
        command = [str(pathlib.Path(sys.executable).parent / "ansible"), "localhost", "--diff"]
        command += ["-m", f"kubeops.kops.{module}", "-e", f"ansible_python_interpreter={sys.executable}"]
        command += ["-a", arguments]
        output = self._output(command)
        _before, status, rest = re.split(r"^localhost \| (\w+)!? => ", output, maxsplit=1, flags=re.MULTILINE)
        result, _end = json.JSONDecoder().raw_decode(rest)
        assert status != "FAILED", output
        return {**result, "output": output}

    def run(self, module: str, *, check: bool = False, **arguments: Any) -> dict[str, Any]:
        """The result of a module that is started as Ansible starts it, without the time that Ansible takes for it."""
        given = self.scratch / "arguments.json"
        given.write_text(
            json.dumps({"ANSIBLE_MODULE_ARGS": {**arguments, "_ansible_check_mode": check, "_ansible_diff": True}})
        )
        output = self._output([str(MODULES / f"{module}.py"), str(given)])
        lines = [line for line in output.splitlines() if line.startswith("{")]
        assert len(lines) == 1, output
        return json.loads(lines[0])

    def __call__(self, module: str, **arguments: Any) -> dict[str, Any]:
        """The result of a module that succeeds."""
        result = self.run(module, **arguments)
        assert not result.get("failed"), result
        return result

    def fails(self, module: str, **arguments: Any) -> str:
        """The message of a module that fails."""
        result = self.run(module, **arguments)
        assert result.get("failed"), result
        return result["msg"]

    def is_exact(self, module: str, **arguments: Any) -> dict[str, Any]:
        """Check mode says what is then done, and a second run does nothing; the result of doing it."""
        predicted = self(module, check=True, **arguments)
        done = self(module, **arguments)
        assert predicted["changed"]
        assert done["changed"]
        again = self(module, **arguments)
        assert not again["changed"], again
        return done

    def _output(self, command: list[str]) -> str:
        environment = {**os.environ, **self.environment}
        if not environment["PYTHONPATH"]:
            return warm_ansible.run(command, directory=os.getcwd(), environment=environment).stdout
        # The test has libraries of its own.
        return subprocess.run(
            [sys.executable, *command],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        ).stdout


@pytest.fixture
def store(tmp_path: pathlib.Path) -> pathlib.Path:
    """The directory of a state store."""
    return tmp_path / "store"


@pytest.fixture
def ansible(store: pathlib.Path, tmp_path: pathlib.Path) -> Ansible:
    """An ansible whose environment names the store and nothing else."""
    return Ansible(
        {
            "ANSIBLE_COLLECTIONS_PATH": str(COLLECTIONS),
            "ANSIBLE_LOCALHOST_WARNING": "false",
            "ANSIBLE_NOCOLOR": "true",
            "HOME": str(tmp_path),
            "KOPS_STATE_STORE": f"file://{store}",
            "KOPS_CLUSTER_NAME": "demo.example.com",
            "KOPS_RSA_PRIVATE_KEY_SIZE": "1024",
            "KUBECONFIG": "",
            "PYTHONPATH": "",
        },
        tmp_path,
    )


@pytest.fixture
def tree(store: pathlib.Path) -> Callable[[], dict[str, str]]:
    """What the store holds: text by name."""
    return lambda: {
        path.relative_to(store).as_posix(): path.read_text() for path in sorted(store.rglob("*")) if path.is_file()
    }


@pytest.fixture(scope="session")
def s3_server() -> Iterator[str]:
    """The address of an S3."""
    with moto_here() as url:
        yield url
