# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether servers of this machine and of others are there."""

from __future__ import annotations

import socket
import ssl
import time

_TIMEOUT = 5
_PAUSE = 0.1


def refused(target: str) -> str:
    """Why a server (HOST:PORT) accepts no connection; "" if it does."""
    try:
        with _connect(target):
            return ""
    except OSError as error:
        return f"{target}: {error.strerror or error}"


def await_tls(target: str, seconds: float) -> bool:
    """Wait until a server (HOST:PORT) speaks TLS, at most so long. Returns whether it does.

    An API server accepts connections two seconds before it serves them.
    """
    end = time.monotonic() + seconds
    while not _speaks_tls(target):
        if time.monotonic() + _PAUSE > end:
            return False
        time.sleep(_PAUSE)
    return True


def _speaks_tls(target: str) -> bool:
    """Nothing is sent to it and nothing is believed, so it need not prove who it is."""
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    tls.check_hostname = False
    tls.verify_mode = ssl.CERT_NONE
    try:
        with _connect(target) as plain, tls.wrap_socket(plain):
            return True
    except OSError:
        return False


def _connect(target: str) -> socket.socket:
    host, _colon, port = target.rpartition(":")
    return socket.create_connection((host.strip("[]"), int(port)), timeout=_TIMEOUT)
