# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""YAML as kops' library reads and writes it."""

from __future__ import annotations

import builtins
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.yaml import read as yaml_read
from ansible_collections.kubeops.kops.plugins.module_utils.api.yaml.read import read_documents, read_plain
from ansible_collections.kubeops.kops.plugins.module_utils.api.yaml.write import dump_plain
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError, ManifestError

LONG = "word " * 20 + "end"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("yes", True),
        ("y", True),
        ("On", True),
        ("n", False),
        ("OFF", False),
        ("oN", "oN"),
        ("~", None),
        ("Null", None),
        ("12", 12),
        ("0x1F", 31),
        ("0o17", 15),
        ("017", 15),
        ("089", 89.0),
        ("0b101", 5),
        ("1_000", 1000),
        ("-1", -1),
        ("18446744073709551615", 18446744073709551615),
        ("1.5", 1.5),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("1:30", "1:30"),
        ("2016-12-10", "2016-12-10"),
        ("2016-12-10T22:42:27Z", "2016-12-10T22:42:27Z"),
        ("v1.35.0", "v1.35.0"),
        ("'12'", "12"),
        ('"yes"', "yes"),
        ("!!str 12", "12"),
        ("!!int '12'", 12),
        ("!!float 1", 1),
    ],
)
def test_scalars_mean_what_kops_reads(text: str, value: object) -> None:
    assert read_plain(f"a: {text}") == {"a": value}
    assert type(read_plain(f"a: {text}")["a"]) in (type(value), bool, int)


def test_keys_become_text() -> None:
    assert read_plain("1: a\nyes: b\n1.5: c\n2016-12-10: d") == {"1": "a", "true": "b", "1.5": "c", "2016-12-10": "d"}


def test_merge_keys_and_aliases() -> None:
    text = "base: &base {a: 1, b: 1}\nother: &other {b: 2, c: 2}\nboth: {<<: [*base, *other], a: 3}\none: {<<: *base}"
    data = read_plain(text)
    assert data["both"] == {"a": 3, "b": 1, "c": 2}
    assert data["one"] == {"a": 1, "b": 1}


def test_empty_documents_are_skipped_but_counted() -> None:
    documents = read_documents("---\n---\n# nothing\n---\na: 1\n---\n", "f.yaml")
    assert [(document.where, document.data) for document in documents] == [("f.yaml, document 3", {"a": 1})]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: ]", "f.yaml, document 1, line 1, column 4: this is not YAML: "),
        ("a: 1\n---\nb: c: d", "f.yaml, document 2, line 3, column 5: this is not YAML: "),
        ("a: \x00", "f.yaml, document 1: this is not YAML: "),
        (b"a: \xff", "f.yaml, document 1: this is not YAML: "),
        ("x:\n  a: 1\n  b: 1\n  a: 2", "f.yaml, document 1, line 4: x.a: the key is there twice, first in line 2"),
        ("l:\n- {1: a, '1': b}", "f.yaml, document 1, line 2: l[0].1: the key is there twice, first in line 2"),
        ("a: &x [*x]", "f.yaml, document 1, line 1: a[0]: the alias refers to something that it is a part of"),
        ("a: !!binary aGk=", "line 1: a: the tag tag:yaml.org,2002:binary is not allowed in a manifest"),
        ("a: !!int x", "line 1: a: 'x' is not what its tag says"),
        ("a: .nan", "line 1: a: .nan is not a number that a manifest can carry"),
        ("? [1]\n: 2", "line 1: a key has to be text"),
        ("~: 2", "line 1: a key has to be text"),
        ("<<: 1", "line 1: the merge key << needs a mapping or a list of mappings"),
    ],
)
def test_what_is_refused(text: str | bytes, message: str) -> None:
    with pytest.raises(ManifestError) as caught:
        read_documents(text, "f.yaml")
    assert message in str(caught.value)


def test_problems_of_all_documents_are_told() -> None:
    with pytest.raises(ManifestError) as caught:
        read_documents("a: 1\na: 2\n---\nb: .inf\n---\nc: ]")
    assert [line.split(",")[0] for line in str(caught.value).splitlines()] == ["document 1", "document 2", "document 3"]


def test_one_document_only() -> None:
    assert read_plain("") is None
    with pytest.raises(ManifestError, match="document 2: expected one document only"):
        read_plain("a: 1\n---\nb: 1")


def test_a_missing_library_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without_yaml(name: str, *args: Any, **kwargs: Any) -> Any:
        if name == "yaml":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    yaml_read._loader.cache_clear()
    monkeypatch.setattr(builtins, "__import__", without_yaml)
    with pytest.raises(KopsError, match="PyYAML"):
        read_documents("a: 1")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (3, "3"),
        (1.5, "1.5"),
        (3.0, "3"),
        (1e21, "1e+21"),
        (1234567.5, "1.2345675e+06"),
        (0.0001, "0.0001"),
        (0.00001, "1e-05"),
        ("", '""'),
        ("a b", "a b"),
        ("yes", '"yes"'),
        ("12", '"12"'),
        ("1.33", '"1.33"'),
        ("12:30:45", '"12:30:45"'),
        ("2016-12-10", '"2016-12-10"'),
        ("2016-12-10T22:42:27Z", '"2016-12-10T22:42:27Z"'),
        ("2016-13-10", "2016-13-10"),
        ("~", '"~"'),
        ("- a", "'- a'"),
        ("-a", "-a"),
        ("a: b", "'a: b'"),
        ("a:b", "a:b"),
        ("a #b", "'a #b'"),
        ("*", "'*'"),
        ("'a'", "'''a'''"),
        (" a", "' a'"),
        ("---", "'---'"),
        ("[ a", "'[ a'"),
        ("a\tb", '"a\\tb"'),
        ("é", "é"),
        ("\U0001f600", '"\\U0001F600"'),
        ([], "[]"),
        ({}, "{}"),
    ],
)
def test_how_a_value_is_written(value: object, text: str) -> None:
    assert dump_plain({"a": value}) == f"a: {text}\n"
    assert read_plain(dump_plain({"a": value})) == {"a": value}


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a\nb", "a: |-\n  a\n  b\n"),
        ("a\nb\n", "a: |\n  a\n  b\n"),
        ("a\n\n", "a: |+\n  a\n\n"),
        ("\n", "a: |2+\n\n"),
        (" a\nb", "a: |2-\n   a\n  b\n"),
        ("a \nb", 'a: "a \\nb"\n'),
        ("a\n\n  b\n", "a: |\n  a\n\n    b\n"),
    ],
)
def test_how_several_lines_are_written(text: str, written: str) -> None:
    assert dump_plain({"a": text}) == written
    assert read_plain(written) == {"a": text}


@pytest.mark.parametrize(
    "text", [LONG, f"- {LONG}", f"{LONG}\t{LONG}", f"{LONG}: it's {LONG}", LONG.replace(" ", "  ")]
)
def test_long_lines_are_folded_and_read_back(text: str) -> None:
    written = dump_plain({"list": [{"key": text}]})
    assert read_plain(written) == {"list": [{"key": text}]}
    assert ("  " in text) or max(map(len, written.splitlines())) < 90


def test_folding_is_after_the_first_word_beyond_column_80() -> None:
    assert dump_plain({"a": LONG}) == f"a: {'word ' * 15}word\n  word word word word end\n"


def test_keys_are_in_the_librarys_order() -> None:
    keys = ["b", "a", "B", "a10", "a9", "a-b", "ab", "_a", "1", "a09"]
    written = [line.partition(":")[0] for line in dump_plain(dict.fromkeys(keys, "x")).splitlines()]
    assert written == ["_a", '"1"', "B", "a", "a-b", "a9", "a09", "a10", "ab", "b"]


def test_nesting() -> None:
    data = {"m": {"l": [{"a": 1, "b": [1, [2, 3]]}, [], "x"], "e": {}}}
    assert dump_plain(data) == "m:\n  e: {}\n  l:\n  - a: 1\n    b:\n    - 1\n    - - 2\n      - 3\n  - []\n  - x\n"
    assert read_plain(dump_plain(data)) == data


def test_a_long_key_stands_alone() -> None:
    data = {"k" * 129: {"a": ["b"]}, "two\nlines": "x"}
    assert f"? {'k' * 129}\n: a:\n" in dump_plain(data)
    assert read_plain(dump_plain(data)) == data


@pytest.mark.parametrize("value", ["yes", 1, None, [], {}, [1, {"a": 2}], ""])
def test_any_value_can_be_the_document(value: object) -> None:
    assert read_plain(dump_plain(value)) == value


def billion_laughs(first: str, last: str = "") -> str:
    """Eleven levels of nine aliases each."""
    levels = [f"a0: &a0 {first}"]
    levels += [f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]" for level in range(1, 11)]
    return "\n".join([*levels, last])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            billion_laughs("x"),
            "f.yaml, document 1, line 1: more than 500000 values, with each alias as what it stands for",
        ),
        (
            "ok: 1\n---\nb: 1\na: " + "[" * 20_000,
            "f.yaml, document 2, line 4: more than 100 levels of mappings and lists",
        ),
        ("\n".join(["- " * 20_000]), "f.yaml, document 1, line 1: more than 100 levels of mappings and lists"),
        (
            "a: &a " + "[" * 60 + "]" * 60 + "\nb: &b " + "[" * 60 + "*a" + "]" * 60,
            "f.yaml, document 1, line 1: more than 100 levels of mappings and lists",
        ),
        ("[" + "a," * 500_001 + "]", "f.yaml, document 1, line 1: more than 500000 values"),
        (
            f"a: &a {'x' * 2**20}\nb: [{', '.join(['*a'] * 17)}]",
            "f.yaml, document 1, line 1: more than 16 MiB of text, with each alias as what it stands for",
        ),
        ("x" * (2**24 + 1), "f.yaml: more than 16 MiB of text"),
    ],
)
def test_text_that_grows_beyond_every_manifest_is_an_error(text: str, message: str) -> None:
    with pytest.raises(ManifestError) as caught:
        read_documents(text, "f.yaml")
    assert str(caught.value) == message


def test_what_definitions_of_kinds_need_is_within_the_bounds() -> None:
    assert read_plain("[" * 90 + "]" * 90) is not None
    assert len(read_plain("\n".join(f"k{number}: {{a: b}}" for number in range(50_000)))) == 50_000


def test_an_integer_of_any_length_is_read() -> None:
    assert read_plain("a: " + "9" * 5000) == {"a": "9" * 5000}  # as text, like kops: it fits into no number
    assert read_plain("a: 0x" + "f" * 5000) == {"a": "0x" + "f" * 5000}


def test_a_key_with_control_characters_is_an_error() -> None:
    with pytest.raises(ManifestError) as caught:
        read_documents('a:\n  "b\\e": 1', "f.yaml")
    assert str(caught.value) == "f.yaml, document 1, line 2: a: a key has to be text without control characters"
