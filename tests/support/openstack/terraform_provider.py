# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""OpenStack's provider of Terraform, built from its Go module into a cache, as a mirror of providers."""

from __future__ import annotations

import fcntl
import os
import pathlib
import platform
import shutil
import subprocess
import tempfile

import pytest

PROVIDER, VERSION = "terraform-provider-openstack/openstack", "3.4.0"
_PROGRAM = "terraform-provider-openstack"
_MODULE = f"github.com/terraform-provider-openstack/{_PROGRAM}/v3@v{VERSION}"
_ARCHITECTURE = {"aarch64": "arm64"}.get(platform.machine(), "amd64")


def mirror() -> pathlib.Path:
    """The directory in which Terraform finds it. Skips the test where it cannot be built, or Terraform is missing."""
    if not shutil.which("terraform"):
        pytest.skip("there is no terraform on the path")
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "kubeops-kops-terraform"
    program = cache / f"registry.terraform.io/{PROVIDER}/{VERSION}/linux_{_ARCHITECTURE}/{_PROGRAM}_v{VERSION}"
    if not program.exists():
        if not shutil.which("go"):
            pytest.skip(
                f"OpenStack's provider of Terraform is not here, and there is no go on the path to build {_MODULE}"
            )
        cache.mkdir(parents=True, exist_ok=True)
        with (cache / "lock").open("w") as lock:
            # One process of the tests builds, and the others wait for it.
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not program.exists():
                _build(program)
    return cache


def _build(program: pathlib.Path) -> None:
    program.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=program.parent) as work:
        # It compiles some thousand files; other tests run beside it.
        environment = {**os.environ, "GOBIN": work, "GOFLAGS": "-p=1", "GOMAXPROCS": "1"}
        done = subprocess.run(
            ["go", "install", "-ldflags=-s -w", _MODULE], capture_output=True, text=True, check=False, env=environment
        )
        if done.returncode:
            pytest.skip(f"{_MODULE} cannot be built here: {done.stderr[-500:]}")
        pathlib.Path(work, _PROGRAM).rename(program)
