# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Terraform with the providers that this machine has: nothing is downloaded."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import hcl2
import pytest

PROVIDER = "hashicorp/aws"
# The environment names the account; only this cannot be said there.
PATH_STYLE = """
provider "aws" {
  s3_use_path_style = true
}
provider "aws" {
  alias             = "files"
  s3_use_path_style = true
}
"""
# Where Terraform itself looks for providers on this machine, and where images of machines put them.
_IMPLIED = ("~/.terraform.d/plugins", "~/.local/share/terraform/plugins")
_SHARED = ("/usr/local/share", "/usr/share")
# Seconds that a provider may take to start.
_PATIENCE = 60
_ATTACH = re.compile(r"TF_REATTACH_PROVIDERS='(.*)'")


def why_not() -> str:
    """Why Terraform cannot run here; "" when it can."""
    if not shutil.which("terraform"):
        return "there is no terraform on the path"
    if plugins() is None:
        return f"there is no provider {PROVIDER} on this machine; name a mirror's directory in KOPS_TERRAFORM_PLUGINS"
    return ""


def needs_terraform(test: Callable[..., None]) -> Callable[..., None]:
    """A mark for tests."""
    return pytest.mark.terraform(pytest.mark.skipif(bool(why_not()), reason=why_not())(test))


def plugins(provider: str = PROVIDER) -> Path | None:
    """A directory of providers (HOST/NAMESPACE/NAME/VERSION/...) that holds one; None if there is none."""
    return next((path for path in _mirrors() if any(path.glob(f"*/{provider}"))), None)


def _mirrors() -> Iterator[Path]:
    if os.environ.get("KOPS_TERRAFORM_PLUGINS"):
        yield Path(os.environ["KOPS_TERRAFORM_PLUGINS"])
    configuration = Path(os.environ.get("TF_CLI_CONFIG_FILE") or "~/.terraformrc").expanduser()
    if configuration.is_file():
        for installation in hcl2.loads(configuration.read_text()).get("provider_installation", []):
            for mirror in installation.get("filesystem_mirror", []):
                yield Path(str(mirror["path"]).strip('"'))
    data = os.environ.get("XDG_DATA_DIRS", "").split(os.pathsep) if os.environ.get("XDG_DATA_DIRS") else _SHARED
    yield from (Path(path).expanduser() for path in _IMPLIED)
    yield from (Path(path) / "terraform" / "plugins" for path in data)
    yield from sorted(Path("/opt").glob("*/"))


def _address(log: Path) -> str:
    """Where a provider listens, once it has written that down."""
    for _attempt in range(_PATIENCE * 10):
        found = _ATTACH.search(log.read_text())
        if found:
            return found.group(1)
        time.sleep(0.1)
    raise TimeoutError(f"the provider did not start: {log.read_text()}")


class Terraform:
    """Runs Terraform on directories that share one set of providers.

    data: a directory of its own. environment: what the provider gets beside the process' environment.
    provider: that which the directories use. mirror: where it is; None looks for it.
    """

    def __init__(
        self, data: Path, environment: Mapping[str, str], provider: str = PROVIDER, mirror: Path | None = None
    ) -> None:
        self._provider, self._plugins = provider, mirror or plugins(provider)
        # The provider talks to loopback only, and does not start with certificates of this machine's own.
        dropped = ("TF_", "AWS_CA_BUNDLE")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
        self._environment = {**kept, **environment, "TF_DATA_DIR": str(data), "TF_IN_AUTOMATION": "1"}

    @contextlib.contextmanager
    def attached(self) -> Iterator[None]:
        """Serve every command of the block from one process of the provider: starting it is most of their time."""
        (binary,) = sorted(Path(str(self._plugins)).glob(f"*/{self._provider}/*/*/terraform-provider-*"))[-1:]
        with tempfile.NamedTemporaryFile("r") as log:
            process = subprocess.Popen([str(binary), "-debug"], stdout=log, stderr=log, env=self._environment)
            try:
                self._environment["TF_REATTACH_PROVIDERS"] = _address(Path(log.name))
                yield
            finally:
                self._environment.pop("TF_REATTACH_PROVIDERS", None)
                process.terminate()
                process.wait(timeout=30)

    def type(self, words: Sequence[str], directory: Path, *, answer: str = "") -> str:
        """Type a command as a user does whose settings name the providers. answer: to what it asks."""
        settings = directory / "terraform.rc"
        settings.write_text(
            f'provider_installation {{\n  filesystem_mirror {{\n    path = "{self._plugins}"\n  }}\n}}\n'
        )
        done = subprocess.run(
            words,
            cwd=directory,
            env={**self._environment, "TF_CLI_CONFIG_FILE": str(settings), "TF_CLI_ARGS": "-no-color"},
            input=answer,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout
        return done.stdout

    def init(self, directory: Path) -> None:
        """Prepare a directory; one is enough for several that are attached or given its lock file."""
        self._run(directory, "init", f"-plugin-dir={self._plugins}")

    def validate(self, directory: Path) -> list[str]:
        """What Terraform says against a configuration, warnings included."""
        answer = json.loads(self._run(directory, "validate", "-json", expect=None))
        return [f"{found['severity']}: {found['summary']} {found.get('detail', '')}" for found in answer["diagnostics"]]

    def apply(self, directory: Path) -> str:
        return self._run(directory, "apply", "-auto-approve")

    def refresh(self, directory: Path) -> None:
        """Let the state forget what is gone, and make nothing."""
        self._run(directory, "apply", "-refresh-only", "-auto-approve")

    def plan(self, directory: Path) -> dict[tuple[str, str], Any]:
        """What a plan would still change: (address, attribute) -> (before, after); the attribute of a whole is ""."""
        self._run(directory, "plan", "-out=plan")
        shown = json.loads(self._run(directory, "show", "-json", "plan", with_input=False))
        changes: dict[tuple[str, str], Any] = {}
        for resource in shown.get("resource_changes", []):
            actions = resource["change"]["actions"]
            if actions in (["no-op"], ["read"]):
                continue
            before, after = resource["change"]["before"] or {}, resource["change"]["after"] or {}
            different = [name for name in before | after if before.get(name) != after.get(name)]
            if actions != ["update"] or not different:
                changes[resource["address"], ""] = actions
            changes.update({(resource["address"], name): (before.get(name), after.get(name)) for name in different})
        return changes

    def _run(
        self, directory: Path, command: str, *options: str, expect: int | None = 0, with_input: bool = True
    ) -> str:
        no_input = ["-input=false"] if command in ("init", "apply", "plan") and with_input else []
        done = subprocess.run(
            ["terraform", command, *no_input, *options] + ([] if command == "show" else ["-no-color"]),
            cwd=directory,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert expect is None or done.returncode == expect, done.stdout
        return done.stdout
