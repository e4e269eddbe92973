# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lets ansible-test make its environments where only a package index can be reached.

ansible-test fetches get-pip.py from a host of its own; a file of that name in its cache is used instead. Ours installs
the same pip from a wheel beside it.
"""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys

_SCRIPT = """\
import pathlib, runpy, sys
wheel = str(pathlib.Path({cache!r}) / "pip-{version}-py3-none-any.whl")
sys.path.insert(0, wheel)
sys.argv = ["pip", "install", "--quiet", "--no-index", "--disable-pip-version-check", wheel]
runpy.run_module("pip", run_name="__main__", alter_sys=True)
"""


def pip_versions(programs: pathlib.Path) -> list[str]:
    """The versions of pip that the ansible-test beside these programs may ask for."""
    (source,) = programs.parent.glob("lib/python3*/site-packages/ansible_test/_internal/python_requirements.py")
    return sorted(set(re.findall(r"\bpip='([0-9.]+)'", source.read_text())))


def prime_ansible_test(programs: pathlib.Path | None = None) -> None:
    """Put scripts and wheels into ansible-test's cache, once for each user. programs: of which ansible-core."""
    for version in pip_versions(programs or pathlib.Path(sys.executable).parent):
        _prime(version)


def _prime(version: str) -> None:
    cache = pathlib.Path.home() / ".ansible" / "test" / "cache"
    script = cache / f"get_pip_{version.replace('.', '_')}.py"
    wheel = cache / f"pip-{version}-py3-none-any.whl"
    cache.mkdir(parents=True, exist_ok=True)
    if not wheel.exists():
        download = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(cache)]
        subprocess.run([*download, f"pip=={version}"], check=True)
    if not script.exists():
        script.write_text(_SCRIPT.format(cache=str(cache), version=version))
