# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The images of single addons, which only the tests of these addons need.

They have the tags of the versions that kops installs, whatever versions the module proxy has.
"""

from __future__ import annotations

from collections.abc import Iterable

from ansible_collections.kubeops.kops.tests.lab import binaries, cilium, systems
from ansible_collections.kubeops.kops.tests.lab.google import persistent_disks
from ansible_collections.kubeops.kops.tests.lab.images import Image

_CILIUM, _METALLB = (f"v{binaries.VERSIONS[name]}" for name in ("cilium", "metallb"))
_STORAGE = "registry.k8s.io/sig-storage"
_OPENSTACK = "registry.k8s.io/provider-os"
_SIDECARS_OF_CINDER = (
    "csi-attacher:v4.10.0",
    "csi-node-driver-registrar:v2.15.0",
    "csi-provisioner:v5.3.0",
    "csi-resizer:v1.14.0",
    "csi-snapshotter:v8.4.0",
)
_SIDECARS_OF_DIGITALOCEAN = (
    "csi-attacher:v4.10.0",
    "csi-node-driver-registrar:v2.15.0",
    "csi-provisioner:v6.1.0",
    "csi-resizer:v2.0.0",
    "csi-snapshotter:v8.4.0",
    "snapshot-controller:v8.4.0",
)
_SIDECARS_OF_HETZNER = (
    "csi-attacher:v4.11.0",
    "csi-node-driver-registrar:v2.16.0",
    "csi-provisioner:v6.2.0",
    "csi-resizer:v2.1.0",
)
# Name in binaries.ADDON_RECIPES -> its images.
_IMAGES = {
    "aws-cloud-controller-manager": [
        Image(
            "registry.k8s.io/provider-aws/cloud-controller-manager:v1.36.1",
            {"/bin/aws-cloud-controller-manager": "aws-cloud-controller-manager"},
        )
    ],
    "cert-manager": [
        Image(
            f"quay.io/jetstack/cert-manager-{name}:v1.19.5",
            {f"/app/cmd/{name}/{name}": f"cert-manager-{name}"},
            user=1000,
        )
        for name in ("controller", "webhook", "cainjector")
    ],
    "cilium": [
        Image(f"quay.io/cilium/cilium:{_CILIUM}", cilium.PROGRAMS, system=cilium.system),
        Image(f"quay.io/cilium/operator:{_CILIUM}", {"/usr/bin/cilium-operator": "cilium-operator"}),
    ],
    **{
        name: [Image(f"{_STORAGE}/{name}:{version}", {f"/{name}": name})]
        for name, version in {
            "csi-attacher": "v4.8.1",
            "csi-node-driver-registrar": "v2.13.0",
            "csi-provisioner": "v6.0.0",
            "csi-resizer": "v2.0.0",
        }.items()
    },
    "gce-cloud-controller-manager": [
        Image(
            "registry.k8s.io/cloud-provider-gcp/cloud-controller-manager:v35.0.0",
            {"/cloud-controller-manager": "gce-cloud-controller-manager"},
        )
    ],
    "gce-pd-csi-driver": persistent_disks.IMAGES,
    "local-path-provisioner": [
        Image(
            # The proxy has no newer one than 0.0.30.
            "docker.io/rancher/local-path-provisioner:v0.0.37",
            {"/usr/bin/local-path-provisioner": "local-path-provisioner"},
        ),
        Image("docker.io/library/busybox:1.37.0", {"/pause": "pause"}, system=systems.busybox),
    ],
    "metallb": [
        Image(f"quay.io/metallb/{name}:{_METALLB}", {f"/{name}": f"metallb-{name}"})
        for name in ("controller", "speaker")
    ],
    "metrics-server": [
        Image("registry.k8s.io/metrics-server/metrics-server:v0.8.0", {"/metrics-server": "metrics-server"})
    ],
    "livenessprobe": [
        Image(f"{_STORAGE}/livenessprobe:v2.17.0", {"/livenessprobe": "livenessprobe"}, tags=("v2.18.0",))
    ],
    "openstack-cloud-controller-manager": [
        *(
            Image(
                f"{_OPENSTACK}/openstack-cloud-controller-manager:v{minor}.0",
                {"/bin/openstack-cloud-controller-manager": "openstack-cloud-controller-manager"},
                system=systems.network,
                is_bare=True,
            )
            for minor in binaries.KUBERNETES
        ),
        # Of Cinder's driver there is a stand-in, which makes no volumes.
        *(
            Image(f"{_OPENSTACK}/cinder-csi-plugin:v{minor}.0", {"/bin/cinder-csi-plugin": "pause"}, is_bare=True)
            for minor in binaries.KUBERNETES
        ),
        *(Image(f"{_STORAGE}/{name}", {"/pause": "pause"}) for name in _SIDECARS_OF_CINDER),
    ],
    "server-cloud-controller-manager": [
        Image(
            "hetznercloud/hcloud-cloud-controller-manager:v1.31.0",
            {"/bin/hcloud-cloud-controller-manager": "server-cloud-controller-manager"},
        ),
        Image(
            "digitalocean/digitalocean-cloud-controller-manager:v0.1.45",
            {"/bin/digitalocean-cloud-controller-manager": "server-cloud-controller-manager"},
        ),
        # Of the drivers of volumes there are stand-ins, which make none.
        *(
            Image(name, {"/pause": "pause"})
            for name in (
                "docker.io/hetznercloud/hcloud-csi-driver:v2.20.2",
                "digitalocean/do-csi-plugin:v4.16.0",
                *(f"{_STORAGE}/{each}" for each in sorted({*_SIDECARS_OF_DIGITALOCEAN, *_SIDECARS_OF_HETZNER})),
            )
        ),
        Image("docker.io/alpine:3", {"/pause": "pause"}, system=systems.busybox, is_bare=True),
    ],
    "snapshot-controller": [
        Image(f"{_STORAGE}/snapshot-controller:v6.0.1", {"/snapshot-controller": "snapshot-controller"}),
        # Newer modules have no webhook. This one runs with its certificate, but knows no snapshots, which is ignored.
        Image(f"{_STORAGE}/snapshot-validation-webhook:v6.0.1", {"/agnhost": "agnhost"}, words=("webhook",)),
    ],
}


def images(addons: Iterable[str]) -> list[Image]:
    """The images of these addons; Helm, a recipe beside theirs, has none."""
    return [image for addon in addons for image in _IMAGES.get(addon, ())]
