# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import json

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.bootstrap import (
    API_VERSION,
    Answer,
    MessageError,
    Request,
)


def test_a_request_has_the_fields_of_kops():
    text = Request({"kubelet": "KEY"}, "abc").text()
    assert json.loads(text) == {
        "apiVersion": "bootstrap.kops.k8s.io/v1alpha1",
        "certs": {"kubelet": "KEY"},
        "keypairIDs": {},
        "includeNodeConfig": True,
        "nodeConfigHash": "abc",
    }
    assert Request.read(text) == Request({"kubelet": "KEY"}, "abc")
    assert Request.read(Request({"kubelet": "KEY"}).text()) == Request({"kubelet": "KEY"})


def test_what_other_versions_send_stays_what_it_was():
    """Byte for byte: old and new workers ask old and new control planes while a cluster is updated."""
    request = Request({"kubelet": "KEY"}, "abc", {"kubernetes-ca": ("2", "1")})
    sent = (
        b'{"apiVersion": "bootstrap.kops.k8s.io/v1alpha1", "certs": {"kubelet": "KEY"}, "keypairIDs": {}, '
        b'"includeNodeConfig": true, "nodeConfigHash": "abc", "keysets": {"kubernetes-ca": ["2", "1"]}}'
    )
    assert request.text() == sent
    assert Request.read(sent).text() == sent
    answer = Answer({"kubelet": "CERTIFICATE"}, "{}", {"secret/dockerconfig": "e30="})
    got = (
        b'{"certs": {"kubelet": "CERTIFICATE"}, "nodeConfig": {"nodeupConfig": "{}", '
        b'"nodeSecrets": {"secret/dockerconfig": "e30="}}}'
    )
    assert answer.text() == got
    assert Answer.read(got) == answer


def test_an_answer_is_read_as_it_was_written():
    answer = Answer({"kubelet": "CERTIFICATE"}, '{"schema": 1}', {"secret/dockerconfig": "e30="})
    assert Answer.read(answer.text()) == answer
    assert json.loads(answer.text())["nodeConfig"]["nodeupConfig"] == '{"schema": 1}'
    assert Answer.read(b"{}") == Answer()
    assert "e30=" not in repr(answer)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\xff", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[]", "must be a mapping"),
        (b"{}", "apiVersion must be"),
        (json.dumps({"apiVersion": API_VERSION, "certs": ["a"]}).encode(), "certs must be a mapping"),
        (json.dumps({"apiVersion": API_VERSION, "certs": {"a": 1}}).encode(), "certs must be a mapping"),
        (json.dumps({"apiVersion": API_VERSION, "nodeConfigHash": 1}).encode(), "nodeConfigHash must be a text"),
    ],
)
def test_requests_that_are_none(content, said):
    with pytest.raises(MessageError, match=said):
        Request.read(content)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"<html>", "not JSON"),
        (b'{"certs": "a"}', "certs must be a mapping"),
        (b'{"nodeConfig": []}', None),
        (b'{"nodeConfig": "a"}', "nodeConfig must be a mapping"),
        (b'{"nodeConfig": {"nodeupConfig": {"a": 1}}}', "a text"),
        (b'{"nodeConfig": {"nodeSecrets": {"a": null}}}', "nodeSecrets must be a mapping"),
    ],
)
def test_answers_that_are_none(content, said):
    if said is None:
        assert Answer.read(content) == Answer()
        return
    with pytest.raises(MessageError, match=said):
        Answer.read(content)
