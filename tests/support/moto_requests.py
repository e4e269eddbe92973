# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What moto finds out again for every request, found out once: this takes longer than most requests."""

from __future__ import annotations

import functools
from typing import Any


def find_services_once() -> None:
    """Which service a host belongs to: moto lists its own directory, and compares 200 patterns."""
    from moto import backends
    from moto.moto_server.werkzeug_app import DomainDispatcherApplication

    services = frozenset(backends.list_of_moto_modules())
    module: Any = backends
    module.list_of_moto_modules = lambda: services
    application: Any = DomainDispatcherApplication
    application.get_backend_for_host = functools.lru_cache(maxsize=1024)(application.get_backend_for_host)


def list_operations_once() -> None:
    """Which operations a class answers: moto looks at each of its attributes."""
    from moto.core import responses

    module: Any = responses
    module.method_names_from_class = functools.cache(module.method_names_from_class)
