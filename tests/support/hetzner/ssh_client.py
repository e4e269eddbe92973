#!/usr/bin/env python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A program in place of ssh, for runs whose servers are objects of the API of tests: it plays a server that has booted.

Its host key is made of its name. It proves who it is by the nonce in its user data, which is in KUBEOPS_TEST_SERVERS by
the server's name, as what it is given. Whether OpenSSH does what is asked of it is shown with OpenSSH itself.
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


def main(arguments: list[str]) -> int:
    """The exit code."""
    told = dict(each.split("=", 1) for name, each in zip(arguments, arguments[1:]) if name == "-o")
    name, directory = told["HostKeyAlias"], pathlib.Path(os.environ["KUBEOPS_TEST_SERVERS"])
    key = f"ssh-ed25519 {base64.b64encode(name.encode()).decode()}"
    if told["StrictHostKeyChecking"] == "accept-new":
        pathlib.Path(told["UserKnownHostsFile"]).write_text(f"{name} {key}\n")
    if "kubeops-proof" in arguments[-1]:
        nonce = _NONCE.search((directory / f"{name}.user-data").read_text())
        if nonce is None:
            return 90
        sys.stdout.write(hmac.new(bytes.fromhex(nonce[1]), key.encode(), hashlib.sha256).hexdigest())
    elif arguments[-1] != "exec sh -c true":
        (directory / f"{name}.credentials").write_bytes(sys.stdin.buffer.read())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
