# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A Galaxy on loopback that has one collection: as much of its API (v3) as ansible-galaxy asks to install it."""

from __future__ import annotations

import contextlib
import hashlib
import http.server
import json
import pathlib
import tarfile
import threading
from collections.abc import Iterator
from typing import Any


def _answers(tarball: pathlib.Path, url: str) -> dict[str, Any]:
    """Path below the API -> what it answers: that of a collection, of its versions, and of the one that there is."""
    with tarfile.open(tarball) as archive:
        manifest = archive.extractfile("MANIFEST.json")
        assert manifest
        info = json.load(manifest)["collection_info"]
    version = info["version"]
    collection = f"v3/collections/{info['namespace']}/{info['name']}/"
    href = f"/api/{collection}versions/{version}/"
    return {
        "": {"available_versions": {"v3": "v3/"}},
        collection: {
            "namespace": info["namespace"],
            "name": info["name"],
            "highest_version": {"version": version, "href": href},
            "versions_url": f"/api/{collection}versions/",
        },
        f"{collection}versions/": {
            "meta": {"count": 1},
            "links": {"next": None},
            "data": [{"version": version, "href": href}],
        },
        f"{collection}versions/{version}/": {
            "namespace": {"name": info["namespace"]},
            "collection": {"name": info["name"]},
            "href": href,
            "version": version,
            "download_url": f"{url}{tarball.name}",
            "artifact": {
                "filename": tarball.name,
                "sha256": hashlib.sha256(tarball.read_bytes()).hexdigest(),
                "size": tarball.stat().st_size,
            },
            "metadata": {"dependencies": info["dependencies"]},
            "signatures": [],
        },
    }


@contextlib.contextmanager
def serving(tarball: pathlib.Path) -> Iterator[dict[str, str]]:
    """Serve it until the end of the block; what the environment of ansible-galaxy needs to ask this Galaxy alone."""
    answers: dict[str, Any] = {}

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = self.path.partition("?")[0].removeprefix("/api/")
            content = tarball.read_bytes() if path == tarball.name else b""
            if path in answers:
                content = json.dumps(answers[path]).encode()
            self.send_response(200 if content else 404)
            self.send_header("Content-Type", "application/json" if path in answers else "application/gzip")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_arguments: object) -> None:
            """Nothing."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        url = f"http://127.0.0.1:{server.server_port}/api/"
        answers.update(_answers(tarball, url))
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        try:
            yield {"ANSIBLE_GALAXY_SERVER_LIST": "loopback", "ANSIBLE_GALAXY_SERVER_LOOPBACK_URL": url}
        finally:
            server.shutdown()
