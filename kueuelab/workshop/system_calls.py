"""Takes from this process the system calls that start processes or open connections.

It is the second of two walls around code that others wrote: `kueuelab.workshop.isolation` is the
first. A filter of system calls (seccomp) can only be set by the process itself, and never be
removed again.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
from collections.abc import Iterable, Mapping
from typing import Final

__all__ = ["forbid_system_calls", "system_call_filter"]

#: The number that the kernel has for each machine, and what its system calls are numbered there.
_MACHINES: Final[Mapping[str, tuple[int, tuple[int, ...]]]] = {
    "x86_64": (
        0xC000003E,
        (
            *(41, 42, 49, 53),  # socket, connect, bind, socketpair
            *(56, 57, 58, 59, 322, 435),  # clone, fork, vfork, execve, execveat, clone3
            *(101, 310, 311, 434, 438),  # ptrace, process_vm_readv, …_writev, pidfd_open, …_getfd
            *(155, 165, 166, 272, 308),  # pivot_root, mount, umount2, unshare, setns
            *(248, 249, 250),  # add_key, request_key, keyctl
            *(298, 319, 321, 323),  # perf_event_open, memfd_create, bpf, userfaultfd
            *(425, 426, 427),  # io_uring_setup, …_enter, …_register
        ),
    ),
    "aarch64": (
        0xC00000B7,
        (
            *(198, 199, 200, 203),  # socket, socketpair, bind, connect
            *(220, 221, 281, 435),  # clone, execve, execveat, clone3
            *(117, 270, 271, 434, 438),  # ptrace, process_vm_readv, …_writev, pidfd_open, …_getfd
            *(39, 40, 41, 97, 268),  # umount2, mount, pivot_root, unshare, setns
            *(217, 218, 219),  # add_key, request_key, keyctl
            *(241, 279, 280, 282),  # perf_event_open, memfd_create, bpf, userfaultfd
            *(425, 426, 427),  # io_uring_setup, …_enter, …_register
        ),
    ),
}
#: System calls of another architecture have numbers from here on (x32 on x86_64).
_OTHER_NUMBERS: Final = 0x4000_0000
_KILL: Final = 0x8000_0000
_ALLOW: Final = 0x7FFF_0000
_DENY: Final = 0x0005_0001  # EPERM
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_NO_NEW_PRIVILEGES: Final = 38
_SET_FILTER: Final = (22, 2)


def system_call_filter(machine: str) -> bytes:
    """Return the program that the kernel runs for each system call.

    Raises
    ------
    OSError
        If the numbers of the machine's system calls are not known.

    Examples
    --------
    >>> len(system_call_filter("x86_64")) % 8
    0
    >>> system_call_filter("pdp11")
    Traceback (most recent call last):
    OSError: ...
    """
    if machine not in _MACHINES:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS), machine)
    architecture, numbers = _MACHINES[machine]
    return b"".join(struct.pack("=HBBI", *line) for line in _lines(architecture, numbers))


def _lines(architecture: int, numbers: Iterable[int]) -> Iterable[tuple[int, int, int, int]]:
    """Yield instructions: what to do, how far to jump if so, and if not, and a value."""
    yield (_LOAD, 0, 0, 4)
    yield (_EQUAL, 1, 0, architecture)
    yield (_RETURN, 0, 0, _KILL)
    yield (_LOAD, 0, 0, 0)
    yield (_AT_LEAST, 0, 1, _OTHER_NUMBERS)
    yield (_RETURN, 0, 0, _DENY)
    for number in numbers:
        yield (_EQUAL, 0, 1, number)
        yield (_RETURN, 0, 0, _DENY)
    yield (_RETURN, 0, 0, _ALLOW)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("lines", ctypes.c_void_p))


def forbid_system_calls() -> None:
    """Let this process start no process and open no connection any more.

    Raises
    ------
    OSError
        If the system refuses, or is not Linux on a machine that is known.
    """
    code = system_call_filter(platform.machine())
    held = ctypes.create_string_buffer(code, len(code))
    program = _Program(len(code) // 8, ctypes.cast(held, ctypes.c_void_p))
    control = ctypes.CDLL(None, use_errno=True).prctl
    zero = ctypes.c_ulong(0)
    one = ctypes.c_ulong(1)
    if control(_NO_NEW_PRIVILEGES, one, zero, zero, zero) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    option, mode = _SET_FILTER
    if control(option, ctypes.c_ulong(mode), ctypes.byref(program), zero, zero) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
