# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Tensors of other libraries by DLPack, without a copy: https://dmlc.github.io/dlpack/latest/.

A capsule that nobody takes over frees its tensor when it goes. So it is kept until the call is over, and never
renamed.
"""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple, Tuple

_CPU, _CUDA_HOST, _ROCM_HOST = 1, 3, 11  # devices whose memory a CPU reads
_READ_ONLY = 1
_KINDS = {0: "int", 1: "uint", 2: "float", 4: "bfloat", 5: "complex", 6: "bool", 10: "float8_e4m3fn", 12: "float8_e5m2"}


class Refused(Exception):
    """Why a tensor cannot be taken."""


class Tensor(NamedTuple):
    address: int
    sizes: Tuple[int, ...]
    strides: Tuple[int, ...]  # in elements
    kind: Tuple[int, int]  # DLPack's type code, and bits
    read_only: bool
    keep: Any

    @property
    def kind_name(self) -> str:
        code, bits = self.kind
        return f"{_KINDS.get(code, f'type {code}')}{bits}" if code < 10 else _KINDS.get(code, f"type {code}")


class _Device(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("id", ctypes.c_int32)]


class _Type(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class _Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", _Device), ("ndim", ctypes.c_int32), ("dtype", _Type),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


class _Versioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p),
                ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("tensor", _Tensor)]


_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.restype, _is_valid.argtypes = ctypes.c_int, [ctypes.py_object, ctypes.c_char_p]


def _capsule(owner: Any) -> Any:
    try:
        if hasattr(owner, "__dlpack_device__"):
            device = owner.__dlpack_device__()
            _on_cpu((int(device[0]), int(device[1])))  # before a copy from another device is asked for
        try:
            return owner.__dlpack__(max_version=(1, 0))
        except TypeError:  # from before DLPack had versions
            return owner.__dlpack__()
    except Refused:
        raise
    except Exception as error:  # libraries raise what they like
        raise Refused(f"it cannot be had by DLPack: {error}") from error


def _on_cpu(device: Tuple[int, int]) -> None:
    if device[0] not in (_CPU, _CUDA_HOST, _ROCM_HOST):
        raise Refused(f"expected a tensor in CPU memory, got one on DLPack's device {device}")


def taken(owner: Any) -> Tensor:
    """The tensor of an object that has `__dlpack__`."""
    capsule = _capsule(owner)
    read_only = False
    if _is_valid(capsule, b"dltensor_versioned"):
        versioned = _Versioned.from_address(_pointer(capsule, b"dltensor_versioned"))
        if versioned.major != 1:
            raise Refused(f"its DLPack has version {versioned.major}.{versioned.minor}; 1 is known")
        tensor, read_only = versioned.tensor, bool(versioned.flags & _READ_ONLY)
    elif _is_valid(capsule, b"dltensor"):
        tensor = _Tensor.from_address(_pointer(capsule, b"dltensor"))
    else:
        raise Refused("its __dlpack__ gave no DLPack tensor")
    _on_cpu((tensor.device.type, tensor.device.id))
    if tensor.dtype.lanes != 1:
        raise Refused(f"its elements are vectors of {tensor.dtype.lanes}; expected single ones")
    sizes = tuple(tensor.shape[i] for i in range(tensor.ndim))
    strides = tuple(tensor.strides[i] for i in range(tensor.ndim)) if tensor.strides else _row_major(sizes)
    return Tensor((tensor.data or 0) + tensor.byte_offset, sizes, strides, (tensor.dtype.code, tensor.dtype.bits),
                  read_only, (owner, capsule))


def _row_major(sizes: Tuple[int, ...]) -> Tuple[int, ...]:
    strides, step = [], 1
    for size in reversed(sizes):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))
