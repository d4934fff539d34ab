# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Views on the command line: `a.npy[::-1, 1:9:2].T` against NumPy's own indexing.

The text is made at random and evaluated by Python; a def that copies shows what einc makes of it.
"""

import random

import numpy as np

from tests.numeric import einc_tool


def _subscript(r, shape, writes):
    items, dims = [], list(shape)
    ellipsis = r.random() < 0.2
    used = r.randint(0, len(dims)) if ellipsis or r.random() < 0.3 else len(dims)
    front = r.randint(0, used) if ellipsis else used
    for place in range(used):
        if ellipsis and place == front:
            items.append("...")
        size = dims[place] if place < front or not ellipsis else dims[len(dims) - used + place]
        form = r.random()
        if form < 0.15 and size:
            items.append(str(r.randint(-size, size - 1)))
        else:
            bound = lambda: "" if r.random() < 0.4 else str(r.randint(-size - 2, size + 2))
            step = "" if r.random() < 0.4 else ":" + r.choice(["", "1", "2", "3", "-1", "-2", "-3"])
            items.append(f"{bound()}:{bound()}{step}")
        if r.random() < 0.08:
            items.append("None")
    if ellipsis and front == used:
        items.append("...")
    return f"[{', '.join(items)}]" if items else ""


def random_view(r, array, writes):
    """(text behind the file name, the view)."""
    text, view = "", array
    for _ in range(r.choice([1, 1, 2, 3])):
        form = r.random()
        if form < 0.7:
            piece = _subscript(r, view.shape, writes)
        elif form < 0.9 or writes:
            piece = ".T"
        else:
            shape = tuple(r.randint(1, 3) for _ in range(r.randint(0, 2))) + tuple(
                r.randint(1, 4) if n == 1 else n for n in view.shape)
            view = np.broadcast_to(view, shape)
            text += f".broadcast({', '.join(map(str, shape))})"
            continue
        text += piece
        view = eval(f"view{piece}", {"view": view, "None": None})  # the text that was just made here
        view = np.asarray(view) if not isinstance(view, np.ndarray) else view
    return text, view


def _spec(rank):
    dims, indices = ", ".join(f"D{i}" for i in range(rank)), ", ".join(f"d{i}" for i in range(rank))
    return f"def f(A: i32({dims})) -> (C: i32({dims})) {{\n  C({indices}) = A({indices});\n}}\n"


def case(folder, seed):
    """An input view copied to a plain output, or a plain input to an output view; what is wrong."""
    r = random.Random(seed)
    folder.mkdir(parents=True, exist_ok=True)
    shape = tuple(r.randint(0 if r.random() < 0.1 else 1, 6) for _ in range(r.randint(1, 4)))
    array = np.arange(100, 100 + int(np.prod(shape)), dtype=np.int32).reshape(shape)
    stored = np.asfortranarray(array) if r.random() < 0.3 else array
    stored = stored.astype(">i4") if r.random() < 0.2 else stored
    writes = r.random() < 0.4
    text, view = random_view(r, array.copy(), writes)
    if view.ndim > 8:
        return None
    np.save(folder / "a.npy", stored)
    (folder / "s.tc").write_text(_spec(view.ndim))
    engine = "native" if seed % 10 == 0 else "reference"
    args = ["eval", folder / "s.tc", f"--engine={engine}"]
    if writes:
        places = eval(f"array{text}", {"array": np.arange(array.size).reshape(shape), "None": None})
        values = np.arange(view.size, dtype=np.int32).reshape(view.shape)
        wanted = array.copy()
        wanted.reshape(-1)[places] = values
        np.save(folder / "v.npy", values)
        args += ["--in", f"A={folder}/v.npy", "--out", f"C={folder}/a.npy{text}"]
        result, where = wanted, folder / "a.npy"
    else:
        args += ["--in", f"A={folder}/a.npy{text}", "--out", f"C={folder}/c.npy"]
        result, where = view, folder / "c.npy"
    einc_tool.must(einc_tool.run(*args))
    got = np.load(where)
    if got.shape == result.shape and np.array_equal(got, result):
        return None
    return f"{einc_tool.command_line(*args)}\nof {shape} gives {got.tolist()}, not {result.tolist()}"[:1500]

