# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The survey of a playbook: the form with which AWX asks for the variables of a job template.

The result is what AWX' API and ``awx.awx.job_template`` take as ``survey_spec``.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.api.clouds import CLOUDS
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.checks import PREFIX
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.descriptions import described, plain, value_text
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.specs import Option, environment_variables

# Names that are written in capitals.
_CAPITALS = ("api", "az", "cidr", "cpu", "dns", "ena", "gpu", "id", "ip", "lb", "os", "sha256", "ssh", "ssl")
_NAMES = {"gpus": "GPUs", "ipv6": "IPv6", "vcpus": "vCPUs", **{name: cloud.title for name, cloud in CLOUDS.items()}}
# AWX' limits for what is typed.
_LONGEST = {"text": 1024, "password": 4096, "textarea": 65536}
_LARGEST = 2**31 - 1


def survey_of(playbook: str, without: Collection[str] | None = None) -> dict[str, Any]:
    """Survey of AWX for a playbook: a question for each of its listed variables.

    without: variables without a question; None leaves out what a credential, an inventory or the environment gives,
    and variables of hosts.
    """
    spec = described(playbook)
    left_out = environment_variables() if without is None else without
    questions = [
        _question(name, option, section.title)
        for section in spec.sections
        if without is not None or not section.of_hosts
        for name, option in section.options.items()
        if name not in left_out
    ]
    return {"name": spec.name, "description": spec.short_description, "spec": questions}


def _question(name: str, option: Option, when: str) -> dict[str, Any]:
    kind = _kind(option)
    said = plain(option["description"])
    question: dict[str, Any] = {
        "question_name": _title(name),
        "question_description": f"{when}: {said}" if when else said[:1].upper() + said[1:],
        "variable": name,
        "type": kind,
        "required": bool(option.get("required")),
        "choices": _choices(option),
        "min": None,
        "max": None,
        "default": _default(option, kind),
    }
    if kind in _LONGEST:
        question.update(min=0, max=_LONGEST[kind])
    elif kind in ("integer", "float"):
        # No variable of a playbook counts below zero.
        question.update(min=0, max=_LARGEST)
    return question


def _kind(option: Option) -> str:
    """AWX' kind of question. A list is a text with commas, as on the command line."""
    kind = option.get("type", "str")
    if option.get("no_log"):
        return "password"
    if option.get("choices"):
        return "multiselect" if kind == "list" else "multiplechoice"
    if kind in ("dict", "raw"):
        return "textarea"
    return {"bool": "multiplechoice", "int": "integer", "float": "float"}.get(kind, "text")


def _choices(option: Option) -> list[str]:
    if option.get("choices"):
        return [value_text(choice) for choice in option["choices"]]
    return ["true", "false"] if option.get("type") == "bool" else []


def _default(option: Option, kind: str) -> Any:
    """The value that the form has at first. An empty one leaves it to the playbook."""
    value = option.get("default")
    if value is None:
        return ""
    if kind in ("integer", "float"):
        # AWX refuses a whole number as the default of a fraction.
        return float(value) if kind == "float" else value
    # A line for each choice.
    return "\n".join(map(value_text, value)) if kind == "multiselect" else value_text(value)


def _title(name: str) -> str:
    """The name of a variable as words: "DNS zone" of kops_dns_zone."""
    words = [_word(each) for each in name.removeprefix(PREFIX).split("_")]
    return " ".join([words[0][:1].upper() + words[0][1:] if words[0].islower() else words[0], *words[1:]])


def _word(word: str) -> str:
    return word.upper() if word in _CAPITALS else _NAMES.get(word, word)
