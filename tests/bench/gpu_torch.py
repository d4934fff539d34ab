# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""PyTorch's turn in a benchmark of a GPU: reads a line of JSON for each turn, and answers with one.

A process of its own, so that it keeps its device and its libraries warm between turns, and so that a
machine without PyTorch has only lost this process. The first line that it writes says what it is, or why not.
"""

import json
import sys

WARM_UP = 3


def operands(torch, op, dtype, sizes):
    """What the op is called with, and the call."""

    def array(*shape):
        return torch.rand(*shape, device="cuda", dtype=torch.float32).sub(0.5).to(dtype)

    if op == "conv2d":
        last = torch.channels_last
        image = array(1, sizes["C"], sizes["H"], sizes["W"]).to(memory_format=last)
        windows = array(sizes["F"], sizes["C"], sizes["R"], sizes["S"]).to(memory_format=last)
        return lambda: torch.nn.functional.conv2d(image, windows, stride=sizes["s"], padding=sizes["p"])
    n = sizes["n"]
    a, out = array(n, n), array(n, n)
    if op in ("matmul", "add"):
        b = array(n, n)
        function = getattr(torch, op)
        return lambda: function(a, b, out=out)
    line, other = array(n), array(n)
    return {
        "copy": lambda: out.copy_(a),
        "transpose": lambda: out.copy_(a.t()),
        "softmax": lambda: torch.nn.functional.softmax(a, dim=1),
        "sum_rows": lambda: torch.sum(a, dim=1, out=line),
        "sum_columns": lambda: torch.sum(a, dim=0, out=line),
        "layer_norm": lambda: torch.nn.functional.layer_norm(a, (n,), line, other),
    }[op]


def batch(torch, call, runs):
    """Seconds of so many runs, by the device's events."""
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    for _ in range(runs):
        call()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) / 1e3


def turn(torch, wanted):
    """The mean seconds of a run, in each of the rounds."""
    kind = wanted["type"]
    for backend in (torch.backends.cuda.matmul, torch.backends.cudnn):
        backend.allow_tf32 = kind == "tf32"
    dtype = torch.float16 if kind == "f16" else torch.float32
    call = operands(torch, wanted["op"], dtype, wanted["sizes"])
    batch(torch, call, WARM_UP)
    one = max(batch(torch, call, WARM_UP) / WARM_UP, 1e-7)
    runs = max(1, min(10000, round(wanted["sample"] / one)))
    return [batch(torch, call, runs) / runs for _ in range(wanted["rounds"])]


def main():
    def say(what):
        print(json.dumps(what), flush=True)

    try:
        import torch
    except ImportError as error:
        return say({"missing": f"PyTorch is not installed ({error})"})
    if not torch.cuda.is_available():
        return say({"missing": f"PyTorch {torch.__version__} has no CUDA device"})
    say({"version": torch.__version__, "cuda": torch.version.cuda, "device": torch.cuda.get_device_name()})
    for line in sys.stdin:
        try:
            say({"seconds": turn(torch, json.loads(line))})
        except RuntimeError as error:  # out of memory, no such kernel
            say({"failed": str(error).splitlines()[0]})


if __name__ == "__main__":
    main()
