#!/usr/bin/env python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A program in place of ssh, for machines of a simulator, which boot nothing: it answers as one that has booted.

Its host key is made of its name. It proves who it is by the nonce in its user data, which guests.py has written into
KUBEOPS_TEST_GUESTS by its name, and keeps there what it is given.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import pathlib
import re
import sys

_NONCE = re.compile(r'KUBEOPS_SERVER_NONCE": "([0-9a-f]{64})"')
_NO_PROOF = 90


def main(arguments: list[str]) -> int:
    """The exit code."""
    options = dict(each.split("=", 1) for flag, each in zip(arguments, arguments[1:]) if flag == "-o")
    name, guests = options["HostKeyAlias"], pathlib.Path(os.environ["KUBEOPS_TEST_GUESTS"])
    key = f"ssh-ed25519 {base64.b64encode(name.encode()).decode()}"
    if options["StrictHostKeyChecking"] == "accept-new":
        pathlib.Path(options["UserKnownHostsFile"]).write_text(f"{name} {key}\n")
    command = arguments[-1]
    if "kubeops-proof" in command:
        nonce = _NONCE.search((guests / f"{name}.user-data").read_text())
        if nonce is None:
            return _NO_PROOF
        sys.stdout.write(hmac.new(bytes.fromhex(nonce[1]), key.encode(), hashlib.sha256).hexdigest())
    elif command != "exec sh -c true":
        (guests / f"{name}.credentials").write_bytes(sys.stdin.buffer.read())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
