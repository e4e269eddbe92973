# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Loads a channel: a built-in one by its name, or a file in kops' format by its path or URL."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..api.yaml.read import read_plain
from ..base.errors import KopsError
from .alpha import ALPHA
from .channel import Channel, ChannelImage, ChannelPackage, KopsVersionAdvice, KubernetesVersionAdvice
from .stable import STABLE

DEFAULT_CHANNEL = "stable"
BUILT_IN = {"stable": STABLE, "alpha": ALPHA, "none": Channel()}

_URL = re.compile(r"^(https?|file)://")
_SECONDS_TO_ANSWER = 30


def load_channel(location: str) -> Channel:
    """The channel ``stable``, ``alpha`` or ``none`` (no recommendations), or that of a path, file:// or http URL.

    Raises KopsError if it cannot be read or is not a channel.
    """
    if location in BUILT_IN:
        return BUILT_IN[location]
    if not _URL.match(location) and "/" not in location:
        raise KopsError(
            f"there is no channel {location!r}; the built-in ones are {', '.join(BUILT_IN)}, "
            "others are given by path, file:// or https:// URL"
        )
    return parse_channel(_read(location), source=location)


def parse_channel(text: str, *, source: str = "channel") -> Channel:
    """A channel from its YAML document. Raises KopsError, which names source, if it is not valid."""
    document = read_plain(text, source)
    spec = document.get("spec") if isinstance(document, Mapping) else None
    if not isinstance(spec, Mapping):
        raise KopsError(f"{source} is not a channel: it has no spec")
    return Channel(
        images=tuple(
            ChannelImage(
                _text(entry, "providerID"),
                _text(entry, "architectureID"),
                _text(entry, "kubernetesVersion"),
                _text(entry, "name"),
            )
            for entry in _entries(spec, "images", source)
        ),
        kubernetes_versions=tuple(
            KubernetesVersionAdvice(
                _text(entry, "range"), _text(entry, "recommendedVersion"), _text(entry, "requiredVersion")
            )
            for entry in _entries(spec, "kubernetesVersions", source)
        ),
        kops_versions=tuple(
            KopsVersionAdvice(
                _text(entry, "range"),
                _text(entry, "recommendedVersion"),
                _text(entry, "kubernetesVersion"),
                _text(entry, "requiredVersion"),
            )
            for entry in _entries(spec, "kopsVersions", source)
        ),
        packages=tuple(
            ChannelPackage(
                _text(entry, "name"),
                _text(entry, "version"),
                _text(entry, "kubernetesVersion"),
                _text(entry, "kopsVersion"),
            )
            for entry in _entries(spec, "packages", source)
        ),
        cluster=dict(spec.get("cluster") or {}),
    )


def _read(location: str) -> str:
    from http.client import HTTPException

    from ansible.module_utils import urls

    try:
        if location.startswith("http"):
            return str(urls.open_url(location, timeout=_SECONDS_TO_ANSWER).read().decode())
        with open(location[len("file://") :] if location.startswith("file://") else location, encoding="utf-8") as file:
            return file.read()
    except (OSError, HTTPException, UnicodeDecodeError, urls.ConnectionError) as error:
        raise KopsError(f"cannot read the channel {location}: {error}") from error


def _entries(spec: Mapping[str, Any], key: str, source: str) -> list[Mapping[str, Any]]:
    entries = spec.get(key) or []
    if not isinstance(entries, list) or not all(isinstance(entry, Mapping) for entry in entries):
        raise KopsError(f"{source} is not a channel: spec.{key} must be a list of mappings")
    return entries


def _text(entry: Mapping[str, Any], key: str) -> str:
    return str(entry.get(key) or "")
