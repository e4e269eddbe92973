# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What those need who type the commands of the documentation on the lab's hosts."""

from __future__ import annotations

import os
import pathlib
import re

from ansible_collections.kubeops.kops.tests.conftest import ROOT

_CHANGED = re.compile(r"^(\S+) +: ok=.* changed=(\d+) ", re.MULTILINE)


def ansible_settings(directory: pathlib.Path) -> dict[str, str]:
    """Ansible's, in the environment. directory: for its connections."""
    return {
        "ANSIBLE_COLLECTIONS_PATH": str(ROOT / ".venv" / "collections"),
        "ANSIBLE_LOCALHOST_WARNING": "false",
        "ANSIBLE_NOCOLOR": "1",
        "ANSIBLE_SSH_CONTROL_PATH_DIR": str(directory / "cp"),
        "PATH": os.pathsep.join([str(ROOT / ".venv" / "bin"), os.environ["PATH"]]),
    }


def changes(output: str) -> int:
    """How much a run has changed on hosts, or would; not on the controller, which gets kubeconfigs and archives."""
    return sum(int(count) for host, count in _CHANGED.findall(output) if host != "localhost")
