# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kubernetes' own syntax: names, labels, taints, quantities, feature gates, variables, images.

Every field of the specification that Kubernetes reads is checked by these (apimachinery's validation packages). Each
function takes the path of the value and returns its problems.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ..scalars import Duration, Quantity
from .problems import Problems, duplicate, invalid

_DNS_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_LABEL_PART = re.compile(r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]")
_FEATURE_GATE = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_RESOURCE_VERSION = re.compile(r"(api/(all|legacy|ga|beta|alpha))|([a-z0-9.-]+/[a-z0-9]+(/[a-z0-9.-]+)?)")
_VARIABLE = re.compile(r"[ -<>-~]+")
# distribution/reference: an optional registry, a path in lower case, an optional tag and digest.
_IMAGE = re.compile(
    r"((?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:]+\])(?::\d+)?/)?"
    r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*"
    r"(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(?:@[A-Za-z][A-Za-z0-9]*:[0-9a-fA-F]{32,})?"
)
TRUTHS = ("true", "True", "TRUE", "t", "T", "1", "false", "False", "FALSE", "f", "F", "0")
# Of Go's TLS, as all components of Kubernetes have them.
TLS_VERSIONS = ("VersionTLS10", "VersionTLS11", "VersionTLS12", "VersionTLS13")
_CIPHER_SUITE = re.compile(r"TLS_[A-Z0-9_]+")
# What names that kops once had for a node's name in its cloud begin with.
_HOSTNAME_OF_CLOUD = "@"
TAINT_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
SUBDOMAIN_RULE = (
    "must be a DNS name: lower-case letters, digits, '-' and '.', each part beginning and ending with "
    "a letter or digit, at most 253 characters"
)
LABEL_VALUE_RULE = (
    "a label value has at most 63 letters, digits, '-', '_' or '.', and begins and ends with a letter or digit"
)


def is_dns_subdomain(name: str) -> bool:
    """Whether a name is a valid DNS subdomain as Kubernetes defines it (RFC 1123)."""
    return len(name) <= 253 and _DNS_SUBDOMAIN.fullmatch(name) is not None


def is_label_value(text: str) -> bool:
    """Whether a text can be the value of a label: empty, too."""
    return not text or _is_label_part(text)


def is_qualified_name(key: str) -> bool:
    """Whether a text can be the key of a label, an annotation or a taint."""
    prefix, slash, name = key.rpartition("/")
    return _is_label_part(name) and (not slash or is_dns_subdomain(prefix))


def qualified_name_rule(what: str) -> str:
    """The rule of is_qualified_name for a message. what: "label key"."""
    return (
        f"a {what} is a name of at most 63 letters, digits, '-', '_' or '.', which begins and ends with a letter or "
        "digit, with an optional DNS subdomain and '/' before it"
    )


def validate_labels(labels: Mapping[str, str], path: str) -> Problems:
    """Labels: their keys and values. The message names the key, since a value may be long, or only spaces."""
    found: Problems = []
    for key, value in labels.items():
        if not is_qualified_name(key):
            found.append(invalid(path, key, qualified_name_rule("label key")))
        if not is_label_value(value):
            found.append(invalid(path, f"{key}={value}", LABEL_VALUE_RULE))
    return found


def validate_taints(taints: Sequence[str], path: str) -> Problems:
    """Taints that the kubelet sets: key=value:effect, or key:effect."""
    found: Problems = []
    for index, taint in enumerate(taints):
        problem = _problem_of_taint(taint)
        if problem:
            found.append(invalid(f"{path}[{index}]", taint, problem))
        if taint in taints[:index]:
            found.append(duplicate(f"{path}[{index}]", taint))
        elif not problem and _taint_identity(taint) in [_taint_identity(each) for each in taints[:index]]:
            found.append(duplicate(f"{path}[{index}]", taint, "a taint with this key and effect is listed before"))
    return found


def _problem_of_taint(taint: str) -> str:
    pair, colon, effect = taint.partition(":")
    key, equals, value = pair.partition("=")
    if not colon or ":" in effect or "=" in value:
        return "must be key=value:effect or key:effect"
    if not is_qualified_name(key):
        return qualified_name_rule("taint's key")
    if equals and not is_label_value(value):
        return f"as the value of a taint, {LABEL_VALUE_RULE}"
    if effect not in TAINT_EFFECTS:
        return f"its effect must be one of {', '.join(TAINT_EFFECTS)}"
    return ""


def _taint_identity(taint: str) -> tuple[str, str]:
    pair, _colon, effect = taint.partition(":")
    return pair.partition("=")[0], effect


def validate_quantity(text: str, path: str) -> Problems:
    """A quantity that is not negative."""
    try:
        value = Quantity.parse(text).value
    except ValueError as error:
        return [invalid(path, None, str(error))]
    return [invalid(path, text, "must not be negative")] if value < 0 else []


def validate_duration(text: str, path: str) -> Problems:
    """A duration that is not negative."""
    try:
        seconds = Duration.parse(text).seconds
    except ValueError as error:
        return [invalid(path, None, str(error))]
    return [invalid(path, text, "must not be negative")] if seconds < 0 else []


def validate_feature_gates(gates: Mapping[str, str], path: str) -> Problems:
    """Feature gates: a name, and a truth as Go reads it. Which gates there are, each version of Kubernetes decides."""
    found: Problems = []
    for name, value in gates.items():
        if not _FEATURE_GATE.fullmatch(name):
            found.append(invalid(path, name, "a feature gate is a word of letters and digits"))
        if value not in TRUTHS:
            found.append(invalid(f"{path}.{name}", value, "must be true or false"))
    return found


def validate_runtime_config(config: Mapping[str, str], path: str) -> Problems:
    """Versions of the API that the API server serves or not: group/version, group/version/resource, api/all ..."""
    found: Problems = []
    for name, value in config.items():
        if not (_RESOURCE_VERSION.fullmatch(name) or name == "v1"):
            example = "api/all or batch/v1"
            found.append(invalid(path, name, f"must be a group and version of the API, for example {example}"))
        if value not in (*TRUTHS, ""):
            found.append(invalid(f"{path}.{name}", value, "must be true or false"))
    return found


def validate_variable_name(name: str, path: str) -> Problems:
    """The name of an environment variable of a container."""
    if _VARIABLE.fullmatch(name):
        return []
    return [invalid(path, name, "the name of an environment variable has printable characters except '='")]


def validate_image(image: str, path: str) -> Problems:
    """The reference of a container image."""
    if len(image) <= 500 and _IMAGE.fullmatch(image):
        return []
    example = "registry.example.com/team/program:1.0"
    return [invalid(path, image, f"must be the reference of a container image, for example {example}")]


def validate_cipher_suites(suites: Sequence[str], path: str) -> Problems:
    """The names of cipher suites of TLS, in an option of a component."""
    return [
        invalid(f"{path}[{index}]", suite, "must be Go's name of a cipher suite, TLS_...")
        for index, suite in enumerate(suites)
        if not _CIPHER_SUITE.fullmatch(suite)
    ]


def validate_hostname_override(name: str, path: str) -> Problems:
    """The name that a component takes for its node's."""
    if not name or name.startswith(_HOSTNAME_OF_CLOUD) or is_dns_subdomain(name.strip().lower()):
        return []
    return [invalid(path, name, "must be the name of a node: a DNS name")]


def validate_share(text: str, path: str, most: float = 1) -> Problems:
    """A number from 0 to most that the specification keeps as a text."""
    try:
        is_right = 0 <= float(text) <= most
    except ValueError:
        is_right = False
    return [] if is_right else [invalid(path, text, f"must be a number from 0 to {most}")]


def validate_port(port: int, path: str) -> Problems:
    """A port of TCP or UDP; 0 where the program chooses one, or opens none."""
    return [] if 0 <= port <= 65535 else [invalid(path, port, "must be a port, from 0 to 65535")]


def _is_label_part(text: str) -> bool:
    return len(text) <= 63 and _LABEL_PART.fullmatch(text) is not None
