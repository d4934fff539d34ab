# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Which way an op is done: einc tune, --lib=auto, conditions on sizes, calls on tiles.

  tiles     schedules that call a library on tiles that they name, over any strides: values, and how often it is called
  rules     tuning files with conditions: which library runs at which sizes, and its values
  tuned     einc tune over defs of several kinds: what it writes is read, gives the same bytes twice, and right values
  faults    tuning files that are not whole, changed by hand, or for something else; flags
"""

import argparse
import json
import math
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import time

import numpy as np

from tests.numeric import einc_tool, levels_test, library_test

# ---- Calls on tiles: defs, their sizes, and what each letter may be in tiles of. ----

_TILED = {
    "gemm": ("A: T(M, K), B: T(K, N)", "C: T(M, N)", "C(m, n) += A(m, k) * B(k, n);", "mnk", "mk,kn->mn"),
    "start": ("A: T(K, M), B: T(N, K)", "C: T(M, N)", "C(m, n) +=! A(k, m) * B(n, k);", "mnk", "km,nk->mn"),
    "batch": ("A: T(Z, M, K), B: T(Z, K, N)", "C: T(Z, M, N)", "C(z, m, n) += A(z, m, k) * B(z, k, n);", "zmnk", "zmk,zkn->zmn"),
    "tensors": ("A: T(X, K, Y), B: T(L, N, K)", "C: T(N, X, Y, L)", "C(n, x, y, l) += A(x, k, y) * B(l, n, k);", "nxylk", "xky,lnk->nxyl"),
    "groups": ("A: T(M, V, K), B: T(V, K, N)", "C: T(M, N)", "C(m, n) += A(m, v, k) * B(v, k, n);", "mnvk", "mvk,vkn->mn"),
    "gemv": ("A: T(M, K), B: T(K)", "C: T(M)", "C(m) += A(m, k) * B(k);", "mk", "mk,k->m"),
    "dot": ("A: T(K), B: T(K)", "C: T()", "C() += A(k) * B(k);", "k", "k,k->"),
}
# BLIS is asked for products of matrices in these sizes, and for none of a matrix and a vector (libcalls/).
_UNIT = {"cblas": 1, "blis": 16}
_CONV = "def f<T = f32>(A: T(Q + U - 1, P + V - 1, K), B: T(U, V, K, N)) -> (C: T(Q, P, N)) {{ C(q, p, n) += A(q + u, p + v, k) * B(u, v, k, n); }}"


def schedule_file(folder, op, tiles, library):
    steps = " ".join(f"tile {i} by {size}" for i, size in tiles.items())
    (folder / "s.sched").write_text(f'einc_schedule 1\nschedule @f for "x86-64-v3" {{ op {op} {{ {steps} call {library} }} }}\n')
    return f"--schedule={folder}/s.sched"


def evaluated(folder, args, arrays, rng, env=None, plain=False):
    """C of the native kernel, and the inputs' views on the command line."""
    args = ["eval", folder / "s.tc", "--engine=native", *args, "--out", f"C={folder}/result.npy"]
    for name, array in arrays.items():
        args += ["--in", levels_test.saved(folder, name, array, rng, plain)]
    view = args[-1].partition(".npy")[2]
    einc_tool.must(einc_tool.run(*args, env=env))
    return eval(f"result{view}", {"result": np.load(folder / "result.npy")}), einc_tool.command_line(*args)


def wrong(got, arrays, string, terms, overwrites):
    """Elements that are further off than roundings allow."""
    wide = {name: array.astype(np.float64) for name, array in arrays.items()}
    start = 0 if overwrites else wide["C"]
    want = start + np.einsum(string, wide["A"], wide["B"])
    weight = abs(start) + np.einsum(string, abs(wide["A"]), abs(wide["B"]))
    return len(np.argwhere(~(abs(got - want) <= (terms + 4) * np.finfo(got.dtype).eps * weight)))


def tiled(folder, name, library, rng, dtype, views, sizes=None, tiles=None):
    folder.mkdir(parents=True, exist_ok=True)
    inputs, output, statement, letters, string = _TILED[name]
    (folder / "s.tc").write_text(f"def f<T = f32>({inputs}) -> ({output}) {{ {statement} }}\n")
    sizes = sizes or {i: int(rng.integers(1, 20)) * int(rng.integers(8) > 0) for i in letters}
    drawn = not tiles
    tiles = tiles or {i: int(rng.integers(1, 8)) for i in letters if rng.integers(2)} or {"k": 3}
    arrays = {t: rng.standard_normal([sizes[i] for i in part]).astype(dtype)
              for t, part in zip("ABC", string.replace("->", ",").split(","))}
    overwrites = "+=!" in statement
    if overwrites:
        arrays["C"][...] = np.nan
    args = ["--type", f"T={'f64' if dtype == np.float64 else 'f32'}", "--target=x86-64-v3", schedule_file(folder, int(overwrites), tiles, library)]
    try:
        got, line = evaluated(folder, args, arrays, rng, plain=not views)
    except RuntimeError as error:  # tiles of one element are no vectors and matrices
        if drawn and "no call of" in str(error) and 1 in tiles.values():
            return tiled(folder, name, library, rng, dtype, views)
        raise
    bad = wrong(got, arrays, string, sizes["k"] * sizes.get("v", 1), overwrites)
    return f"{bad} wrong: {tiles} of {sizes}\n{line}" if bad else None


def generic(folder, name, library, rng, tiles):
    """C without vectors compiles, and is right; with extents of 0, too."""
    inputs, output, statement, letters, string = _TILED[name]
    (folder / "s.tc").write_text(f"def f<T = f32>({inputs}) -> ({output}) {{ {statement} }}\n")
    schedule = schedule_file(folder, 0, tiles, library)
    (folder / "s.sched").write_text((folder / "s.sched").read_text().replace("x86-64-v3", "generic"))
    for zero in [""] + list(letters):
        sizes = {i: 0 if i == zero else int(rng.integers(1, 12)) for i in letters}
        arrays = {t: rng.standard_normal([sizes[i] for i in part]).astype(np.float32) for t, part in zip("ABC", string.replace("->", ",").split(","))}
        got, line = evaluated(folder, ["--target=generic", schedule], arrays, rng, plain=False)
        if bad := wrong(got, arrays, string, sizes["k"] * sizes.get("v", 1), False):
            return f"{bad} wrong\n{line}"
    return None


def calls(folder, library, env_of, run):
    """How often functions of the library were called by what `run` starts with that environment."""
    counts = folder / "counts"
    counts.unlink(missing_ok=True)
    run({**os.environ, "LD_PRELOAD": str(folder / f"{library}.so"), "COUNTS": str(counts), **env_of})
    lines = counts.read_text().splitlines() if counts.exists() else []
    return sum(int(line.split()[1]) for line in lines)


def counted(folder, name, library, rng):
    """A call for each tile, where each tile is a matrix."""
    inputs, output, statement, letters, string = _TILED[name]
    (folder / "s.tc").write_text(f"def f<T = f32>({inputs}) -> ({output}) {{ {statement} }}\n")
    units = {i: 1 if i == "z" or name == "dot" else _UNIT[library] for i in letters}
    sizes = {i: units[i] * int(rng.integers(4, 12)) for i in letters}
    tiles = {i: units[i] * int(rng.integers(2, 5)) for i in letters} | ({"z": 1} if "z" in letters else {})
    arrays = {t: rng.standard_normal([sizes[i] for i in part]).astype(np.float32)
              for t, part in zip("ABC", string.replace("->", ",").split(","))}
    args = ["--target=x86-64-v3", schedule_file(folder, int("+=!" in statement), tiles, library)]
    found = calls(folder, library, {}, lambda env: evaluated(folder, args, arrays, rng, env, plain=True))
    expected = math.prod(-(-sizes[i] // tiles[i]) for i in letters)
    return None if found == expected else f"{found} calls, not {expected}: {tiles} of {sizes}"


def convolution(folder, library, rng):
    """Windows are products of matrices, one for each row and each place in the filter."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "s.tc").write_text(_CONV.format())
    q, p, u, v, k, n = (int(x) for x in rng.integers(2, 7, 6) * np.array([1, _UNIT[library], 1, 1, _UNIT[library], _UNIT[library]]))
    arrays = {"A": rng.standard_normal((q + u - 1, p + v - 1, k)), "B": rng.standard_normal((u, v, k, n)), "C": rng.standard_normal((q, p, n))}
    arrays = {name: array.astype(np.float32) for name, array in arrays.items()}
    args = ["--target=x86-64-v3", schedule_file(folder, 0, {"q": 1, "u": 1, "v": 1}, library)]
    results = []
    found = calls(folder, library, {}, lambda env: results.append(evaluated(folder, args, arrays, rng, env, plain=True)))
    got, line = results[0]
    windows = np.lib.stride_tricks.sliding_window_view(arrays["A"].astype(np.float64), (u, v), (0, 1))
    want, weight = (np.einsum("qpkuv,uvkn->qpn", f(windows), f(arrays["B"].astype(np.float64))) for f in (np.asarray, np.abs))
    good = (abs(got - arrays["C"] - want) <= (u * v * k + 4) * np.finfo(np.float32).eps * (weight + abs(arrays["C"]))).all()
    return None if good and found == q * u * v else f"{found} calls, not {q * u * v}, or wrong\n{line}"


# ---- Tuning files ----

_MM = "def f(A: f32(M, K), B: f32(K, N)) -> (C: f32(M, N)) { C(m, n) += A(m, k) * B(k, n); }\n"
_QUICK = ["--rounds=1", "--sample=0.0001", "--schedules=0"]


def tune(folder, text, *args, schedules=False):
    """The tuning file of a spec."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "s.tc").write_text(text)
    einc_tool.must(einc_tool.run("tune", folder / "s.tc", *_QUICK[:2 if schedules else 3], *args, "-o", folder / "t.json", timeout=300))
    return json.loads((folder / "t.json").read_text())


def with_rules(folder, rules, *args):
    """A tuning file in which someone has written these rules."""
    tuning = tune(folder, _MM, "--size", "M,N,K=4", "--target=x86-64-v3", "--against=none", *args)
    for entry in tuning["defs"]:
        entry["settings"] = [{"op": 0, "name": "library", "value": rules}]
    (folder / "t.json").write_text(json.dumps(tuning))
    return f"--tuning={folder}/t.json"


_RULES = "cblas where m * n * k >= 200 and n < 16 else blis where n >= 16"


def ruled(folder, sizes, counts, rng):
    """Which library is called at which sizes."""
    m, n, k = sizes
    flags = ["--lib=auto", "--target=x86-64-v3", f"--tuning={folder}/t.json"]
    arrays = {name: rng.standard_normal(shape).astype(np.float32) for name, shape in {"A": (m, k), "B": (k, n), "C": (m, n)}.items()}
    results = []
    found = [calls(folder, library, {}, lambda env: results.append(evaluated(folder, flags, arrays, rng, env, plain=True)))
             for library in ["cblas", "blis"]]
    bad = sum(wrong(got, arrays, "mk,kn->mn", k, False) for got, _ in results)
    return f"{bad} wrong, calls {found}, not {counts}\n{results[0][1]}" if bad or found != counts else None


_DEFS = {
    "matmul": (_MM, ["--size", "M,N,K=1,8,40"], 1),
    "known": (_MM, ["--dim", "M=8", "--size", "N,K=8"], 1),
    "region": ("def f(A: f64(M, K), B: f64(K, N), b: f64(N)) -> (C: f64(M, N)) { C(m, n) +=! A(m, k) * B(k, n); C(m, n) = max(C(m, n) + b(n), 0.0); }",
               ["--size", "M,N,K=8,33"], 1),
    "parameters": ("def f(x: f32(M), a: f32) -> (y: f32(M)) { y(i) = y(i) + a * x(i); }", ["--size", "M=5,500"], 1),
    "attributes": ("def f(A: f32(P + s, K), B: f32(K, N)) -> (C: f32(P, N)) attr(s: i64 = 2) { C(p, n) += A(p + s, k) * B(k, n); }",
                   ["--size", "P,N,K=6"], 1),
    "two": ("def f(A: f32(M, K), x: f32(K)) -> (y: f32(M), s: f32()) { y(m) +=! A(m, k) * x(k); s() +=! y(m) * y(m); }",
            ["--size", "M,K=30"], 2),
    "none": ("def f(A: i8(M, K), B: i8(K, N)) -> (C: i32(M, N)) { C(m, n) += A(m, k) * B(k, n); }", ["--size", "M,N,K=9"], 0),
    "no sizes": ("def f(x: f32(8)) -> (y: f32(8)) { y(i) = x(i) * x(i); }", [], 0),
    "threads": (_MM, ["--size", "M,N,K=64", "--threads=2"], 1),
}


def tuned(folder, name, schedules):
    text, flags, callable_ops = _DEFS[name]
    shutil.rmtree(folder, ignore_errors=True)
    entry, = tune(folder, text, *flags, schedules=schedules)["defs"]
    libraries = [s for s in entry["settings"] if s["name"] == "library"]
    ways = {w for point in entry["measured"] for w in point["nanoseconds"]}
    calls_measured = len([w for w in ways if w.startswith("op ")])
    if len(libraries) != callable_ops or calls_measured != (3 if name == "two" else 2 * callable_ops) or "generated" not in ways:
        return json.dumps(entry, indent=1)
    if not {"cpu", "compiler", "cblas", "blis"} <= set(entry["machine"]) or "kernels" not in entry["machine"]["cblas"]:
        return str(entry["machine"])
    # --size is for tuning alone; what is fixed is fixed for the build, too.
    flags = [f for i, f in enumerate(flags) if f != "--size" and (i == 0 or flags[i - 1] != "--size")]
    built = []
    for i in range(2):
        done = einc_tool.must(einc_tool.run("build", folder / "s.tc", *flags, "--target=native", "--lib=auto", f"--tuning={folder}/t.json",
                                            "--sources-only", "--one-file", "-o", folder / f"b{i}"))
        if done.stderr:
            return done.stderr
        built.append((folder / f"b{i}" / "s.c").read_bytes())
    return None if built[0] == built[1] else "other bytes"


def written_once_more(folder):
    """Entries of --tuning stay; what is measured anew takes the place of the old."""
    tune(folder, _MM, "--size", "M,N,K=4", "--target=x86-64-v3")
    first = json.loads((folder / "t.json").read_text())
    einc_tool.must(einc_tool.run("tune", folder / "s.tc", *_QUICK, "--size", "M,N,K=4,5", "--target=x86-64-v3,x86-64-v2",
                                 f"--tuning={folder}/t.json", "-o", folder / "t2.json"))
    einc_tool.must(einc_tool.run("tune", folder / "s.tc", *_QUICK, "--size", "N,K=4", "--dim", "M=3", "--target=x86-64-v3",
                                 f"--tuning={folder}/t2.json", "-o", folder / "t3.json"))
    second, third = (json.loads((folder / f"t{i}.json").read_text())["defs"] for i in (2, 3))
    counts = [len(first["defs"]), [len(d["measured"]) for d in second], len(third)]
    return None if counts == [1, [2, 2], 3] and [d["target"] for d in second] == ["x86-64-v2", "x86-64-v3"] else str(counts)


# ---- Faults ----


def refused(folder, args, parts, code=1):
    done = einc_tool.run(*args)
    missing = [part for part in parts if part not in done.stderr]
    return None if done.returncode == code and not missing else f"{done.returncode}, {missing} not in\n{done.stderr}"


def noted(folder, args, parts):
    done = einc_tool.must(einc_tool.run(*args))
    missing = [part for part in parts if part not in done.stderr]
    return None if not missing else f"{missing} not in\n{done.stderr}"


def mutated(folder, rng):
    """A file of which bytes were changed is read, or refused with its name."""
    text = bytearray((folder / "good.json").read_bytes())
    for _ in range(int(rng.integers(1, 4))):
        at = int(rng.integers(len(text)))
        kind = int(rng.integers(3))
        if kind == 0:
            text[at] = int(rng.integers(256))
        elif kind == 1:
            del text[at:at + int(rng.integers(1, 30))]
        else:
            text[at:at] = text[at:at + int(rng.integers(1, 30))]
    (folder / "bad.json").write_bytes(bytes(text))
    done = einc_tool.run("explain", "--verbose", folder / "s.tc", "--lib=auto", "--target=x86-64-v3", f"--tuning={folder}/bad.json")
    told = done.returncode == 0 or (done.returncode == 1 and "bad.json" in done.stderr)
    return None if told else f"{done.returncode}\n{done.stderr}\n{bytes(text)}"


def bound(folder):
    """Bounds that no double is."""
    flag = with_rules(folder, "cblas where m * n >= 9223372036854775807 and k < 9223372036854775807")
    einc_tool.must(einc_tool.run("build", folder / "s.tc", "--lib=auto", "--target=x86-64-v3", flag, "-o", folder / "large"))


def progress(folder):
    """On a terminal, how much is done and how long the rest takes."""
    ours, theirs = pty.openpty()
    # Long enough, also on a quick machine, for a line to come.
    tool = subprocess.Popen([einc_tool.EINC, "tune", folder / "s.tc", "--size", "M,N,K=4,8", "--schedules=0", "--sample=0.3", "-o",
                             folder / "p.json"],
                            stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    text = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:  # its other end is closed
            break
        if not part:
            break
        text += part
    os.close(ours)
    done = re.search(rb"\r\x1b\[Keinc: .* \(\d+ s, about \d+ s left\)", text) and text.endswith(b"\r\x1b[K")
    return None if tool.wait() == 0 and done else repr(text)


def interrupted(folder, rng):
    """Nothing stays in the folder for temporary files."""
    own = folder / "own"
    shutil.rmtree(own, ignore_errors=True)
    own.mkdir()
    tool = subprocess.Popen([einc_tool.EINC, "tune", folder / "s.tc", "--size", "M,N,K=64,128"], env={**os.environ, "TMPDIR": str(own)},
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    time.sleep(2 + rng.random())
    os.killpg(tool.pid, signal.SIGINT)
    tool.wait(timeout=60)
    time.sleep(0.5)
    left = list(own.rglob("*"))
    return f"{left}" if left else None


def faults(cases, folder, rng, rounds):
    tune(folder, _MM, "--size", "M,N,K=4", "--target=x86-64-v3", "--against=none")
    shutil.copy(folder / "t.json", folder / "good.json")
    spec, auto = folder / "s.tc", ["--lib=auto", "--target=x86-64-v3"]
    for rules, said in [("cblas where q >= 3", "the op has no iterator 'q'"), ("mkl", "which library is asked"), ("cblas where m >= ", "which library is asked")]:
        flag = with_rules(folder, rules)
        cases.run(f"rules: {rules}", refused, folder, ["explain", spec, *auto, flag], ["t.json", said])
    flag = with_rules(folder, "cblas")
    text = (folder / "t.json").read_text()
    for old, new, said in [('"op": 0', '"op": 7', "'f' has 1 op"), ('"library"', '"vectors"', "nothing called 'vectors'"), ("einc_tuning\": 1", "einc_tuning\": 2", "version 2")]:
        (folder / "t.json").write_text(text.replace(old, new))
        cases.run(f"{old} as {new}", refused, folder, ["build", spec, *auto, flag, "-o", folder], ["t.json", said])
    (folder / "t.json").write_text(text)
    cases.run("no file", refused, folder, ["explain", spec, *auto, "--tuning=nowhere.json"], ["nowhere.json"])
    cases.run("auto alone", noted, folder, ["explain", spec, "--lib=auto"], ["note: --lib=auto without --tuning"])
    for flags in [["--threads=2"], ["--dim", "M=3"]]:
        cases.run(f"measured without {flags}", noted, folder, ["explain", spec, *auto, flag, *flags], ["note:", "t.json has nothing for this 'f'"])
    cases.run("other library", noted, folder, ["emit", "--stage=c", spec, "--target=x86-64-v3", "--lib=none", flag, "-o", folder / "x.c"], [])
    cases.run("no sizes", refused, folder, ["tune", spec], ["no sizes of M, K, N: give --size M,K,N=16,64,256"], 2)
    cases.run("other sizes", refused, folder, ["tune", spec, "--size", "M,N,K,Q=3"], ["there is no size 'Q'"], 2)
    cases.run("no such library", refused, folder, ["tune", spec, "--size", "M,N,K=3", "--against=mkl"], ["there are cblas, blis, and none"], 2)
    cases.run("no rounds", refused, folder, ["tune", spec, "--size", "M,N,K=3", "--rounds=0"], ["more than 0"], 2)
    (folder / "deep.json").write_text("[" * 100000)
    cases.run("lists in lists", refused, folder, ["explain", spec, *auto, f"--tuning={folder}/deep.json"], ["deep.json", "lists in lists"])
    cases.run("large bound", bound, folder)
    cases.run("no place", refused, folder, ["tune", spec, "--size", "M,N,K=3", "-o", folder / "no" / "t.json"], ["cannot write"])
    cases.run("on a terminal", progress, folder)
    for command in [["tune", "--size", "M,N,K=3"], ["bench", "--dim=M=3", "--dim=N=3", "--dim=K=3", "--against=none"]]:
        cases.run(f"{command[0]} for another machine", refused, folder, [command[0], spec, *command[1:], "--target=aarch64"], ["kernels for aarch64 do not run"])
    flag = schedule_file(folder, 0, {"m": 1, "n": 1, "k": 1}, "cblas")
    cases.run("tiles of one element", refused, folder, ["explain", "--verbose", spec, "--target=x86-64-v3", flag], ["no call of cblas: it multiplies"])
    (folder / "s.sched").write_text('einc_schedule 1\nschedule @f for "x86-64-v3" { op 0 contraction { tile_m = 3 } }\n')
    cases.run("settings of before", refused, folder, ["explain", spec, "--target=x86-64-v3", f"--schedule={folder}/s.sched"], ["op 0 { tile m by 3 call cblas }"])
    cases.run("interrupted", interrupted, folder, rng)
    for i in range(40 * rounds):
        cases.run(f"mutated {i}", mutated, folder, rng)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--long", action="store_true")
    rounds = 10 if parser.parse_args().long else 1
    cases, folder, rng = einc_tool.Cases(), einc_tool.scratch(), np.random.default_rng(5)
    folder.mkdir(parents=True, exist_ok=True)
    for library in ["cblas", "blis"]:
        library_test.counting(folder, library)
        for name in [n for n in _TILED if n != "gemv" or library == "cblas"]:
            for i in range(2 * rounds):
                dtype = [np.float32, np.float64][i % 2]
                cases.run(f"{name} on tiles {i}, {library}", tiled, folder, name, library, rng, dtype, i % 2 == 0)
            if name not in ("tensors", "dot", "groups"):  # of which some tiles are called in other ways
                cases.run(f"{name}, a call for each tile, {library}", counted, folder, name, library, rng)
        # The memory of a later tile is larger than that of the first one, as more of `v` is taken at once.
        cases.run(f"later tiles, {library}", tiled, folder, "groups", library, rng, np.float32, True, {"m": 60, "v": 3, "k": 500, "n": 70}, {"k": 300})
        one = 1 if library == "cblas" else 2
        for name, tiles in [("gemm", {"m": one}), ("gemm", {"k": one}), ("groups", {"v": 1, "k": 7})]:  # and of any target, and of nothing
            cases.run(f"{name} in {tiles} on generic, {library}", generic, folder, name, library, rng, tiles)
        cases.run(f"windows by {library}", convolution, folder, library, rng)
    with_rules(folder, _RULES)
    for sizes, counts in [((5, 4, 10), [1, 0]), ((5, 4, 9), [0, 0]), ((16, 16, 16), [0, 1]), ((1, 16, 1), [0, 0]), ((32, 48, 16), [0, 1]), ((20, 15, 1), [1, 0])]:
        cases.run(f"rules at {sizes}", ruled, folder, sizes, counts, rng)
    for name in _DEFS:
        cases.run(f"tune {name}", tuned, folder / "tuned", name, False)
    cases.run("tune schedules", tuned, folder / "tuned", "parameters", True)
    cases.run("tune again", written_once_more, folder / "again")
    faults(cases, folder / "faults", rng, rounds)
    shutil.rmtree(folder, ignore_errors=True)
    cases.finish()


if __name__ == "__main__":
    sys.exit(main())
