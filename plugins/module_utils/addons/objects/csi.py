# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Containers of drivers of volumes, which speak with their sidecars through a socket in a shared directory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .pods import mount

SOCKETS = "socket-dir"


def sidecar(
    name: str, image: str, args: Sequence[str] = (), *, directory: str = "/csi", volume: str = SOCKETS, **more: Any
) -> dict[str, Any]:
    """A container beside a driver. directory, volume: of the driver's socket. more: other fields, such as env."""
    arguments = {"args": list(args)} if args else {}
    mounts = [mount(volume, directory), *more.pop("volumeMounts", ())]
    return {"name": name, "image": image, **arguments, **more, "volumeMounts": mounts}
