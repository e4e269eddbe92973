# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What secrets look like whose values nobody knows: private keys, tokens, passwords in settings and URLs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from .known import HIDDEN

BEGIN = re.compile(rb"-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----")
END = re.compile(rb"-----END [A-Z0-9 ]*PRIVATE KEY-----")
# Names of settings whose value is secret, in files, in environment variables and in options of commands.
SECRET_NAME = re.compile(
    r"passw(or)?d|passphrase|secret[_-]?(access[_-]?)?key|secret[_-]?id|(client|credential)[_-]?secret"
    r"|(api|private)[_-]?key"
    r"|(access|refresh|id|api|auth|session|security|bootstrap|bearer|registry|identity)[_-]?token|^token$|[_-]token$"
    r"|client-key-data|credentials?$",
    re.IGNORECASE,
)
# Logs of Debian's package manager have "passwd:amd64", a package.
_NO_PACKAGE = rb"(?!(?:all|amd64|arm64)[ \t])"
_VALUE = rb"""(?:\\?["'])?([^\s"'\\,;&<>(){}\[\]]{4,})"""
# The name of a variable in a list of names and values.
_VARIABLE = rb"""_(?:token|password|secret(?:_access)?(?:_key)?)\\?["']?"""
# A line that ends with one: its value is in the next line.
VARIABLE_AT_END = re.compile(_VARIABLE + rb",?\s*\Z", re.IGNORECASE)
_SET = rb"""\\?["']?\s*[:=]\s*\\?["']?"""


class Pattern(NamedTuple):
    """name: for the index. hints: with one of them each match begins, in small letters.

    expression: is tried where a hint is. Its first group stays, the rest is hidden.
    """

    name: str
    hints: tuple[bytes, ...]
    expression: re.Pattern[bytes]


def _pattern(name: str, hints: str, expression: bytes, flags: int = re.IGNORECASE) -> Pattern:
    return Pattern(name, tuple(hints.encode().split()), re.compile(expression, flags))


# To look for a few fixed words first is ten times as fast as to try all expressions everywhere.
_PATTERNS = (
    _pattern(
        "authorization header",
        "authorization",
        rb"""(authorization\\?["']?\s*[:=](?!\s*[\[\\"']*\(hidden)\s*[\[\\"']*)"""
        rb"""[a-z0-9-]*[ \t]*[^\s"',\]]{4,}[^\r\n"]*""",
    ),
    _pattern("bearer token", "bearer", rb"(bearer[ \t]+)[a-z0-9._~+/=-]{16,}"),
    _pattern("JSON web token", "eyj", rb"()\beyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){1,4}", 0),
    _pattern("AWS key", "akia asia", rb"()\b(?:AKIA|ASIA)[A-Z0-9]{16}\b", 0),
    _pattern("DigitalOcean token", "dop_v1_ doo_v1_ dor_v1_", rb"()[a-z]+_v1_[a-f0-9]{16,}"),
    _pattern("Google access token", "ya29.", rb"()\bya29\.[A-Za-z0-9._-]{16,}", 0),
    _pattern("OpenStack token", "gaaaaa", rb"()\bgAAAAA[A-Za-z0-9_-]{32,}={0,2}", 0),
    _pattern("Scaleway access key", "scw", rb"()\bSCW[A-Z0-9]{17}\b", 0),
    _pattern("AWS signature", "x-amz-", rb"""(x-amz-(?:signature|security-token|credential)=)[^\s&"'(]+"""),
    _pattern("password in a URL", "://", rb"""(://(?:[^\s/:@"'<>]*:)?)(?!\(hidden)[^\s/:@"'<>]{4,}(?=@)"""),
    _pattern("registry login", "auth", rb"""(auth\\?["']\s*:\s*\\?["'])[A-Za-z0-9+/_-]{8,}=*"""),
    _pattern("encryption key", "secret", rb"""(secret\\?["']?\s*:\s*\\?["']?)[A-Za-z0-9+/_-]{22,}={0,2}"""),
    _pattern(
        "token of a code forge", "ghp_ gho_ ghu_ ghs_ ghr_ xoxb- xoxp- xoxa- glpat-", rb"()[a-z]+[-_][A-Za-z0-9_-]{16,}"
    ),
    _pattern(
        "password in a setting",
        "passw passphrase",
        rb"(pass(?:word|wd|phrase)" + _SET + rb")" + _NO_PACKAGE + _VALUE,
    ),
    _pattern(
        "key in a setting",
        "secret api_key api-key apikey private_key private-key client-key-data client_secret client-secret clientsecret"
        " credential_secret credential-secret",
        rb"((?:secret[_-]?(?:access[_-]?)?key|(?:client|credential)[_-]?secret|(?:api|private)[_-]?key|client-key-data)"
        + _SET
        + rb")"
        + _VALUE,
    ),
    _pattern("token in a setting", "token", rb"((?:(?<![a-z])|(?<=api)|(?<=access))token" + _SET + rb")" + _VALUE),
    # The environment of a container, in a manifest and in what the container runtime says.
    _pattern(
        "secret variable",
        "_token _password _secret",
        rb"(" + _VARIABLE + rb"""(?:,\s*|\s+)\\?["']?value""" + _SET + rb")" + _VALUE,
    ),
)
# Its first half is its public name.
_SECOND_HALF, _FIRST_HALF = re.compile(rb"\.[a-z0-9]{16}(?![\w./-])"), re.compile(rb"(?<![\w./-])[a-z0-9]{6}\Z")


def hide(text: bytes, removed: Counter[str]) -> bytes:
    """The text without what looks like a secret, which is counted by its kind. Whole private keys go first."""
    text = _without_keys(text, removed)
    small = text.lower()
    found = sorted({*_spans(text, small), *_bootstrap_tokens(text)})
    parts, at = [], 0
    for start, end, name in found:
        if start >= at:
            removed[name] += 1
            parts += [text[at:start], HIDDEN]
        at = max(at, end)
    return b"".join([*parts, text[at:]])


def _spans(text: bytes, small: bytes) -> Iterator[tuple[int, int, str]]:
    for name, hints, expression in _PATTERNS:
        for hint in hints:
            at = small.find(hint)
            while at >= 0:
                if match := expression.match(text, at):
                    yield match.end(1), match.end(), name
                at = small.find(hint, at + 1)


def _bootstrap_tokens(text: bytes) -> Iterator[tuple[int, int, str]]:
    for match in _SECOND_HALF.finditer(text):
        if _FIRST_HALF.search(text, max(0, match.start() - 7), match.start()):
            yield match.start() + 1, match.end(), "bootstrap token"


def _without_keys(text: bytes, removed: Counter[str]) -> bytes:
    if b"PRIVATE KEY-----" not in text:
        return text
    parts, at = [], 0
    while begin := BEGIN.search(text, at):
        end = END.search(text, begin.end())
        parts += [text[at : begin.start()], HIDDEN]
        removed["private key"] += 1
        at = end.end() if end else len(text)
        if not end:
            break
    return b"".join([*parts, text[at:]])
