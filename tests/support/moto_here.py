# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""moto's server in the process of the tests, which then can look into it; it records no calls."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

from ansible_collections.kubeops.kops.tests.support.aws_server import extend_moto
from ansible_collections.kubeops.kops.tests.support.keep_alive import make_server
from moto.server import DomainDispatcherApplication, create_backend_app


@contextlib.contextmanager
def moto_here() -> Iterator[str]:
    """The server for as long as the block runs; its URL."""
    extend_moto()
    server = make_server("127.0.0.1", 0, DomainDispatcherApplication(create_backend_app))
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
