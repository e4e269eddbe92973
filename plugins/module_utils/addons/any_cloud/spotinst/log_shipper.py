# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fluent Bit, which sends the logs of Spotinst's controller to Spotinst."""

from __future__ import annotations

from collections.abc import Sequence

Lines = Sequence[tuple[str, str]]

# Field names and levels that Spotinst expects: comment of the filter, and what it does.
_RENAMED = (
    (
        "rename msg -> message , level -> l",
        [("Rename", "    msg message"), ("Rename", "    level l")],
    ),
    *(
        (
            f"{level} -> {shown}",
            [("", ""), ("Condition", f"Key_Value_Equals l {level}"), ("SET", f"l {shown}")],
        )
        for level, shown in (("info", "INFO"), ("debug", "INFO"), ("trace", "TRACE"), ("error", "ERROR"))
    ),
)
_TO_TEXT = (
    "function stringify(obj) result = {} for key, value in pairs(obj) do table.insert(result,"
    ' string.format("\\"%s\\":%q", key, value)) end result = "{" .. table.concat(result, ",") .. "}" return result end'
    ' function parse(tag, timestamp, record) new_record = record new_record["log"] = stringify(record["log"])'
    " return 1, timestamp, new_record end"
)


def _section(kind: str, lines: Lines, comment: str = "", width: int = 0) -> str:
    """A section. width: of the column of names."""
    shown = [f"    {name:<{width}} {value}".rstrip() for name, value in lines]
    return "\n".join([*([f"# {comment}"] if comment else []), f"[{kind}]", *shown, ""])


def _filter(name: str, lines: Lines, comment: str = "") -> str:
    return _section("FILTER", [("Name", f"      {name}"), ("Match", "     *"), *lines], comment)


def configuration() -> str:
    """The configuration."""
    source = [
        ("Name", "tail"),
        ("Path", "/var/log/controller.logs"),
        ("Parser", "json"),
        ("Buffer_Max_Size", "2MB"),
        ("Skip_Long_Lines", "On"),
        ("Skip_Empty_Lines", "On"),
        ("Refresh_Interval", "10"),
    ]
    target = [
        ("Name", "http"),
        ("Match", "*"),
        ("Format", "json"),
        ("Host", "api.spotinst.io"),
        ("Port", "443"),
        ("TLS", "true"),
        ("URI", "/logs/${CLUSTER_IDENTIFIER}?accountId=${SPOTINST_ACCOUNT}"),
        ("Header", "Authorization Bearer ${SPOTINST_TOKEN}"),
        ("Retry_Limit", "no_retries"),
    ]
    nested = [("Operation", " nest"), ("Wildcard", "  *"), ("Nest_Under", "log")]
    return "\n".join(
        [
            _section("SERVICE", [("Parsers_File", "parsers.conf"), ("Flush", "60"), ("Daemon", "Off")], width=12),
            _section("INPUT", source, width=15),
            _filter("modify", [("Add", "       ctrlPod ${POD_NAMESPACE}/${POD_NAME}")]),
            *(_filter("modify", lines, comment) for comment, lines in _RENAMED),
            _filter("nest", nested, "nest all fields under log key"),
            _section(
                "FILTER",
                [("Name", "Lua"), ("Match", "*"), ("call", "parse"), ("code", _TO_TEXT)],
                "stringify log field",
            ),
            _section("OUTPUT", target, width=11),
        ]
    )


def parsers() -> str:
    """How it reads the controller's logs."""
    return _section("PARSER", [("Name", "json"), ("Format", "json")], width=11)
