# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What an instance asks of Auto Scaling. Moto does not know lifecycle actions, so a server here answers as AWS does."""

from __future__ import annotations

import http.server
import threading
import urllib.parse
from collections.abc import Iterator

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.node.aws.instance import AWSInstance
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.xml_service import ServiceError

GROUP, HOOK = "nodes.demo.example.com", "kops-warmpool"
STATE = "meta-data/autoscaling/target-lifecycle-state"
XMLNS = "http://autoscaling.amazonaws.com/doc/2011-01-01/"


class Autoscaling(http.server.BaseHTTPRequestHandler):
    """hooks: of the group. waits: whether an action is active. asked: forms. failures: of the next answers."""

    hooks: list[str] = []
    waits = True
    asked: list[dict[str, str]] = []
    failures: list[tuple[int, str]] = []

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        form = dict(urllib.parse.parse_qsl(body))
        self.asked.append(form)
        assert "/us-east-1/autoscaling/aws4_request" in self.headers["Authorization"]
        if self.failures:
            self.fail(*self.failures.pop(0))
        elif form["Action"] == "DescribeLifecycleHooks":
            found = [name for name in self.hooks if name == form["LifecycleHookNames.member.1"]]
            members = "".join(f"<member><LifecycleHookName>{name}</LifecycleHookName></member>" for name in found)
            self.answer(
                f"<DescribeLifecycleHooksResult><LifecycleHooks>{members}</LifecycleHooks>"
                "</DescribeLifecycleHooksResult>"
            )
        elif self.waits:
            type(self).waits = False
            self.answer("<CompleteLifecycleActionResult/>")
        else:
            self.fail(400, "ValidationError")

    def answer(self, content: str, status: int = 200) -> None:
        text = f'<Response xmlns="{XMLNS}">{content}</Response>'.encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def fail(self, status: int, code: str) -> None:
        message = "No active Lifecycle Action found with instance ID i-0123456789abcdef0"
        self.answer(f"<Error><Type>Sender</Type><Code>{code}</Code><Message>{message}</Message></Error>", status)

    def log_message(self, *_arguments: object) -> None:
        """Nothing."""


@pytest.fixture()
def autoscaling(service, aws, monkeypatch) -> Iterator[type[Autoscaling]]:
    handler = type("Handler", (Autoscaling,), {"hooks": [HOOK], "asked": [], "failures": []})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        monkeypatch.setenv("AWS_ENDPOINT_URL_AUTOSCALING", f"http://127.0.0.1:{server.server_port}")
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        yield handler
        server.shutdown()


@pytest.mark.parametrize(
    ("state", "is_prepared"), [("Warmed:Stopped", True), ("Warmed:Running", True), ("InService", False), ("", False)]
)
def test_the_metadata_say_where_an_instance_goes(service, state, is_prepared):
    if state:
        service.paths[STATE] = state
    assert AWSInstance().is_prepared() is is_prepared


def test_the_action_is_completed(autoscaling):
    assert AWSInstance().tell_group(GROUP, HOOK) is True
    assert autoscaling.asked[-1] == {
        "Action": "CompleteLifecycleAction",
        "Version": "2011-01-01",
        "AutoScalingGroupName": GROUP,
        "LifecycleHookName": HOOK,
        "InstanceId": "i-0123456789abcdef0",
        "LifecycleActionResult": "CONTINUE",
    }


def test_a_group_that_does_not_wait_needs_nothing(autoscaling):
    """At a reboot no action is active; of a hook that is gone none will be."""
    AWSInstance().tell_group(GROUP, HOOK)
    assert AWSInstance().tell_group(GROUP, HOOK) is False
    autoscaling.hooks.clear()
    autoscaling.asked.clear()
    assert AWSInstance().tell_group(GROUP, HOOK) is False
    assert [form["Action"] for form in autoscaling.asked] == ["DescribeLifecycleHooks"]


def test_other_refusals_are_errors_and_throttling_is_not(autoscaling):
    autoscaling.failures[:] = [(400, "Throttling"), (503, "ServiceUnavailable")]
    assert AWSInstance().tell_group(GROUP, HOOK) is True
    autoscaling.failures[:] = [(403, "AccessDenied")]
    with pytest.raises(ServiceError, match="AccessDenied"):
        AWSInstance().tell_group(GROUP, HOOK)
