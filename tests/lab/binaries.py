# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lab's binaries, built from Go modules: pinned by modules/NAME/go.mod and go.sum, built once, kept in the cache.

They are only rebuilt if a module file, a recipe or the Go version changes.
"""

from __future__ import annotations

import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ansible_collections.kubeops.kops.tests.lab import cache

MODULES = pathlib.Path(__file__).parent / "modules"
# Of this machine, by Kubernetes' name.
ARCHITECTURE = {"aarch64": "arm64"}.get(platform.machine(), "amd64")
STATIC = "-s -w -extldflags -static"


@dataclass(frozen=True)
class Recipe:
    """How one module's programs are built.

    packages: name of the program -> its package. linker, tags: for go build. cgo: with a C compiler, linked statically.
    """

    module: str
    packages: Mapping[str, str]
    linker: str = "-s -w"
    tags: str = ""
    cgo: bool = False
    needs_seccomp: bool = False
    environment: Mapping[str, str] = field(default_factory=dict)


def _kubernetes(version: str) -> Recipe:
    """Kubernetes' own build stamps its version into the programs; the API server and kubectl show it."""
    minor = version.split(".")[1]
    stamp = {
        "gitVersion": f"v{version}",
        "gitMajor": "1",
        "gitMinor": minor,
        "gitCommit": "0" * 40,
        "gitTreeState": "clean",
        "buildDate": "2026-01-01T00:00:00Z",
    }
    flags = " ".join(f"-X k8s.io/component-base/version.{name}={value}" for name, value in stamp.items())
    names = (
        "kubectl",
        "kube-scheduler",
        "kube-proxy",
        "kube-controller-manager",
        "kube-apiserver",
        "kubelet",
        "kubeadm",
    )
    packages = {name: f"k8s.io/kubernetes/cmd/{name}" for name in names}
    return Recipe(f"kubernetes-1.{minor}", packages, linker=f"-s -w {flags}")


_CNI = "github.com/containernetworking/plugins/plugins"
_CONTAINERD = "github.com/containerd/containerd/v2/cmd"
_CLOUD_PROVIDER_AWS = "k8s.io/cloud-provider-aws/cmd"

# What is built here is not what the publishers built: it has other checksums, and therefore versions of its own.
BUILD = "-lab"
KUBERNETES = {"1.34": f"1.34.4{BUILD}", "1.33": f"1.33.13{BUILD}"}
NEWEST = "1.34"
VERSIONS = {
    "etcd": "3.6.16",
    "containerd": f"2.1.9{BUILD}",
    "runc": f"1.4.3{BUILD}",
    "cni-plugins": f"1.9.1{BUILD}",
    "coredns": "1.12.1",
    "flannel": "0.28.10",
    "pause": "3.10.1",
    "agnhost": "2.56",
    "cilium": "1.18.5",
    "metallb": "0.16.1",
}

RECIPES = {
    recipe.module: recipe
    for recipe in (
        # The module's own program, see there.
        Recipe("auth-provider-gcp", {"auth-provider-gcp": "."}),
        Recipe("crane", {"crane": "github.com/google/go-containerregistry/cmd/crane"}),
        Recipe("registry", {"registry": "github.com/distribution/distribution/v3/cmd/registry"}),
        Recipe(
            "etcd",
            {
                "etcd": "go.etcd.io/etcd/server/v3",
                "etcdctl": "go.etcd.io/etcd/etcdctl/v3",
                "etcdutl": "go.etcd.io/etcd/etcdutl/v3",
            },
        ),
        Recipe(
            "containerd",
            {name: f"{_CONTAINERD}/{name}" for name in ("containerd", "containerd-shim-runc-v2", "ctr")},
            linker=f"-s -w -X github.com/containerd/containerd/v2/version.Version=v{VERSIONS['containerd']}",
        ),
        Recipe(
            "runc",
            {"runc": "github.com/opencontainers/runc"},
            linker=f"{STATIC} -X main.version={VERSIONS['runc']}",
            tags="netgo osusergo seccomp",
            cgo=True,
            needs_seccomp=True,
        ),
        Recipe(
            "cni-plugins",
            {
                "bridge": f"{_CNI}/main/bridge",
                "loopback": f"{_CNI}/main/loopback",
                "ptp": f"{_CNI}/main/ptp",
                "host-local": f"{_CNI}/ipam/host-local",
                "portmap": f"{_CNI}/meta/portmap",
                "firewall": f"{_CNI}/meta/firewall",
                "bandwidth": f"{_CNI}/meta/bandwidth",
            },
        ),
        # The last version of the plugins that holds flannel's; it has no go.mod of its own that is current.
        Recipe("cni-flannel", {"flannel": f"{_CNI}/meta/flannel"}),
        Recipe(
            "flannel",
            {
                "flanneld": "github.com/flannel-io/flannel",
                "install-conf": "github.com/flannel-io/flannel/cmd/install_conf",
            },
            linker=f"{STATIC} -X github.com/flannel-io/flannel/pkg/version.Version=v{VERSIONS['flannel']}",
            tags="netgo osusergo",
            cgo=True,
        ),
        Recipe("coredns", {"coredns": "github.com/coredns/coredns"}),
        # Its libraries, and those of the cloud controller manager, have the versions that Kubernetes 1.34 has.
        Recipe(
            "ecr-credential-provider", {"ecr-credential-provider": f"{_CLOUD_PROVIDER_AWS}/ecr-credential-provider"}
        ),
        Recipe("go-runner", {"go-runner": "."}),
        Recipe("agnhost", {"agnhost": "k8s.io/kubernetes/test/images/agnhost"}),
        *(_kubernetes(version) for version in KUBERNETES.values()),
    )
}

_CERT_MANAGER, _CILIUM = "github.com/cert-manager/cert-manager/cmd", "github.com/cilium/cilium"
_CSI, _METALLB = "github.com/kubernetes-csi", "go.universe.tf/metallb"
# Programs of single addons, which only the tests of these addons need.
ADDON_RECIPES = {
    recipe.module: recipe
    for recipe in (
        Recipe(
            "aws-cloud-controller-manager",
            {"aws-cloud-controller-manager": f"{_CLOUD_PROVIDER_AWS}/aws-cloud-controller-manager"},
        ),
        Recipe(
            "cert-manager",
            {
                # The module's own program: upstream's controller, see there.
                "cert-manager-controller": ".",
                "cert-manager-webhook": f"{_CERT_MANAGER}/webhook",
                "cert-manager-cainjector": f"{_CERT_MANAGER}/cainjector",
            },
        ),
        Recipe(
            "cilium",
            {
                "cilium-agent": f"{_CILIUM}/daemon",
                "cilium-dbg": f"{_CILIUM}/cilium-dbg",
                "cilium-cni": f"{_CILIUM}/plugins/cilium-cni",
                "cilium-health-responder": f"{_CILIUM}/cilium-health/responder",
                "cilium-mount": f"{_CILIUM}/tools/mount",
                "cilium-sysctlfix": f"{_CILIUM}/tools/sysctlfix",
                "cilium-operator": f"{_CILIUM}/operator",
            },
            # The agent asks its programs for the version, and reads three words.
            linker=f'-s -w -X "{_CILIUM}/pkg/version.ciliumVersion={VERSIONS["cilium"]} lab 2026-01-01T00:00:00Z"',
            # Where the operator can get addresses of pods from. kops' operator knows all clouds, and gets flags of AWS.
            tags="osusergo ipam_provider_operator ipam_provider_aws",
        ),
        # Containers beside the drivers of volumes. The registrar is the module's own program, see there.
        Recipe("csi-attacher", {"csi-attacher": f"{_CSI}/external-attacher/v4/cmd/csi-attacher"}),
        Recipe("csi-node-driver-registrar", {"csi-node-driver-registrar": "."}),
        Recipe("csi-provisioner", {"csi-provisioner": f"{_CSI}/external-provisioner/v5/cmd/csi-provisioner"}),
        Recipe("csi-resizer", {"csi-resizer": f"{_CSI}/external-resizer/v2/cmd/csi-resizer"}),
        # The module's own program, see there.
        Recipe("gce-cloud-controller-manager", {"gce-cloud-controller-manager": "."}),
        Recipe(
            "gce-pd-csi-driver",
            {"gce-pd-csi-driver": "sigs.k8s.io/gcp-compute-persistent-disk-csi-driver/cmd/gce-pd-csi-driver"},
            linker="-s -w -X main.version=v1.28.1",
        ),
        # What users install charts with.
        Recipe("helm", {"helm": "helm.sh/helm/v3/cmd/helm"}),
        # The module's own program, see there.
        Recipe("livenessprobe", {"livenessprobe": "."}),
        Recipe("local-path-provisioner", {"local-path-provisioner": "github.com/rancher/local-path-provisioner"}),
        Recipe("metallb", {"metallb-controller": f"{_METALLB}/controller", "metallb-speaker": f"{_METALLB}/speaker"}),
        Recipe("metrics-server", {"metrics-server": "sigs.k8s.io/metrics-server/cmd/metrics-server"}),
        Recipe(
            "openstack-cloud-controller-manager",
            {
                "openstack-cloud-controller-manager": (
                    "k8s.io/cloud-provider-openstack/cmd/openstack-cloud-controller-manager"
                )
            },
        ),
        # The module's own program, see there.
        Recipe("server-cloud-controller-manager", {"server-cloud-controller-manager": "."}),
        Recipe(
            "snapshot-controller",
            {"snapshot-controller": f"{_CSI}/external-snapshotter/v8/cmd/snapshot-controller"},
        ),
    )
}

# Programs that only tests outside of the lab's hosts start: services of clouds, made by others.
SERVICE_RECIPES = {
    recipe.module: recipe
    for recipe in (
        Recipe("fake-gcs-server", {"fake-gcs-server": "github.com/fsouza/fake-gcs-server"}),
        # The module's own program, see there.
        Recipe("vsphere-simulator", {"vsphere-simulator": "."}),
    )
}


def go_version() -> str:
    """The Go that builds. Raises SystemExit when there is none."""
    if not shutil.which("go"):
        raise SystemExit("script/lab builds Kubernetes from its Go modules and needs Go 1.25 or newer on the PATH")
    return subprocess.run(["go", "version"], check=True, capture_output=True, text=True).stdout


def build(recipe: Recipe) -> pathlib.Path:
    """The directory with a recipe's programs, built if it is not in the cache."""
    source = MODULES / recipe.module
    files = [path.read_bytes() for path in sorted(source.iterdir())]
    key = cache.key_of(repr(recipe), go_version(), *files)
    target = cache.directory() / "bin" / recipe.module / key
    with cache.locked(f"build-{recipe.module}"):
        if target.is_dir():
            return target
        started = time.monotonic()
        print(f"building {recipe.module} ...", file=sys.stderr, flush=True)
        partial = target.with_suffix(".partial")
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        environment = {**os.environ, "GOFLAGS": "-mod=readonly", "CGO_ENABLED": str(int(recipe.cgo))}
        if recipe.needs_seccomp:
            environment.update(_seccomp())
        # All at once: what one program's linker leaves idle, another one's compiler uses.
        command = ["go", "build", "-trimpath", "-ldflags", recipe.linker, "-tags", recipe.tags, "-o", f"{partial}/"]
        subprocess.run([*command, *recipe.packages.values()], cwd=source, env=environment, check=True)
        for name, package in recipe.packages.items():
            (partial / _named_by_go(package, source)).rename(partial / name)
        partial.rename(target)
        print(f"built {recipe.module} in {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)
    return target


def _named_by_go(package: str, module: pathlib.Path) -> str:
    """What Go calls a package's program: the last part of its path that is no version."""
    *_others, before, last = ["", "", *package.split("/")]
    if package == ".":
        return module.name
    return before if re.fullmatch(r"v[0-9]+", last) else last


def _seccomp() -> dict[str, str]:
    """Debian's static libseccomp for the linker, unpacked into the cache; nothing is installed."""
    command = ["apt-get", "download", "libseccomp-dev", "libseccomp2"]
    target = cache.unpacked("libseccomp", lambda directory: subprocess.run(command, cwd=directory, check=True))
    (library,) = target.glob("usr/lib/*-linux-gnu/libseccomp.a")
    return {
        # libseccomp has no pkg-config file for static linking here: say where it is instead.
        "PKG_CONFIG": "/bin/true",
        "CGO_CFLAGS": f"-I{target / 'usr/include'}",
        "CGO_LDFLAGS": f"-L{library.parent} -lseccomp",
    }


def pause() -> pathlib.Path:
    """The sandbox's program: it waits, and reaps what is left over."""
    source = pathlib.Path(__file__).with_name("pause.c")
    target = cache.directory() / "bin" / "pause" / cache.key_of(source.read_bytes()) / "pause"
    with cache.locked("build-pause"):
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            partial = target.with_suffix(".partial")
            subprocess.run(["gcc", "-O2", "-static", "-s", "-o", str(partial), str(source)], check=True)
            partial.rename(target)
    return target


def build_all(minors: tuple[str, ...] = tuple(KUBERNETES)) -> dict[str, pathlib.Path]:
    """Build everything, with Kubernetes of these versions: program -> path; Kubernetes' are named "1.34/kubelet"."""
    programs = {"pause": pause()}
    for name, recipe in RECIPES.items():
        prefix = name.partition("kubernetes-")[2]
        if not prefix or prefix in minors:
            found = build(recipe)
            programs.update(
                {f"{prefix}/{program}" if prefix else program: found / program for program in recipe.packages}
            )
    for recipe in SERVICE_RECIPES.values():
        build(recipe)
    return programs


def build_addons(addons: Iterable[str]) -> dict[str, pathlib.Path]:
    """Build the programs of these addons: program -> path."""
    built = {name: build(ADDON_RECIPES[name]) for name in addons}
    return {program: path / program for name, path in built.items() for program in ADDON_RECIPES[name].packages}
