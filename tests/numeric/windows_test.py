# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Windows that move over images compute what NumPy does, inside and at the borders, for every target.

Convolutions, depthwise ones, also with several results for each channel, and pooling, channels last, with paddings,
strides and dilations of either sign; depthwise ones with planes that lie whole; sizes at the edges of register tiles and
vectors, fixed beforehand or not; and bools that are any bytes.
"""

import ctypes
import os

import numpy as np

from tests.numeric import abi, compilers, einc_tool
from tests.numeric.levels_test import saved

_SPEC = """
def conv(I: f32(N, IH, IW, C), K: f32(KH, KW, C, F)) -> (O: f32(N, OH, OW, F))
  attr(s: 2xi64 = [1, 1], d: 2xi64 = [1, 1], p: 2xi64 = [0, 0])
{ O(n, oh, ow, f) += (I(n, oh * s[0] + kh * d[0] - p[0], ow * s[1] + kw * d[1] - p[1], c) else 0) * K(kh, kw, c, f); }

def depthwise(I: f32(N, IH, IW, C), K: f32(KH, KW, C)) -> (O: f32(N, OH, OW, C))
  attr(s: 2xi64 = [1, 1], d: 2xi64 = [1, 1], p: 2xi64 = [0, 0])
{ O(n, oh, ow, c) += (I(n, oh * s[0] + kh * d[0] - p[0], ow * s[1] + kw * d[1] - p[1], c) else 0) * K(kh, kw, c); }

def multiplied(I: f32(N, IH, IW, C), K: f32(KH, KW, C, F)) -> (O: f32(N, OH, OW, C, F))
  attr(s: 2xi64 = [1, 1], d: 2xi64 = [1, 1], p: 2xi64 = [0, 0])
{ O(n, oh, ow, c, f) += (I(n, oh * s[0] + kh * d[0] - p[0], ow * s[1] + kw * d[1] - p[1], c) else 0) * K(kh, kw, c, f); }

def pool(I: f32(N, IH, IW, C), K: f32(KH, KW)) -> (O: f32(N, OH, OW, C))
  attr(s: 2xi64 = [1, 1], d: 2xi64 = [1, 1], p: 2xi64 = [0, 0])
{ O(n, oh, ow, c) max= (I(n, oh * s[0] + kh * d[0] - p[0], ow * s[1] + kw * d[1] - p[1], c) else -100); }

def lacking(I: f32(N, IH, IW, C), K: f32(KH, KW, D)) -> (O: f32(N, OH, OW, D)) attr(p: 2xi64 = [0, 0])
{ O(n, oh, ow, c) += (I(n, oh + kh - p[0], ow + kw - p[1], c) else 0) * K(kh, kw, c); }

def planes(I: f32(N, C, IH, IW), K: f32(C, KH, KW)) -> (O: f32(N, C, OH, OW)) attr(s: 2xi64 = [1, 1], d: 2xi64 = [1, 1])
{ O(n, c, oh, ow) += I(n, c, oh * s[0] + kh * d[0], ow * s[1] + kw * d[1]) * K(c, kh, kw); }

def padded_planes(I: f32(N, C, IH, IW), K: f32(C, KH, KW)) -> (O: f32(N, C, OH, OW))
  attr(s: 2xi64 = [1, 1], d: 2xi64 = [1, 1])
{ O(n, c, oh, ow) += (I(n, c, oh * s[0] + kh * d[0] - 1, ow * s[1] + kw * d[1] - 1) else 0) * K(c, kh, kw); }

def most(I: f32(N, IH, IW, C), K: f32(KH, KW)) -> (O: f32(N, OH, OW, C))
{ O(n, oh, ow, c) max= I(n, oh + kh, ow + kw, c); }

def least(I: f32(N, IH, IW, C), K: f32(KH, KW)) -> (O: f32(N, OH, OW, C))
{ O(n, oh, ow, c) min= I(n, oh + kh, ow + kw, c); }

def bytes(I: u8(N, IH, IW, C), K: u8(KH, KW)) -> (O: u8(N, OH, OW, C))
{ O(n, oh, ow, c) max= I(n, oh + kh, ow + kw, c); }

def weighted(I: f32(N, IH, IW, C), K: f32(KH, KW, C)) -> (O: f32(N, OH, OW, C))
  attr(s: 2xi64 = [1, 1], d: 2xi64 = [1, 1])
{ O(n, oh, ow, c) += I(n, oh * s[0] + kh * d[0], ow * s[1] + kw * d[1], c) * K(kh, kw, c); }

def averaged(I: f32(N, IH, IW, C), K: f32(KH, KW)) -> (O: f32(N, OH, OW, C))
{ local S: f32(N, OH, OW, C); S(n, oh, ow, c) +=! I(n, oh + kh, ow + kw, c); O(n, oh, ow, c) = S(n, oh, ow, c) / cast<f32>(KH * KW); }

def finished(I: f32(N, IH, IW, C), K: f32(KH, KW, C), b: f32(C), R: f32(N, OH, OW, C)) -> (O: f32(N, OH, OW, C), P: f32(N, OH, OW, C))
{
  local S: f32(N, OH, OW, C);
  S(n, oh, ow, c) = b(c);
  S(n, oh, ow, c) += I(n, oh + kh, ow + kw, c) * K(kh, kw, c);
  O(n, oh, ow, c) = max(S(n, oh, ow, c), 0) + R(n, oh, ow, c);
  P(n, oh, ow, c) = S(n, oh, ow, c) * 2;
}

def turned(I: f32(N, C, IH, IW), K: f32(KH, KW, C), b: f32(C), R: f32(N, OH, OW, C)) -> (O: f32(N, C, OH, OW), P: f32(N, OH, OW, C))
{
  local S: f32(N, C, OH, OW);
  S(n, c, oh, ow) = b(c);
  S(n, c, oh, ow) += I(n, c, oh + kh, ow + kw) * K(kh, kw, c);
  O(n, c, oh, ow) = max(S(n, c, oh, ow), 0) + R(n, oh, ow, c);
  P(n, oh, ow, c) = S(n, c, oh, ow) * 2;
}

def gathered(K: f32(KH, KW, C), I: f32(N, C, IH, IW)) -> (O: f32(N, OH, OW))
{ O(n, oh, ow) += K(kh, kw, c) * I(n, c, oh + kh, ow + kw); }

def striped(I: f32(N, C, IH, IW), K: f32(KH, KW)) -> (O: f32(N, C, OH, OW)) attr(s: 2xi64 = [1, 1])
{
  local S: f32(N, C, OH, OW);
  S(n, c, oh, ow) +=! I(n, c, oh * s[0] + kh, ow * s[1] + kw) * K(kh, kw);
  O(n, c, oh, ow) = max(S(n, c, oh, ow), 0);
}

def reach(A: bool(M, K), B: bool(K, N)) -> (C: bool(M, N))
{ C(m, n) or= A(m, k) && B(k, n); }
"""
_SIDES = [1, 2, 3, 4, 5, 7, 8, 9, 12, 14]
_CHANNELS = [1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 48, 49, 63, 64, 65, 97]
# Channels in blocks, whole and not; as many positions inside as make one tile of 5 or 6; a single position; positions apart.
_BLOCKS = [("depthwise", 200, (4, 9), (7, 7), (4, 9), 1, 3), ("depthwise", 257, (6, 13), (5, 5), (3, 7), 2, 2),
           ("depthwise", 384, (2, 8), (7, 3), (2, 8), 1, 1), ("depthwise", 129, (3, 7), (7, 7), (3, 7), 1, 3),
           ("depthwise", 40, (3, 7), (3, 3), (3, 7), 1, 1), ("pool", 40, (3, 8), (3, 3), (3, 8), 1, 1),
           ("pool", 130, (5, 5), (5, 5), (1, 1), 1, 0), ("pool", 300, (4, 5), (4, 4), (1, 2), 1, 0),
           ("pool", 150, (8, 9), (2, 2), (4, 4), 2, 0), ("pool", 65, (9, 8), (3, 3), (5, 4), 2, 1)]
_TARGETS = ["x86-64-v4", "x86-64-v4", "x86-64-v3", "aarch64", "generic"]


def window(image, window_sizes, out, s, d, p, outside):
    """All elements that the windows see, as (KH, KW, N, OH, OW, C)."""
    seen = np.full((*window_sizes, image.shape[0], *out, image.shape[3]), outside, np.float64)
    for place in np.ndindex(*window_sizes, *out):
        y, x = (o * s[i] + k * d[i] - p[i] for i, (k, o) in enumerate(zip(place[:2], place[2:])))
        if 0 <= y < image.shape[1] and 0 <= x < image.shape[2]:
            seen[place[0], place[1], :, place[2], place[3]] = image[:, y, x]
    return seen


def draw(rng, most):
    while True:
        n, c, f = int(rng.integers(1, 3)), int(rng.choice(_CHANNELS)), int(rng.choice(_CHANNELS))
        sides, k, out = rng.choice(_SIDES, 2), rng.integers(1, 4, 2), rng.choice(_SIDES, 2)
        s, d, p = rng.integers(1, 3, 2), rng.choice([1, 1, 1, 2, -1], 2), rng.integers(0, 4, 2)
        if rng.integers(2):  # an output that just fits
            d = np.abs(d)
            out = np.maximum((sides + 2 * p - (k - 1) * d - 1) // s + 1, 1)
        if n * c * f * np.prod(out) * np.prod(k) <= most:
            return n, c, f, sides, k, out, s, d, p


def written(folder, name, array):
    np.save(folder / f"{name}.npy", array)
    return f"{name}={folder}/{name}.npy"


def case(folder, op, fixed, engine, target, drawn, rng):
    n, c, f, sides, k, out, s, d, p = drawn
    image = rng.standard_normal((n, *sides, c)).astype(np.float32)
    filters = {"conv": (*k, c, f), "depthwise": (*k, c), "multiplied": (*k, c, f), "pool": tuple(k)}
    kernel = rng.standard_normal(filters[op]).astype(np.float32)
    start = rng.standard_normal((n, *out, *{"conv": (f,), "multiplied": (c, f)}.get(op, (c,)))).astype(np.float32)
    seen = window(image, k, out, s, d, p, -100 if op == "pool" else 0)
    if op == "pool":
        want, most = np.maximum(start, seen.max((0, 1))), 0
    else:
        form = {"conv": "hwnyxc,hwcf->nyxf", "depthwise": "hwnyxc,hwc->nyxc", "multiplied": "hwnyxc,hwcf->nyxcf"}[op]
        want, most = start + np.einsum(form, seen, kernel), np.abs(start) + np.einsum(form, np.abs(seen), np.abs(kernel))
    args = ["eval", folder / "spec.tc", "--def", op, f"--engine={engine}"] + ([f"--target={target}"] if target else [])
    for name, value in zip("sdp", (s, d, p)):
        args += ["--attr", f"{name}={value[0]},{value[1]}"]
    if fixed:
        sizes = {"N": n, "C": c, "IH": sides[0], "IW": sides[1], "KH": k[0], "KW": k[1], "OH": out[0], "OW": out[1]}
        sizes |= {"F": f} if op in ("conv", "multiplied") else {}
        for name, value in sizes.items():
            args += ["--dim", f"{name}={value}"]
    args += ["--in", saved(folder, "I", image, rng), "--in", saved(folder, "K", kernel, rng)]
    args += ["--in", written(folder, "O", start), "--out", f"O={folder}/result.npy"]
    result = einc_tool.run(*args)
    if result.returncode:
        return f"{einc_tool.command_line(*args)}\nexit code {result.returncode}: {result.stderr}"
    got = np.load(folder / "result.npy")
    bad = np.argwhere(np.abs(got - want) > (c * np.prod(k) + 3) * np.finfo(np.float32).eps * most)
    if not len(bad):
        return None
    where = tuple(bad[0])
    return f"{len(bad)} wrong, at {where} {got[where]}, not {want[where]}\n{einc_tool.command_line(*args)}"


def lacking(folder, channels, most, rng):
    """The image has fewer channels than the windows, or more; it reads as 0 beyond its own."""
    image, kernel = (rng.standard_normal(shape).astype(np.float32) for shape in ((2, 9, 11, channels), (3, 3, most)))
    start = rng.standard_normal((2, 9, 11, most)).astype(np.float32)
    padded = np.zeros((2, 9, 11, most), np.float32)
    padded[..., : min(channels, most)] = image[..., :most]
    seen = window(padded, (3, 3), (9, 11), (1, 1), (1, 1), (1, 1), 0)
    want = start + np.einsum("hwnyxc,hwc->nyxc", seen, kernel)
    bound = 12 * np.finfo(np.float32).eps * (np.abs(start) + np.einsum("hwnyxc,hwc->nyxc", np.abs(seen), np.abs(kernel)))
    args = ["eval", folder / "spec.tc", "--def", "lacking", "--engine=native", "--attr", "p=1,1", "--out", f"O={folder}/result.npy"]
    for name, array in [("I", image), ("K", kernel), ("O", start)]:
        args += ["--in", written(folder, name, array)]
    einc_tool.must(einc_tool.run(*args))
    wrong = np.abs(np.load(folder / "result.npy") - want) > bound
    return f"{wrong.sum()} wrong\n{einc_tool.command_line(*args)}" if wrong.any() else None


def far(folder, known, padding):
    """All is outside, as far as 64 bits can say: the windows see the pad, and nothing overflows (a trap)."""
    args = ["emit", folder / "spec.tc", "--def", "lacking", "--stage=c", f"--target={'native' if einc_tool.LONG else 'x86-64-v3'}"]
    library = folder / f"far{known}{padding if known else ''}.so"
    if not library.exists():
        einc_tool.must(einc_tool.run(*args, "-o", folder / "far.c", *(["--attr", f"p=1,{padding}"] if known else [])))
        flags = ["-std=c11", "-O1" if einc_tool.LONG else "-O0", "-fPIC", "-shared", "-fsanitize=undefined", "-fsanitize-trap=undefined"]
        compilers.compile_c(einc_tool.CLANG, *flags, folder / "far.c", "-lm", out=library)
    child = os.fork()
    if child == 0:
        image, kernel, output = (np.full(shape, 3, np.float32) for shape in ((1, 5, 5, 8), (3, 3, 8), (1, 5, 5, 8)))
        words = [ctypes.byref(abi.describe(a)) for a in (image, kernel, output)]
        attribute = [] if known else [(ctypes.c_int64 * 2)(1, padding)]
        status = ctypes.CDLL(str(library)).lacking(*words, *attribute)
        os._exit(0 if status == 0 and (output == 3).all() else 1)
    _, status = os.waitpid(child, 0)
    return None if status == 0 else f"wait status {status}"


def planes(folder, sizes, fixed, engine, target, rng, padded=False):
    """Windows that move along vectors: N, C, KH, KW, OH, OW, steps and dilations along both. Padded, all around is 0."""
    n, c, kh, kw, oh, ow, sh, sw, dh, dw = sizes
    image = rng.standard_normal((n, c, (oh - 1) * sh + (kh - 1) * dh + 1, (ow - 1) * sw + (kw - 1) * dw + 1)).astype(np.float32)
    given = image
    if padded:
        given = image[:, :, 1:-1, 1:-1].copy()
        image = np.pad(given, ((0, 0), (0, 0), (1, 1), (1, 1)))
    kernel, start = (rng.standard_normal(shape).astype(np.float32) for shape in ((c, kh, kw), (n, c, oh, ow)))
    want, most = start.astype(np.float64), np.abs(start).astype(np.float64)
    for y, x in np.ndindex(kh, kw):
        seen = image[:, :, y * dh : y * dh + (oh - 1) * sh + 1 : sh, x * dw : x * dw + (ow - 1) * sw + 1 : sw]
        term = seen * kernel[:, y, x, None, None].astype(np.float64)
        want, most = want + term, most + np.abs(term)
    args = ["eval", folder / "spec.tc", f"--def={'padded_' * padded}planes", f"--engine={engine}", "--attr", f"s={sh},{sw}", "--attr", f"d={dh},{dw}"]
    args += [f"--target={target}"] if target else []
    names = ("N", "C", "KH", "KW", "OH", "OW", "IH", "IW")
    args += [f"--dim={name}={size}" for name, size in zip(names, (n, c, kh, kw, oh, ow, *given.shape[2:]))] if fixed else []
    args += ["--in", saved(folder, "I", given, rng), "--in", saved(folder, "K", kernel, rng)]
    result = einc_tool.run(*args, "--in", written(folder, "O", start), "--out", f"O={folder}/result.npy")
    if result.returncode:
        return f"{einc_tool.command_line(*args)}\nexit code {result.returncode}: {result.stderr}"
    bad = np.argwhere(np.abs(np.load(folder / "result.npy") - want) > (kh * kw + 3) * np.finfo(np.float32).eps * most)
    return f"{len(bad)} wrong, first {bad[0]}\n{einc_tool.command_line(*args)}" if len(bad) else None


def short(folder, op, sizes, engine, target, rng):
    """Few terms that move by one position, unpadded: N, OH, OW, C, KH, KW. Of floats some are NaN, infinite, or 0 of either sign."""
    n, oh, ow, c, kh, kw = sizes
    image = rng.standard_normal((n, oh + kh - 1, ow + kw - 1, c)).astype(np.float32)
    start = rng.standard_normal((n, oh, ow, c)).astype(np.float32)
    weighted = op in ("weighted", "finished", "turned")
    kernel = rng.standard_normal((kh, kw, c) if weighted else (kh, kw)).astype(np.float32)
    bias, given, results = rng.standard_normal(c).astype(np.float32), {}, {"O": f"{folder}/result.npy"}
    if op in ("most", "least"):
        odd = np.array([np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0], np.float32)
        for array in (image, start):
            array[...] = np.where(rng.random(array.shape) < 0.02, rng.choice(odd, array.shape), array)
            zeros = rng.random(c) < 0.5  # channels of little but zeros
            array[..., zeros] = np.where(rng.random(array[..., zeros].shape) < 0.9, rng.choice(odd[4:], array[..., zeros].shape), -1 if op == "most" else 1)
    elif op == "bytes":
        image, start, kernel = ((np.abs(a) * 60).astype(np.uint8) for a in (image, start, kernel))
    seen = np.stack([image[:, y : y + oh, x : x + ow] for y, x in np.ndindex(kh, kw)] + ([] if weighted or op == "averaged" else [start]))
    bound, eps = 0, (kh * kw + 3) * np.finfo(np.float32).eps
    if weighted:
        terms = seen.astype(np.float64) * kernel.astype(np.float64).reshape(kh * kw, 1, 1, 1, c)
        begin = start if op == "weighted" else np.broadcast_to(bias, start.shape)
        want, bound = begin + terms.sum(0), eps * (np.abs(begin) + np.abs(terms).sum(0))
        if op != "weighted":
            given, results = {"b": bias, "R": start}, results | {"P": f"{folder}/doubled.npy"}
            doubled, want, bound = 2 * want, np.maximum(want, 0) + start, 2 * bound + eps * np.abs(start)
    elif op == "averaged":
        want, bound = seen.mean(0, dtype=np.float64), eps * np.abs(seen).sum(0) / (kh * kw)
    else:
        want = seen.min(0) if op == "least" else seen.max(0)
    args = ["eval", folder / "spec.tc", f"--def={op}", f"--engine={engine}"] + ([f"--target={target}"] if target else [])
    given |= {"I": image.transpose(0, 3, 1, 2).copy() if op == "turned" else image, "K": kernel}
    for name, array in given.items():
        args += ["--in", saved(folder, name, array, rng)]
    args += [] if "R" in given else ["--in", written(folder, "O", start)]
    for name, path in results.items():
        args += ["--out", f"{name}={path}"]
    result = einc_tool.run(*args)
    if result.returncode:
        return f"{einc_tool.command_line(*args)}\nexit code {result.returncode}: {result.stderr}"
    got = np.load(folder / "result.npy")
    got = got.transpose(0, 2, 3, 1) if op == "turned" else got
    if len(results) > 1 and (np.abs(np.load(folder / "doubled.npy") - doubled) > bound).any():
        return f"wrong doubled\n{einc_tool.command_line(*args)}"
    with np.errstate(invalid="ignore"):
        near = np.abs(got - want) <= bound
    wrong = ~((got == want) | (np.isnan(got) & np.isnan(want))) & ~near
    if op in ("most", "least"):  # +0 if any is, or -0
        positive = (~np.signbit(seen) & (seen == 0)).any(0) if op == "most" else (~np.signbit(seen) | (seen != 0)).all(0)
        wrong |= (want == 0) & (np.signbit(got) == positive)
    bad = np.argwhere(wrong)
    return f"{len(bad)} wrong, first {bad[0]}: {got[tuple(bad[0])]}\n{einc_tool.command_line(*args)}" if len(bad) else None


def beforehand(folder, sizes, known, number, rng):
    """An average whose kernel is made for sizes: what has one position is in no loop, and windows are left over or not."""
    n, oh, ow, c, kh, kw = sizes
    image, output = (rng.standard_normal(s).astype(np.float32) for s in ((n, oh + kh - 1, ow + kw - 1, c), (n, oh, ow, c)))
    dims = {"N": n, "OH": oh, "OW": ow, "C": c, "KH": kh, "KW": kw}
    args = ["emit", folder / "spec.tc", "--def=averaged", "--stage=c", "--target=x86-64-v3", *[f"--dim={k}={dims[k]}" for k in known]]
    result = einc_tool.run(*args, "-o", folder / "known.c")
    if result.returncode:
        return f"{einc_tool.command_line(*args)}\nexit code {result.returncode}: {result.stderr}"
    library = folder / f"known{number}.so"
    compilers.compile_c(einc_tool.CLANG, "-std=c11", "-O1", "-fPIC", "-shared", folder / "known.c", "-lm", out=library)
    status = ctypes.CDLL(str(library)).averaged(*(ctypes.byref(abi.describe(a)) for a in (image, np.zeros((kh, kw), np.float32), output)))
    seen = np.stack([image[:, y : y + oh, x : x + ow] for y, x in np.ndindex(kh, kw)])
    bound = (kh * kw + 3) * np.finfo(np.float32).eps * np.abs(seen).mean(0)
    wrong = ~(np.abs(output - seen.mean(0, dtype=np.float64)) <= bound)
    return f"status {status}, {wrong.sum()} wrong\n{einc_tool.command_line(*args)}" if status or wrong.any() else None


def gathered(folder, op, sizes, step, flags, rng):
    """Sums over channels, too, whose loop is inside those of windows; and windows by steps, with a maximum behind them."""
    n, oh, ow, c, kh, kw = sizes
    image = rng.standard_normal((n, c, (oh - 1) * step + kh, (ow - 1) * step + kw)).astype(np.float32)
    kernel = rng.standard_normal((kh, kw, c) if op == "gathered" else (kh, kw)).astype(np.float32)
    start = rng.standard_normal((n, oh, ow) if op == "gathered" else (n, c, oh, ow)).astype(np.float32)
    seen = np.stack([image[:, :, y : y + (oh - 1) * step + 1 : step, x : x + (ow - 1) * step + 1 : step] for y, x in np.ndindex(kh, kw)])
    terms = seen.astype(np.float64) * kernel.reshape((kh * kw, 1, -1, 1, 1) if op == "gathered" else (kh * kw, 1, 1, 1, 1))
    want = start + terms.sum((0, 2)) if op == "gathered" else np.maximum(terms.sum(0), 0)
    most = np.abs(start) + np.abs(terms).sum((0, 2)) if op == "gathered" else np.abs(terms).sum(0)
    args = ["eval", folder / "spec.tc", f"--def={op}", *flags, "--in", saved(folder, "I", image, rng), "--in", saved(folder, "K", kernel, rng)]
    args += ["--attr", f"s={step},{step}"] if op == "striped" else []
    result = einc_tool.run(*args, "--in", written(folder, "O", start), "--out", f"O={folder}/result.npy")
    if result.returncode:
        return f"{einc_tool.command_line(*args)}\nexit code {result.returncode}: {result.stderr}"
    wrong = ~(np.abs(np.load(folder / "result.npy") - want) <= (terms.shape[0] * c + 3) * np.finfo(np.float32).eps * most)
    return f"{wrong.sum()} wrong\n{einc_tool.command_line(*args)}" if wrong.any() else None


def reach(folder, sizes, engine, target, rng):
    """Any byte but 0 is true."""
    m, k, n = sizes
    a, b = (np.where(rng.random(shape) < 0.1, rng.integers(1, 256, shape), 0).astype(np.uint8) for shape in ((m, k), (k, n)))
    args = ["eval", folder / "spec.tc", "--def", "reach", f"--engine={engine}"] + ([f"--target={target}"] if target else [])
    args += ["--in", written(folder, "A", a.view(bool)), "--in", written(folder, "B", b.view(bool)), "--out", f"C={folder}/C.npy"]
    result = einc_tool.run(*args)
    if result.returncode:
        return f"{einc_tool.command_line(*args)}\nexit code {result.returncode}: {result.stderr}"
    got, want = np.load(folder / "C.npy").view(np.uint8), (a != 0).astype(int) @ (b != 0).astype(int) > 0
    return None if np.array_equal(got, want.astype(np.uint8)) else f"wrong\n{einc_tool.command_line(*args)}"


def main():
    cases = einc_tool.Cases()
    folder = einc_tool.scratch()
    (folder / "spec.tc").write_text(_SPEC)
    rng = np.random.default_rng(20261122)
    for _ in range(20 if einc_tool.LONG else 2):
        for op in ["conv", "depthwise", "multiplied", "pool"]:
            for engine, most in [("hw", 20_000), ("native", 4_000_000), ("native", 4_000_000)]:
                target = str(rng.choice(_TARGETS)) if engine == "hw" else ""
                drawn, fixed = draw(rng, most), bool(rng.integers(2))
                name = f"{op} {engine} {target} {[np.asarray(x).tolist() for x in drawn]}{' fixed' if fixed else ''}"
                cases.run(name, case, folder, op, fixed, engine, target, drawn, rng)
        for engine, most in [("hw", 30), ("native", 300)]:
            target, sizes = (str(rng.choice(_TARGETS)) if engine == "hw" else ""), rng.integers(1, most, 3).tolist()
            cases.run(f"reach {engine} {target} {sizes}", reach, folder, sizes, engine, target, rng)
    for op, c, sides, k, out, step, padding in _BLOCKS:
        for engine, target in [("native", ""), ("hw", "x86-64-v4")]:
            drawn = (1, c, 1, *(np.array(x) for x in (sides, k, out)), *(np.full(2, x) for x in (step, 1, padding)))
            cases.run(f"{op} {engine} {c} {sides} {k} {out}", case, folder, op, True, engine, target, drawn, rng)
    for i, width in enumerate([1, 15, 16, 17, 63, 64, 127, 128, 129, 200] * (10 if einc_tool.LONG else 1)):
        for engine, target in [("native", ""), ("hw", str(rng.choice(_TARGETS)))]:
            c, kh, kw, height = (int(rng.integers(1, most)) for most in (4, 4, 4, 6))
            sizes = (1 + i % 2, c, kh, kw, height, width if engine == "native" else width % 70 + 1, *rng.integers(1, 3, 2).tolist(),
                     *rng.integers(1, 3, 2).tolist())
            cases.run(f"planes {engine} {target} {sizes}", planes, folder, sizes, i % 3 == 0, engine, target, rng)
            if i % 2 == 0:
                sizes = (*sizes[:2], 3, 3, *sizes[4:])
                cases.run(f"padded {engine} {target} {sizes}", planes, folder, sizes, i % 4 == 0, engine, target, rng, True)
    for i, (oh, ow, c) in enumerate([(1, 1, 1), (2, 4, 8), (3, 5, 9), (4, 8, 16), (1, 4, 7), (2, 3, 17), (5, 9, 33), (2, 5, 15), (7, 6, 40)]):
        for op in ["most", "least", "bytes", "weighted", "averaged", "finished", "turned"]:
            for engine, target in [("native", ""), ("hw", "x86-64-v4" if i % 2 else "x86-64-v3")]:
                terms = (3, 3) if i % 3 or engine == "hw" else (int(rng.integers(1, 6)), int(rng.integers(1, 6)))
                sizes = (1 + i % 2, oh, ow, c, *terms)
                cases.run(f"{op} {engine} {target} {sizes}", short, folder, op, sizes, engine, target, rng)
    for op in ["most", "bytes", "weighted", "averaged", "finished", "turned"]:  # more than the second cache has
        rows = 700 if op == "bytes" else 330
        cases.run(f"{op} beyond the second cache", short, folder, op, (1, rows, 101, 34, 3, 3), "native", "", rng)
    for i, (known, sizes) in enumerate([(["N"], (1, 5, 9, 17, 3, 3)), (["OH"], (2, 1, 9, 8, 3, 3)), (["OW", "N"], (1, 4, 1, 24, 3, 3)),
                                        (["N", "C"], (1, 4, 4, 1, 3, 3)), (["OH", "OW", "C"], (1, 5, 13, 40, 2, 5)),
                                        (["N", "OH", "OW", "C", "KH", "KW"], (2, 4, 8, 16, 3, 3)), (["KH", "KW"], (1, 3, 5, 9, 5, 5))]):
        cases.run(f"beforehand {known} {sizes}", beforehand, folder, sizes, known, i, rng)
    for i, (oh, ow, c) in enumerate([(1, 1, 3), (5, 33, 2), (4, 16, 1), (9, 70, 4), (3, 130, 5)]):
        for flags in [["--engine=native"], ["--engine=native", "--threads=2"], ["--engine=hw", "--target=x86-64-v4"]]:
            for op, step in [("gathered", 1), ("striped", 1), ("striped", 2)]:
                sizes = (2, oh, ow, c, 3, 3) if i % 2 == 0 else (1, oh, ow, c, *rng.integers(1, 5, 2).tolist())
                cases.run(f"{op} {step} {flags} {sizes}", gathered, folder, op, sizes, step, flags, rng)
    for channels, most in [(20, 33), (64, 100), (40, 24)]:
        cases.run(f"lacking {channels} {most}", lacking, folder, channels, most, rng)
    for known in [False, True]:
        for padding in [2**63 - 1, 2**62, 2**40, 10 - 2**63]:
            cases.run(f"far {padding}{' known' if known else ''}", far, folder, known, padding)
    cases.finish()


if __name__ == "__main__":
    main()
