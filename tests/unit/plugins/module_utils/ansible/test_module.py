# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How an operation's outcome, or its error, becomes the result of a module; and which parameters it sees."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.ansible.module import Call, given, result_of
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Outcome

CALL = Call({}, {}, check=False)
ARGUMENTS = {"name": {"aliases": ["cluster_name"]}, "wait": {"type": "int"}}


def raising(error: Exception) -> dict[str, object]:
    def operation(_call: Call) -> Outcome:
        raise error

    return result_of(CALL, operation)


def test_an_expected_error_is_its_message() -> None:
    assert raising(KopsError("no such cluster")) == {"failed": True, "msg": "no such cluster"}


def test_an_error_that_ends_with_a_log_has_a_line_besides() -> None:
    error = KopsError("it is not healthy\nits log ends:\nbye")
    error.brief = "it is not healthy; its last words: bye"

    assert raising(error) == {"failed": True, "msg": str(error), "brief": error.brief}


@pytest.mark.parametrize("parameters", [{"state_store": "memfs://kops"}, {"state_store": ""}])
def test_a_store_that_ends_with_the_module(monkeypatch: pytest.MonkeyPatch, parameters: dict[str, str]) -> None:
    monkeypatch.setenv("KOPS_STATE_STORE", "memfs://kops")
    result = result_of(Call({"state_store": {}}, parameters, check=False), lambda call: Outcome())
    assert result["failed"]
    assert "memfs://kops is the memory of one process, for tests; write s3://bucket" in str(result["msg"])


def test_a_missing_library_is_named_as_it_is_installed() -> None:
    result = raising(ImportError("no", name="google.auth.transport"))
    assert result["failed"]
    assert "Failed to import the required Python library (google-auth)" in str(result["msg"])


@pytest.mark.parametrize("error", [ImportError("no", name="kops.nothing"), ValueError("no")])
def test_a_mistake_of_ours_has_its_traceback(error: Exception) -> None:
    with pytest.raises(type(error)):
        raising(error)


def test_empty_text_is_not_given() -> None:
    assert given(ARGUMENTS, {"name": "", "wait": "", "_ansible_tmpdir": ""}) == {"_ansible_tmpdir": ""}


def test_the_text_of_a_list_may_have_spaces_after_its_commas() -> None:
    """As in AWX' surveys, and as people write it; what is in a list already stays as it is."""
    several = {"name": {"type": "str"}, "ranges": {"type": "list", "elements": "str"}}
    assert given(several, {"ranges": "0.0.0.0/0, ::/0", "name": "a, b"}) == {
        "ranges": ["0.0.0.0/0", "::/0"],
        "name": "a, b",
    }
    assert given(several, {"ranges": ["a", " b"]}) == {"ranges": ["a", " b"]}


def test_an_option_counts_before_its_alias() -> None:
    assert given(ARGUMENTS, {"name": "a", "cluster_name": "b"}) == {"name": "a"}
    assert given(ARGUMENTS, {"name": "", "cluster_name": "b"}) == {"cluster_name": "b"}
