# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The metrics of GPUs that the DCGM exporter collects: the file that NVIDIA includes for data centres."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Metric:
    """A field of DCGM as a metric of Prometheus. used: others stand in the file as comments."""

    name: str
    kind: Literal["gauge", "counter"]
    help: str
    used: bool = True


def _gauge(name: str, text: str, *, used: bool = True) -> Metric:
    return Metric(name, "gauge", text, used)


def _counter(name: str, text: str, *, used: bool = True) -> Metric:
    return Metric(name, "counter", text, used)


def _violation(name: str, reason: str) -> Metric:
    return _counter(f"DEV_{name}_VIOLATION", f"Throttling duration due to {reason} (in us).", used=False)


def _ecc(place: str, kind: str) -> Metric:
    bits, keeping = {"S": "single", "D": "double"}[place], {"VOL": "volatile", "AGG": "persistent"}[kind]
    text = f"Total number of {bits}-bit {keeping} ECC errors."
    return _counter(f"DEV_ECC_{place}BE_{kind}_TOTAL", text, used=False)


def _nvlink(name: str, kind: str) -> Metric:
    return _counter(f"DEV_NVLINK_{name}_ERROR_COUNT_TOTAL", f"Total number of NVLink {kind}.", used=False)


_HEADER = (
    "# Format",
    "# If line starts with a '#' it is considered a comment",
    "# DCGM FIELD, Prometheus metric type, help message",
)
_SECTIONS = {
    "Clocks": (
        _gauge("DEV_SM_CLOCK", "SM clock frequency (in MHz)."),
        _gauge("DEV_MEM_CLOCK", "Memory clock frequency (in MHz)."),
    ),
    "Temperature": (
        _gauge("DEV_MEMORY_TEMP", "Memory temperature (in C)."),
        _gauge("DEV_GPU_TEMP", "GPU temperature (in C)."),
    ),
    "Power": (
        _gauge("DEV_POWER_USAGE", "Power draw (in W)."),
        _counter("DEV_TOTAL_ENERGY_CONSUMPTION", "Total energy consumption since boot (in mJ)."),
    ),
    "PCIE": (
        _counter(
            "DEV_PCIE_TX_THROUGHPUT", "Total number of bytes transmitted through PCIe TX (in KB) via NVML.", used=False
        ),
        _counter(
            "DEV_PCIE_RX_THROUGHPUT", "Total number of bytes received through PCIe RX (in KB) via NVML.", used=False
        ),
        _counter("DEV_PCIE_REPLAY_COUNTER", "Total number of PCIe retries."),
    ),
    "Utilization (the sample period varies depending on the product)": (
        _gauge("DEV_GPU_UTIL", "GPU utilization (in %)."),
        _gauge("DEV_MEM_COPY_UTIL", "Memory utilization (in %)."),
        _gauge("DEV_ENC_UTIL", "Encoder utilization (in %)."),
        # The space is in the file.
        _gauge("DEV_DEC_UTIL ", "Decoder utilization (in %)."),
    ),
    "Errors and violations": (
        _gauge("DEV_XID_ERRORS", "Value of the last XID error encountered."),
        _violation("POWER", "power constraints"),
        _violation("THERMAL", "thermal constraints"),
        _violation("SYNC_BOOST", "sync-boost constraints"),
        _violation("BOARD_LIMIT", "board limit constraints"),
        _violation("LOW_UTIL", "low utilization"),
        _violation("RELIABILITY", "reliability constraints"),
    ),
    "Memory usage": (
        _gauge("DEV_FB_FREE", "Framebuffer memory free (in MiB)."),
        _gauge("DEV_FB_USED", "Framebuffer memory used (in MiB)."),
    ),
    "ECC": tuple(_ecc(place, kind) for kind in ("VOL", "AGG") for place in "SD"),
    "Retired pages": (
        _counter("DEV_RETIRED_SBE", "Total number of retired pages due to single-bit errors.", used=False),
        _counter("DEV_RETIRED_DBE", "Total number of retired pages due to double-bit errors.", used=False),
        _counter("DEV_RETIRED_PENDING", "Total number of pages pending retirement.", used=False),
    ),
    "NVLink": (
        _nvlink("CRC_FLIT", "flow-control CRC errors"),
        _nvlink("CRC_DATA", "data CRC errors"),
        _nvlink("REPLAY", "retries"),
        _nvlink("RECOVERY", "recovery errors"),
        _counter("DEV_NVLINK_BANDWIDTH_TOTAL", "Total number of NVLink bandwidth counters for all lanes."),
        _counter(
            "DEV_NVLINK_BANDWIDTH_L0",
            "The number of bytes of active NVLink rx or tx data including both header and payload.",
            used=False,
        ),
    ),
    "VGPU License status": (_gauge("DEV_VGPU_LICENSE_STATUS", "vGPU License status"),),
    "Remapped rows": (
        _counter("DEV_UNCORRECTABLE_REMAPPED_ROWS", "Number of remapped rows for uncorrectable errors"),
        _counter("DEV_CORRECTABLE_REMAPPED_ROWS", "Number of remapped rows for correctable errors"),
        _gauge("DEV_ROW_REMAP_FAILURE", "Whether remapping of rows has failed"),
    ),
    "DCP metrics": (
        _gauge("PROF_GR_ENGINE_ACTIVE", "Ratio of time the graphics engine is active (in %)."),
        _gauge("PROF_SM_ACTIVE", "The ratio of cycles an SM has at least 1 warp assigned (in %).", used=False),
        _gauge("PROF_SM_OCCUPANCY", "The ratio of number of warps resident on an SM (in %).", used=False),
        _gauge("PROF_PIPE_TENSOR_ACTIVE", "Ratio of cycles the tensor (HMMA) pipe is active (in %)."),
        _gauge(
            "PROF_DRAM_ACTIVE",
            "Ratio of cycles the device memory interface is active sending or receiving data (in %).",
        ),
        _gauge("PROF_PIPE_FP64_ACTIVE", "Ratio of cycles the fp64 pipes are active (in %).", used=False),
        _gauge("PROF_PIPE_FP32_ACTIVE", "Ratio of cycles the fp32 pipes are active (in %).", used=False),
        _gauge("PROF_PIPE_FP16_ACTIVE", "Ratio of cycles the fp16 pipes are active (in %).", used=False),
        _counter("PROF_PCIE_TX_BYTES", "The number of bytes of active pcie tx data including both header and payload."),
        _counter("PROF_PCIE_RX_BYTES", "The number of bytes of active pcie rx data including both header and payload."),
    ),
}


# Where the help texts of gauges begin where those of counters do; in the other sections they do not.
_ALIGNED = ("Errors and violations", "Remapped rows")


def metrics_file() -> str:
    """The file as the exporter reads it, with the spaces of the original: kops' text is compared."""
    tables = {title: _table(metrics, title in _ALIGNED) for title, metrics in _SECTIONS.items()}
    parts = ["\n".join(_HEADER), *(f"# {title}\n{table}" for title, table in tables.items())]
    return "\n\n".join(parts) + "\n"


def _table(metrics: tuple[Metric, ...], aligned: bool) -> str:
    names = max(len(metric.name) for metric in metrics) + 1
    kinds = len("counter,") if aligned else 0
    return "\n".join(
        ("" if metric.used else "# ")
        + f"DCGM_FI_{f'{metric.name},':<{names}} {f'{metric.kind},':<{kinds}} {metric.help}"
        for metric in metrics
    )
