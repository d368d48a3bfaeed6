"""This machine, as far as it decides which wheel fits: Python, platform, driver, installed torch.

It knows where a machine says these things; it must not know what follows from them. Nothing here imports torch or runs
a program.
"""

from __future__ import annotations

import ctypes
import os
import platform
import re
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_ARCH = {"amd64": "x86_64", "x64": "x86_64", "arm64": "aarch64", "x86": "i686", "i386": "i686", "i586": "i686"}
_OS = {"linux": "linux", "win32": "windows", "cygwin": "windows", "darwin": "macos", "emscripten": "emscripten"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """What a machine is; None is unknown, and then asks nothing."""

    python: str | None = None
    """``3.12``, ``3.13t``, ``pp310``."""
    os: str | None = None
    """A name of the surface; ``musllinux`` where the C library is musl."""
    arch: str | None = None
    glibc: str | None = None
    driver_cuda: str | None = None
    """Newest CUDA version that the NVIDIA driver runs."""
    torch: str | None = None
    """Version of the torch that the active environment holds."""

    def describe(self) -> str:
        """The machine in one line."""
        facts = [
            f"Python {self.python or 'unknown'}",
            f"{self.os or 'unknown system'} {self.arch or ''}".strip(),
            f"glibc {self.glibc}" if self.glibc else "",
            f"driver for CUDA {self.driver_cuda}" if self.driver_cuda else "no NVIDIA driver found",
            f"torch {self.torch}" if self.torch else "no torch installed",
        ]
        return ", ".join(fact for fact in facts if fact)


def probe_machine(environ: Mapping[str, str]) -> Machine:
    """Look at this machine; the active environment (virtual or conda) counts before the one that runs wheelfind.

    Args:
        environ: the process environment.
    """
    packages = _active_packages(environ)
    glibc = _glibc()
    system = _OS.get(sys.platform)
    return Machine(
        python=_python_of(packages) or _own_python(),
        os="musllinux" if system == "linux" and glibc is None else system,
        arch=_ARCH.get(platform.machine().lower(), platform.machine().lower()) or None,
        glibc=glibc,
        driver_cuda=_driver_cuda(),
        torch=_torch_in(packages or Path(sysconfig.get_path("purelib"))),
    )


def _active_packages(environ: Mapping[str, str]) -> Path | None:
    """The folder of installed packages of the environment that the user activated; None when there is none."""
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        prefix = environ.get(name)
        if prefix and Path(prefix).resolve() != Path(sys.prefix).resolve():
            for folder in sorted(Path(prefix).glob("lib/python3.*/site-packages")):
                return folder
    return None


def _python_of(packages: Path | None) -> str | None:
    if packages is None:
        return None
    match = re.fullmatch(r"python(3\.\d+t?)", packages.parent.name)
    return match[1] if match else None


def _own_python() -> str:
    major, minor = sys.version_info[:2]
    if sys.implementation.name == "pypy":
        return f"pp{major}{minor}"
    return f"{major}.{minor}{'t' if sysconfig.get_config_var('Py_GIL_DISABLED') else ''}"


def _glibc() -> str | None:
    try:
        said = os.confstr("CS_GNU_LIBC_VERSION") or ""
    except (AttributeError, ValueError, OSError):
        return None
    match = re.fullmatch(r"glibc (\d+\.\d+)\S*", said)
    return match[1] if match else None


def _driver_cuda() -> str | None:
    # cuDriverGetVersion (CUDA driver API): 1000 * major + 10 * minor; it needs no cuInit and no GPU.
    try:
        driver = ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
        version = ctypes.c_int(0)
        failed = driver.cuDriverGetVersion(ctypes.byref(version))
    except (OSError, AttributeError):
        return None
    return None if failed or version.value < 1000 else f"{version.value // 1000}.{version.value % 1000 // 10}"  # noqa: PLR2004 - CUDA 1.0


def _torch_in(packages: Path) -> str | None:
    # The folder's name is what the installer recorded (the "dist-info" rule of PEP 376): nothing is imported.
    names = (re.fullmatch(r"torch-(.+)\.dist-info", folder.name) for folder in packages.glob("torch-*.dist-info"))
    return next((name[1] for name in names if name), None)
