# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nova's servers without hypervisors: its own driver for tests, with consoles.

KUBEOPS_CONSOLES names a directory with what servers have printed, by their names; else all say KUBEOPS_CONSOLE.
"""

import os

from nova.virt import fake


class ServerDriver(fake.FakeDriver):
    """Does nothing, and says that it is done."""

    def get_console_output(self, context, instance):
        directory = os.environ.get("KUBEOPS_CONSOLES")
        if not directory:
            return os.environ.get("KUBEOPS_CONSOLE", "").encode()
        try:
            with open(os.path.join(directory, instance.display_name), "rb") as stream:
                lines = stream.read().split(b"\n")
        except FileNotFoundError:
            return b""
        # Each line has time, stream, and F or P, which says whether the line ends there: podman's k8s-file.
        parts = [line.split(b" ", 3) for line in lines]
        return b"".join(part[3] + (b"\n" if part[2] == b"F" else b"") for part in parts if len(part) == 4)
