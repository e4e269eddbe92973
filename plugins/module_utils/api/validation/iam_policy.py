# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Statements of IAM policies of a role, by the grammar of AWS ("Grammar of the IAM JSON policy language").

kops reads keys in any case, drops those that it does not know, and leaves the rest to AWS.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from ..suggest import did_you_mean
from .problems import Problems, duplicate, forbidden, invalid, not_supported, one_of, required

EFFECTS = ("Allow", "Deny")
# The keys of a statement in a policy of a role, and those that only policies of resources have.
KEYS = ("Sid", "Effect", "Action", "NotAction", "Resource", "NotResource", "Condition")
_OF_RESOURCES = ("Principal", "NotPrincipal")
_EITHER = (("Action", "NotAction"), ("Resource", "NotResource"))
_STATEMENTS = "must be a JSON list of IAM statements"
_SID = re.compile(r"[A-Za-z0-9]*")
_ACTION = re.compile(r"\*|[A-Za-z0-9-]+:[A-Za-z0-9*?]+")
_RESOURCE = re.compile(r"\*|arn:[^:]*:[^:]*:[^:]*:[^:]*:.+|arn:[*?].*", re.DOTALL)
_OPERATORS = (
    *("StringEquals", "StringNotEquals", "StringEqualsIgnoreCase", "StringNotEqualsIgnoreCase", "StringLike"),
    *("StringNotLike", "NumericEquals", "NumericNotEquals", "NumericLessThan", "NumericLessThanEquals"),
    *("NumericGreaterThan", "NumericGreaterThanEquals", "DateEquals", "DateNotEquals", "DateLessThan"),
    *("DateLessThanEquals", "DateGreaterThan", "DateGreaterThanEquals", "Bool", "BinaryEquals", "IpAddress"),
    *("NotIpAddress", "ArnEquals", "ArnLike", "ArnNotEquals", "ArnNotLike", "Null"),
)
_QUALIFIED = re.compile(r"(?:For(?:AllValues|AnyValue):)?(?P<operator>\w+?)(?:IfExists)?")


def validate_statements(text: str, path: str) -> Problems:
    """A user's JSON list of statements."""
    try:
        statements = json.loads(text)
    except ValueError as error:
        return [invalid(path, text, f"{_STATEMENTS}: {error}")]
    if not isinstance(statements, list) or not all(isinstance(statement, dict) for statement in statements):
        return [invalid(path, text, _STATEMENTS)]
    found: Problems = []
    sids: list[str] = []
    for index, statement in enumerate(statements):
        at, known = f"{path}[{index}]", _spelled(statement)
        if "Effect" in known and not isinstance(known["Effect"], str):
            found.append(invalid(path, text, f"{_STATEMENTS}, whose Effect is Allow or Deny"))
            continue
        found += _validate_statement(statement, known, at)
        sid = str(known.get("Sid") or "")
        if sid and sid in sids:
            found.append(duplicate(f"{at}.Sid", sid, "is the Sid of another statement, too"))
        sids.append(sid)
    return found


def _spelled(statement: Mapping[str, Any]) -> dict[str, Any]:
    """The statement with its known keys as IAM spells them."""
    spelling = {key.lower(): key for key in (*KEYS, *_OF_RESOURCES)}
    return {spelling.get(key.lower(), key): value for key, value in statement.items()}


def _validate_statement(statement: Mapping[str, Any], known: Mapping[str, Any], path: str) -> Problems:
    found: Problems = []
    for key in statement:
        spelled = next((each for each in (*KEYS, *_OF_RESOURCES) if each.lower() == key.lower()), "")
        if not spelled:
            message = f"is no key of a statement; these are {', '.join(KEYS)}{did_you_mean(key, KEYS)}"
            found.append(invalid(path, key, message))
        elif spelled in _OF_RESOURCES:
            found.append(forbidden(f"{path}.{spelled}", "is for policies of resources; here the role is the principal"))
    if not known.get("Effect"):
        found.append(required(f"{path}.Effect", "a statement needs an Effect, Allow or Deny"))
    else:
        found += one_of(f"{path}.Effect", known["Effect"], EFFECTS)
    if "Sid" in known and not (isinstance(known["Sid"], str) and _SID.fullmatch(known["Sid"])):
        found.append(invalid(f"{path}.Sid", known["Sid"], "must have letters and digits only"))
    for pair, form, example in zip(_EITHER, (_ACTION, _RESOURCE), ("s3:GetObject", "arn:aws:s3:::bucket/*")):
        found += _validate_either(known, pair, form, example, path)
    if "Condition" in known:
        found += _validate_condition(known["Condition"], f"{path}.Condition")
    return found


def _validate_either(
    known: Mapping[str, Any], pair: tuple[str, str], form: re.Pattern[str], example: str, path: str
) -> Problems:
    given = [key for key in pair if known.get(key)]
    if not given:
        return [required(f"{path}.{pair[0]}", f"a statement needs {' or '.join(pair)}")]
    if len(given) > 1:
        return [forbidden(f"{path}.{pair[1]}", f"a statement has {' or '.join(pair)}, not both")]
    value = known[given[0]]
    texts = value if isinstance(value, list) else [value]
    return [
        invalid(f"{path}.{given[0]}", text, f"must be *, or a text such as {example}")
        for text in texts
        if not (isinstance(text, str) and form.fullmatch(text))
    ]


def _validate_condition(condition: Any, path: str) -> Problems:
    if not isinstance(condition, dict):
        return [invalid(path, condition, "must be an object: operator -> key -> value")]
    found: Problems = []
    for operator, keys in condition.items():
        match = _QUALIFIED.fullmatch(operator)
        # IAM takes operators in any case.
        if match is None or match["operator"].lower() not in {each.lower() for each in _OPERATORS}:
            found.append(not_supported(path, operator, _OPERATORS))
        elif not isinstance(keys, dict) or not keys:
            found.append(invalid(f"{path}.{operator}", keys, "must be an object: key -> value, or a list of values"))
    return found
