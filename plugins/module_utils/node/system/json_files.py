# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""JSON files that the commands of the node program are configured by."""

from __future__ import annotations

import json
from typing import Any, TypeVar

from ...base.errors import ConfigError
from ...exchange.settings import Settings

AnySettings = TypeVar("AnySettings", bound=Settings)


def read_json(path: str) -> Any:
    """The content of a file. Raises ConfigError."""
    try:
        with open(path, encoding="utf-8") as stream:
            return json.load(stream)
    except OSError as error:
        raise ConfigError([f"{path} cannot be read: {error.strerror}"]) from error
    except ValueError as error:
        raise ConfigError([f"{path} is not JSON"]) from error


def load(kind: type[AnySettings], path: str) -> AnySettings:
    """The settings of a kind that a file holds. Raises ConfigError."""
    data = read_json(path)
    try:
        return kind(**data)
    except TypeError as error:
        raise ConfigError([f"{path} is not {kind.TITLE}: {error}"]) from error
