# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A small server that answers as Google's APIs do, on loopback."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.cloud import ENDPOINTS, GCECloud

PROJECT, REGION = "my-project", "us-east1"


class Google:
    """answers: path below projects/ -> JSON object, list of pages, or (status, JSON object). asked: requests so far."""

    def __init__(self) -> None:
        self.answers: dict[str, object] = {}
        self.asked: list[str] = []

    def answer(self, path: str, query: dict[str, list[str]]) -> tuple[int, object]:
        self.asked.append(path)
        found = self.answers.get(path)
        if isinstance(found, list):
            page = int(query.get("pageToken", ["0"])[0])
            more = {"nextPageToken": str(page + 1)} if page + 1 < len(found) else {}
            return 200, {**found[page], **more}
        if isinstance(found, tuple):
            return found
        return (404, {"error": {"message": f"{path} was not found"}}) if found is None else (200, found)


@pytest.fixture(name="google")
def make_google(monkeypatch):
    """The server, named by gcloud's own variables for other endpoints."""
    google = Google()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            url = urlsplit(self.path)
            status, body = google.answer(url.path.partition("/projects/")[2], parse_qs(url.query))
            data = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *arguments):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    for api, (variable, _endpoint, _below) in ENDPOINTS.items():
        monkeypatch.setenv(variable, f"http://127.0.0.1:{server.server_port}/{api}/v1/")
    yield google
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(name="cloud")
def make_cloud(google):
    """The client, with a session that carries no credentials."""
    session = requests.Session()
    yield GCECloud(REGION, "demo.example.com", PROJECT, session)
    session.close()


@pytest.fixture(name="offline")
def make_offline(monkeypatch, tmp_path):
    """The client on a machine that has no credentials."""
    monkeypatch.delenv("GOOGLE_APPLICATION_CREDENTIALS", raising=False)
    monkeypatch.setenv("CLOUDSDK_CONFIG", str(tmp_path))
    monkeypatch.setenv("NO_GCE_CHECK", "true")
    return GCECloud(REGION, "demo.example.com", PROJECT)
