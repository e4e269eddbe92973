# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The TPMs of instances: programs, each at the end of a terminal line that a machine has as its device."""

from __future__ import annotations

import os
import pathlib
import pty
import shutil
import subprocess
import threading
import tty

from ansible_collections.kubeops.kops.tests.support import software_tpm

DEVICE = "/dev/tpmrm0"


class TPMs:
    """Those of instances, by their names. directory: for what they keep."""

    def __init__(self, directory: pathlib.Path) -> None:
        self._directory = directory
        self._public_keys: dict[str, str] = {}
        # Several machines start at once, and a TPM that is being made needs two free ports.
        self._making = threading.Lock()
        self._running: dict[str, tuple[subprocess.Popen[bytes], int, int]] = {}

    def public_key(self, instance: str) -> str:
        """That of an instance's attestation key, PEM, as Google knows it. The TPM is made on first use."""
        with self._making:
            if instance not in self._public_keys:
                # Of a former instance of the name, or of an attempt that broke off.
                shutil.rmtree(self._directory / instance, ignore_errors=True)
                with software_tpm.running(self._directory / instance) as made:
                    self._public_keys[instance] = made.public_key
            return self._public_keys[instance]

    def device(self, instance: str) -> str:
        """The terminal line of an instance's TPM, which runs from then on."""
        self.public_key(instance)
        if instance not in self._running:
            ours, machines = pty.openpty()
            # What is written arrives as it is, and is not sent back.
            tty.setraw(machines)
            command = ["swtpm", "chardev", "--tpm2", "--tpmstate", f"dir={self._directory / instance}"]
            command += ["--flags", "not-need-init,startup-clear", "--fd", str(ours)]
            # The other end stays open here, else the line would end with its first user.
            self._running[instance] = subprocess.Popen(command, pass_fds=[ours]), ours, machines
        return os.ttyname(self._running[instance][2])

    def remove(self, instance: str) -> None:
        """End a TPM."""
        self._public_keys.pop(instance, None)
        if instance in self._running:
            process, *ends = self._running.pop(instance)
            process.terminate()
            process.wait()
            for end in ends:
                os.close(end)
