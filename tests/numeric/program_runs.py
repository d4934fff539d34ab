# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""A random program run through an engine: arrays in, views on the way, arrays out."""

import random

import numpy as np

from tests.numeric import abi, einc_tool, scalars
from tests.numeric.programs import Scalar


def _slices(r, array):
    """A larger array, the index that takes `array` out of it, and its text."""
    shape, texts, slices = [], [], []
    for size in array.shape:
        step, before, after = r.choice([1, 1, 2, 3]), r.randint(0, 2), r.randint(0, 2)
        span = max((size - 1) * step + 1, 0)
        shape.append(before + span + after)
        if size and r.random() < 0.4:
            stop = before - 1 if before else None
            slices.append(slice(before + span - 1, stop, -step))
            texts.append(f"{before + span - 1}:{'' if stop is None else stop}:{-step}")
        else:
            slices.append(slice(before, before + span, step))
            texts.append(f"{before}:{before + span}" + (f":{step}" if step > 1 else ""))
    noise = np.random.default_rng(r.randint(0, 2**32)).integers(0, 2, shape, np.uint8)
    whole = noise.astype(array.dtype)
    index = tuple(slices)
    whole[index] = array
    return whole, lambda a: a[index], f"[{', '.join(texts)}]"


def place(r, array, is_input):
    """The array as a view of another: (the other, how to take the view, text behind its file name)."""
    form = r.random() if array.ndim else 1
    if form < 0.35:
        return _slices(r, array)
    if form < 0.5:
        return array.T.copy("C"), lambda a: a.T, ".T"
    if is_input and form < 0.6 and array.shape[0] and (array == array[:1]).all():
        text = f".broadcast({', '.join(map(str, array.shape))})"
        return array[:1].copy(), lambda a: np.broadcast_to(a, array.shape), text
    if form < 0.7:
        return array.copy("F"), lambda a: a, ""
    return array.copy(), lambda a: a, ""


def eval_command(program, folder, engine):
    """Writes spec and arrays, and gives the arguments of `einc eval`, with (path, array before, how to take the
    view) for each output."""
    r = random.Random(program.seed)
    folder.mkdir(parents=True, exist_ok=True)
    spec = folder / "spec.tc"
    spec.write_text(program.text)
    args = ["eval", spec, f"--engine={engine}"]
    outputs = []
    for scalar in program.scalar_values:
        if not scalar.default:
            args += ["--attr", scalar.flag]
    for tensor in program.tensors:
        if tensor.role == "local":
            continue
        whole, take, text = place(r, tensor.initial, tensor.role == "input")
        path = folder / f"{tensor.name}.npy"
        np.save(path, whole)
        args += ["--in", f"{tensor.name}={path}{text}"]
        if tensor.role == "output":
            result = folder / f"{tensor.name}.out.npy"
            args += ["--out", f"{tensor.name}={result}"]
            outputs.append((result, whole, take))
    return args, outputs


def _bits(array):
    return array.view(f"u{array.dtype.itemsize}") if array.dtype.kind == "f" else array


def _unchanged_outside(before, after, take):
    before, after = _bits(before).copy(), _bits(after)
    take(before)[...] = take(after)
    return np.array_equal(before, after)


def collect(outputs):
    """The outputs' elements, or what is wrong with them."""
    results = []
    for path, before, take in outputs:
        after = np.load(path)
        if after.shape != before.shape or after.dtype != before.dtype:
            return None, f"{path}: {after.dtype}{after.shape}, not {before.dtype}{before.shape}"
        if not _unchanged_outside(before, after, take):
            return None, f"{path}: elements outside the view have changed"
        results.append(take(after))
    return results, None


def run_eval(program, folder, engine):
    """What is wrong, or None."""
    args, outputs = eval_command(program, folder, engine)
    einc_tool.must(einc_tool.run(*args))
    results, message = collect(outputs)
    if message:
        return message
    return program.compare(results)


def call_native(program, library):
    """The def in a loaded library, called through the C ABI: what is wrong (or None), the outputs."""
    r = random.Random(program.seed + 1)
    args, arrays = [], []

    def pass_tensor(tensor):
        whole, take, _ = place(r, tensor.initial, tensor.role == "input")
        args.append(abi.describe(take(whole), r.choice([0, 0, 5, -3])))
        arrays.append((tensor, whole, whole.copy(), take))

    for parameter in program.inputs:
        if isinstance(parameter, Scalar):
            args.append(abi.c_scalar(parameter.kind, parameter.values[0]))
        else:
            pass_tensor(parameter)
    for tensor in program.outputs:
        pass_tensor(tensor)
    for attribute in program.attributes:
        args.append(None if attribute.default else abi.c_attribute(attribute.kind, attribute.values))
    status = getattr(library, program.name)(*args)
    if status:
        return f"status {status}", []
    results = []
    for tensor, whole, before, take in arrays:
        if tensor.role == "input":
            if whole.tobytes() != before.tobytes():
                return f"the input {tensor.name} has changed", []
            continue
        if not _unchanged_outside(before, whole, take):
            return f"elements outside the view of {tensor.name} have changed", []
        results.append(take(whole))
    return None, results


def run_native(program, library):
    message, results = call_native(program, library)
    return message or program.compare(results)


def native_bytes(program, library):
    """The outputs' bits, but for those of NaNs."""
    _, results = call_native(program, library)
    clean = [scalars.from_storage(t.kind, x).astype(x.dtype if t.kind != "bf16" else np.float32) for t, x in zip(program.outputs, results)]
    return b"".join(np.where(x != x, x.dtype.type(0), x).tobytes() for x in clean)
