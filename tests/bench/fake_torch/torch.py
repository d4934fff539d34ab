# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Stands for PyTorch with a CUDA device in tests: what gpu_torch.py uses of it, with times that are made up."""

import types

__version__ = "0.0-fake"
float16, float32, channels_last = "f16", "f32", "channels_last"
version = types.SimpleNamespace(cuda="0.0")
_launched = 0


class _Array:
    def __init__(self, shape):
        self.shape = shape

    def sub(self, _):
        return self

    def to(self, dtype=None, memory_format=None):
        assert dtype or len(self.shape) == 4
        return self

    def t(self):
        return _Array(self.shape[::-1])

    def copy_(self, other):
        assert self.shape == other.shape
        return _launch()


def _launch(*arrays, **_):
    global _launched
    _launched += 1
    return arrays


def rand(*shape, device, dtype):
    assert device == "cuda" and dtype == float32
    return _Array(shape)


def matmul(a, b, out):
    if backends.cuda.matmul.allow_tf32:
        raise RuntimeError("this fake has no TF32\nand that is all")
    return _launch(a, b, out)


add = sum = _launch


class _Event:
    def __init__(self, enable_timing):
        assert enable_timing

    def record(self):
        self.at = _launched

    def synchronize(self):
        pass

    def elapsed_time(self, end):
        return float(end.at - self.at)  # a millisecond for each launch


cuda = types.SimpleNamespace(is_available=lambda: True, get_device_name=lambda: "a fake", Event=_Event)
backends = types.SimpleNamespace(cuda=types.SimpleNamespace(matmul=types.SimpleNamespace(allow_tf32=None)),
                                 cudnn=types.SimpleNamespace(allow_tf32=None))  # fmt: skip
nn = types.SimpleNamespace(functional=types.SimpleNamespace(softmax=_launch, layer_norm=_launch, conv2d=_launch))
