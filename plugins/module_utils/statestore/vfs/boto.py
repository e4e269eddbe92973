# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clients of boto3, for the state store and for the cloud.

All of a process are made from one session: each session reads the SDK's table of endpoints (half a megabyte of JSON)
and asks for credentials again.
"""

from __future__ import annotations

import functools
import os
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import boto3

# Clients can be used by several threads, but sessions cannot.
_LOCK = threading.Lock()


def default_session() -> boto3.Session:
    """The session with the SDK's own credential chain; a new one if an environment variable of the SDK has changed.

    Raises ImportError if boto3 is missing, and botocore's errors, for example if there is no such profile.
    """
    settings = {name: value for name, value in os.environ.items() if name.startswith("AWS_")}
    with _LOCK:
        return _session(tuple(sorted(settings.items())))


@functools.lru_cache(maxsize=1)
def _session(_settings: tuple[tuple[str, str], ...]) -> boto3.Session:
    import boto3
    import botocore.session

    core = botocore.session.get_session()
    if core.get_config_variable("data_path") is None:
        core.register_component("data_loader", _own_loader())
    return boto3.Session(botocore_session=core)


def _own_loader() -> Any:
    """Reads the SDK's models of services.

    For each kind of model (operations, pages, endpoints) the SDK's own loader first looks through the directories of
    all 400 services, to name them if there is none of that name.
    """
    import botocore.loaders

    class Loader(botocore.loaders.Loader):
        def list_available_services(self, type_name: str) -> list[str]:
            return sorted({name for path in self.search_paths if os.path.isdir(path) for name in os.listdir(path)})

    return Loader()


def client(session: boto3.Session, service: str, **options: Any) -> Any:
    """A client of a service. Threads may call this with the same session."""
    with _LOCK:
        return session.client(service, **options)
