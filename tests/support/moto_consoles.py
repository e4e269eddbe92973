# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The consoles of instances that are containers; moto says the same of all instances."""

from __future__ import annotations

import pathlib
from typing import Any

# What EC2 keeps of a console, in bytes.
KEPT = 64 << 10


def show_consoles(directory: pathlib.Path) -> None:
    """GetConsoleOutput gives what the instance's container has printed. directory: its logs, named by instance ids."""
    from moto.core.responses import ActionResult
    from moto.core.types import Base64EncodedString
    from moto.core.utils import utcnow
    from moto.ec2.responses.general import General

    def get_console_output(self: Any) -> ActionResult:
        instance = self.ec2_backend.get_instance(self._get_param("InstanceId"))
        answer = {"InstanceId": instance.id, "Timestamp": utcnow()}
        text = console(directory / instance.id)
        if text:
            answer["Output"] = Base64EncodedString.from_raw_string(text)
        return ActionResult(answer)

    responses: Any = General
    responses.get_console_output = get_console_output


def console(log: pathlib.Path) -> str:
    """What a container has printed, from its log; "" if it has none.

    Each line has time, stream, and F or P, which says whether the line ends there: podman's k8s-file.
    """
    try:
        lines = log.read_bytes().decode(errors="replace").split("\n")
    except FileNotFoundError:
        return ""
    parts = [line.split(" ", 3) for line in lines]
    text = "".join(part[3] + ("\n" if part[2] == "F" else "") for part in parts if len(part) == 4)
    return text.encode()[-KEPT:].decode(errors="ignore")
