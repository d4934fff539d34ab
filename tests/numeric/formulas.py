# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""What each def of specs/ computes, as a NumPy formula of its own.

A formula gets its arrays by name in a wide type, and scalars and attributes likewise. `weight` is
what the rounding bound scales with: by default the formula on absolute values, which for sums of
products is |A||B|. `k` is the length of the sums, `roundings` the other operations.
"""

import re
from dataclasses import dataclass

import numpy as np

from tests.numeric import abi, domains, einc_tool, formulas_conv, scalars


@dataclass
class Formula:
    signature: str  # "alpha A[M,K] x[K] -> y[M]"
    formula: object
    k: str = "1"  # of sizes
    weight: object = None
    roundings: int = 4
    attributes: tuple = ()  # (name, number of elements, lowest, highest)
    sizes: object = None  # further sizes, from those that are drawn and the attributes
    positive: bool = False  # the data
    exact: bool = True  # on small whole numbers, in any order
    wide: str = "f32"  # the accumulator's type, for those without a type parameter
    types: dict = None  # of tensors that are not T; None: all are T
    scalars: dict = None  # values of scalar parameters
    integers: bool = False  # T is an integer type

    def __post_init__(self):
        self.parts = [[], []]
        for side, text in enumerate(self.signature.split("->")):
            for name, shape in re.findall(r"(\w+)(\[[^]]*\])?", text):
                dims = shape.strip("[]").split(",") if shape else None
                self.parts[side].append((name, [d for d in dims if d] if shape else None))


def _conv_padded(I, K, O, **s):
    high = [(s["OH"] - 1) * s["strides"][0] + (s["KH"] - 1) * s["dilations"][0] + 1,
            (s["OW"] - 1) * s["strides"][1] + (s["KW"] - 1) * s["dilations"][1] + 1]
    whole = np.zeros((I.shape[0], high[0] + 9 + I.shape[1], high[1] + 9 + I.shape[2], I.shape[3]), I.dtype)
    p = s["padding"]
    whole[:, p[0] : p[0] + I.shape[1], p[1] : p[1] + I.shape[2]] = I
    return formulas_conv.convolve(("nhwc", "hwcf", "nhwf"), whole, K, O, **s)


def _softmax(X, **_):
    e = np.exp(X - X.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def _log_softmax(X, **_):
    m = X.max(axis=1, keepdims=True)
    return X - m - np.log(np.exp(X - m).sum(axis=1, keepdims=True))


def _layer_norm(X, gamma, beta, epsilon, **_):
    mean = X.mean(axis=1, keepdims=True)
    variance = ((X - mean) ** 2).mean(axis=1, keepdims=True)
    return (X - mean) / np.sqrt(variance + epsilon) * gamma + beta


def _pad(A, B, value, low, **_):
    whole = np.full(B.shape, value, np.longdouble)
    rows, columns = slice(low[0], low[0] + A.shape[0]), slice(low[1], low[1] + A.shape[1])
    target = whole[rows, columns]
    target[...] = A[: target.shape[0], : target.shape[1]]
    return whole


def _mlp(X, W1, b1, W2, b2, **_):
    return np.maximum(X @ W1 + b1, 0) @ W2 + b2


def _argmax(X, **_):
    return X.max(axis=1), X.argmax(axis=1)


def _quantize(A, scale, zero_point, **_):
    divided = (A.astype(np.float32) / np.float32(scale)).astype(np.float32)
    return np.clip(np.rint(divided) + np.float32(zero_point), -128, 127).astype(np.int8)


_STRIDED = (("strides", 2, 1, 3), ("dilations", 2, 1, 2))
_ONES = lambda **a: 1
_TABLE = {
    # matmul.tc
    "matmul": Formula("A[M,K] B[K,N] -> C[M,N]", lambda A, B, C, **_: C + A @ B, "K"),
    "matmul_transpose_a": Formula("A[K,M] B[K,N] -> C[M,N]", lambda A, B, C, **_: C + A.T @ B, "K"),
    "matmul_transpose_b": Formula("A[M,K] B[N,K] -> C[M,N]", lambda A, B, C, **_: C + A @ B.T, "K"),
    "matmul_i8_i32": Formula("A[M,K] B[K,N] -> C[M,N]", lambda A, B, C, **_: C + A @ B, "K",
                             types={"A": "i8", "B": "i8", "C": "i32"}),
    "matmul_f16_f32": Formula("A[M,K] B[K,N] -> C[M,N]", lambda A, B, C, **_: C + A @ B, "K",
                              types={"A": "f16", "B": "f16", "C": "f32"}),
    "gemm": Formula("alpha A[M,K] B[K,N] beta -> C[M,N]",
                    lambda A, B, C, alpha, beta, **_: alpha * (A @ B) + beta * C, "K",
                    scalars={"alpha": 2, "beta": 3}),
    "matmul_max_plus": Formula("A[M,K] B[K,N] -> C[M,N]",
                               lambda A, B, **_: (A[:, :, None] + B[None]).max(axis=1, initial=-np.inf)),
    "squared_distances": Formula("A[M,K] B[N,K] -> D[M,N]",
                                 lambda A, B, **_: ((A[:, None] - B[None]) ** 2).sum(axis=2), "K",
                                 weight=lambda A, B, **_: ((A[:, None] + B[None]) ** 2).sum(axis=2)),
    # matvec.tc
    "matvec": Formula("A[M,K] x[K] -> y[M]", lambda A, x, y, **_: y + A @ x, "K"),
    "vecmat": Formula("x[K] A[K,N] -> y[N]", lambda A, x, y, **_: y + x @ A, "K"),
    "dot": Formula("x[K] y[K] -> r[]", lambda x, y, r, **_: r + x @ y, "K"),
    "outer": Formula("x[M] y[N] -> A[M,N]", lambda x, y, A, **_: A + np.multiply.outer(x, y)),
    # batch_matmul.tc
    "batch_matmul": Formula("A[B,M,K] W[B,K,N] -> C[B,M,N]", lambda A, W, C, **_: C + A @ W, "K"),
    "batch_matmul_shared": Formula("A[B,M,K] W[K,N] -> C[B,M,N]", lambda A, W, C, **_: C + A @ W, "K"),
    "attention_scores": Formula("Q[B,S,H,D] X[B,L,H,D] -> Y[B,H,S,L]",
                                lambda Q, X, Y, **_: Y + Q.transpose(0, 2, 1, 3) @ X.transpose(0, 2, 3, 1), "D"),
    # conv.tc (formulas_conv.py has the others)
    "conv_2d_nhwc_hwcf_padded": Formula("I[N,IH,IW,C] K[KH,KW,C,F] -> O[N,OH,OW,F]", _conv_padded, "KH * KW * C",
                                        attributes=_STRIDED + (("padding", 2, 0, 3),),
                                        sizes=lambda s: {k: max(v - 4, 0) for k, v in
                                                         formulas_conv.window_sizes("hw")(s).items()}),
    # elementwise.tc
    "elementwise_add": Formula("A[M,N] B[M,N] -> C[M,N]", lambda A, B, **_: A + B),
    "elementwise_sub": Formula("A[M,N] B[M,N] -> C[M,N]", lambda A, B, **_: A - B,
                               weight=lambda A, B, **_: A + B),
    "elementwise_mul": Formula("A[M,N] B[M,N] -> C[M,N]", lambda A, B, **_: A * B),
    "elementwise_div": Formula("A[M,N] B[M,N] -> C[M,N]", lambda A, B, **_: A / B, positive=True, exact=False),
    "elementwise_max": Formula("A[M,N] B[M,N] -> C[M,N]", lambda A, B, **_: np.maximum(A, B), roundings=0),
    "elementwise_min": Formula("A[M,N] B[M,N] -> C[M,N]", lambda A, B, **_: np.minimum(A, B), roundings=0),
    "elementwise_abs": Formula("A[M,N] -> C[M,N]", lambda A, **_: np.abs(A), roundings=0),
    "elementwise_exp": Formula("A[M,N] -> C[M,N]", lambda A, **_: np.exp(A), exact=False),
    "elementwise_log": Formula("A[M,N] -> C[M,N]", lambda A, **_: np.log(A), positive=True, exact=False,
                               weight=lambda A, **_: np.abs(np.log(A))),
    "elementwise_sqrt": Formula("A[M,N] -> C[M,N]", lambda A, **_: np.sqrt(A), positive=True, exact=False),
    "elementwise_tanh": Formula("A[M,N] -> C[M,N]", lambda A, **_: np.tanh(A), exact=False),
    "relu": Formula("A[M,N] -> C[M,N]", lambda A, **_: np.maximum(A, 0), roundings=0),
    "sigmoid": Formula("A[M,N] -> C[M,N]", lambda A, **_: 1 / (1 + np.exp(-A)), exact=False, weight=_ONES),
    "gelu": Formula("A[M,N] -> C[M,N]",
                    lambda A, **_: A * (1 + domains._erf(A * np.sqrt(np.longdouble(0.5)))) / 2, exact=False,
                    roundings=8, weight=lambda A, **_: A + 1e-6),
    "add_bias": Formula("A[M,N] bias[N] -> C[M,N]", lambda A, bias, **_: A + bias),
    "axpy": Formula("alpha x[N] -> y[N]", lambda alpha, x, y, **_: alpha * x + y, scalars={"alpha": 3}),
    "scale": Formula("alpha A[M,N] -> C[M,N]", lambda alpha, A, **_: alpha * A, scalars={"alpha": 3}),
    "clamp": Formula("A[M,N] low high -> C[M,N]", lambda A, low, high, **_: np.clip(A, low, high), roundings=0,
                     scalars={"low": 0, "high": 2}),
    "convert": Formula("A[M,N] -> C[M,N]", lambda A, **_: np.trunc(A), roundings=0, types={"C": "i32"}),
    "quantize": Formula("A[M,N] scale zero_point -> C[M,N]", _quantize, roundings=0,
                        types={"A": "f32", "scale": "f32", "zero_point": "i32", "C": "i8"},
                        scalars={"scale": 0.03125, "zero_point": 5}),
    # layout.tc
    "copy": Formula("A[M,N] -> B[M,N]", lambda A, **_: A, roundings=0),
    "transpose": Formula("A[M,N] -> B[N,M]", lambda A, **_: A.T, roundings=0),
    "transpose_nhwc_nchw": Formula("A[N,H,W,C] -> B[N,C,H,W]", lambda A, **_: A.transpose(0, 3, 1, 2), roundings=0),
    "broadcast_rows": Formula("x[N] -> B[M,N]", lambda x, B, **_: np.broadcast_to(x, B.shape), roundings=0),
    "broadcast_columns": Formula("x[M] -> B[M,N]", lambda x, B, **_: np.broadcast_to(x[:, None], B.shape), roundings=0),
    "fill": Formula("value -> B[M,N]", lambda value, B, **_: np.full_like(B, value), roundings=0,
                    scalars={"value": 7}),
    "iota": Formula("start step -> x[N]", lambda start, step, x, **_: start + step * np.arange(len(x)), roundings=0,
                    types={"start": "i64", "step": "i64", "x": "i64"}, scalars={"start": -5, "step": 3}),
    "reverse": Formula("x[N] -> y[N]", lambda x, **_: x[::-1], roundings=0),
    "slice_2d": Formula("A[H,W] -> B[M,N]",
                        lambda A, B, offsets, strides, **_: A[offsets[0] :: strides[0], offsets[1] :: strides[1]][
                            : B.shape[0], : B.shape[1]], roundings=0,
                        attributes=(("offsets", 2, 0, 3), ("strides", 2, 1, 3)),
                        sizes=lambda s: {"H": max((s["M"] - 1) * s["strides"][0] + s["offsets"][0] + 1, 0),
                                         "W": max((s["N"] - 1) * s["strides"][1] + s["offsets"][1] + 3, 0)}),
    "pad_2d": Formula("A[H,W] value -> B[M,N]", _pad, roundings=0, attributes=(("low", 2, 0, 3),),
                      scalars={"value": 9}),
    # softmax.tc, norm.tc, mlp.tc
    "softmax": Formula("X[M,N] -> Y[M,N]", _softmax, "N + 20", exact=False, weight=_ONES),
    "log_softmax": Formula("X[M,N] -> Y[M,N]", _log_softmax, "N + 20", exact=False,
                           weight=lambda X, **_: 2 * X.max(initial=0) + 10),
    "layer_norm": Formula("X[M,N] gamma[N] beta[N] epsilon -> Y[M,N]", _layer_norm, "2 * N + 20", exact=False,
                          scalars={"epsilon": 0.5}, weight=lambda X, gamma, beta, epsilon, **_: 4 * gamma * (
                              X.max(initial=0) + 1) ** 2 + beta),
    "rms_norm": Formula("X[M,N] gamma[N] epsilon -> Y[M,N]",
                        lambda X, gamma, epsilon, **_: X / np.sqrt((X**2).mean(axis=1, keepdims=True) + epsilon)
                        * gamma, "N + 20", exact=False, scalars={"epsilon": 0.5},
                        weight=lambda X, gamma, **_: 2 * X * gamma),
    "batch_norm_nhwc": Formula("X[N,H,W,C] mean[C] variance[C] gamma[C] beta[C] epsilon -> Y[N,H,W,C]",
                               lambda X, mean, variance, gamma, beta, epsilon, **_: (X - mean)
                               / np.sqrt(variance + epsilon) * gamma + beta, exact=False, positive=True, roundings=8,
                               scalars={"epsilon": 0.5}, weight=lambda X, mean, variance, gamma, beta, epsilon, **_:
                               (X + mean) * gamma * 2 + beta),
    "norm_l2": Formula("X[M,N] -> y[M]", lambda X, **_: np.sqrt((X**2).sum(axis=1)), "N", exact=False),
    "dense": Formula("X[B,I] W[I,O] bias[O] -> Y[B,O]", lambda X, W, bias, **_: np.maximum(X @ W + bias, 0), "I"),
    "mlp": Formula("X[B,I] W1[I,H] b1[H] W2[H,O] b2[O] -> Y[B,O]", _mlp, "I + H"),
    # reductions.tc
    "sum_rows": Formula("X[M,N] -> y[M]", lambda X, **_: X.sum(axis=1), "N"),
    "sum_columns": Formula("X[M,N] -> y[N]", lambda X, **_: X.sum(axis=0), "M"),
    "sum_all": Formula("X[M,N] -> y[]", lambda X, **_: X.sum(), "M * N"),
    "prod_rows": Formula("X[M,N] -> y[M]", lambda X, **_: X.prod(axis=1), "N", exact=False),
    "max_rows": Formula("X[M,N] -> y[M]", lambda X, **_: X.max(axis=1, initial=-np.inf), roundings=0),
    "min_rows": Formula("X[M,N] -> y[M]", lambda X, **_: X.min(axis=1, initial=np.inf), roundings=0),
    "mean_rows": Formula("X[M,N] -> y[M]", lambda X, **_: X.mean(axis=1), "N", exact=False),
    "any_rows": Formula("X[M,N] -> y[M]", lambda X, **_: X.any(axis=1), types={"X": "bool", "y": "bool"}),
    "all_rows": Formula("X[M,N] -> y[M]", lambda X, **_: X.all(axis=1), types={"X": "bool", "y": "bool"}),
    "argmax_rows": Formula("X[M,N] -> value[M] position[M]", _argmax, roundings=0, types={"position": "i64"}),
    **formulas_conv.table(Formula),
}


class Call:
    """One def on drawn data."""

    def __init__(self, name, element, rng, whole, sizes):
        self.name, self.entry, self.element, self.whole = name, _TABLE[name], element, whole
        entry = self.entry
        self.attributes = {a: [int(n) for n in rng.integers(low, high + 1, count)]
                           for a, count, low, high in entry.attributes}
        self.sizes = {d: int(rng.choice(sizes)) for _, dims in entry.parts[0] + entry.parts[1]
                      for d in dims or [] if d.isidentifier()}
        for window in ("KH", "KW", "KD"):
            if window in self.sizes:
                self.sizes[window] = int(rng.integers(1, 4))
        if entry.sizes:
            self.sizes.update({k: max(v, 0) for k, v in entry.sizes({**self.sizes, **self.attributes}).items()})
        self.scalars = dict(entry.scalars or {})
        self.arrays = {n: self._draw(n, dims, rng) for n, dims in entry.parts[0] + entry.parts[1] if dims is not None}

    def kind(self, name):
        types = self.entry.types
        if types is None:
            return self.element
        return types.get(name, self.element)

    def _draw(self, name, dims, rng):
        kind, shape = self.kind(name), [self.sizes[d] for d in dims]
        if kind == "bool":
            return rng.random(shape) < (0.9 if self.name == "all_rows" else 0.1)
        if self.whole or not scalars.is_float(kind):
            low = 1 if self.entry.positive else 0 if kind[0] == "u" else -3
            data = rng.integers(low, 4, shape)
            return scalars.to_storage(kind, data)
        data = rng.uniform(0.5, 2, shape) if self.entry.positive else rng.normal(size=shape)
        return scalars.to_storage(kind, scalars.cast(data, "f64", kind))

    @property
    def outputs(self):
        return [n for n, _ in self.entry.parts[1]]

    def _values(self, absolute):
        values = {n: scalars.from_storage(self.kind(n), a) for n, a in self.arrays.items()}
        values = {n: v if v.dtype == bool else v.astype(np.longdouble) for n, v in values.items()}
        if absolute:
            values = {n: np.abs(v) for n, v in values.items()}
        return {**values, **{n: abs(v) if absolute else v for n, v in self.scalars.items()},
                **self.attributes, **{d: n for d, n in self.sizes.items() if d not in self.arrays}}

    def compare(self, results):
        with np.errstate(all="ignore"):
            wanted = self.entry.formula(**self._values(False))
            wanted = wanted if isinstance(wanted, tuple) else (wanted,)
            for name, want, stored in zip(self.outputs, wanted, results):
                message = self._compare(name, np.asarray(want), stored)
                if message:
                    return f"{self.name} {self.element} {self.sizes} {self.attributes}: {name}: {message}"
        return None

    def _compare(self, name, want, stored):
        kind, entry = self.kind(name), self.entry
        if want.shape != stored.shape:
            return f"shape {stored.shape}, not {want.shape}"
        got = scalars.from_storage(kind, stored)
        exact = entry.roundings == 0 or not scalars.is_float(kind) or (self.whole and entry.exact)
        if exact:
            wide = np.where(np.isinf(want) & ~np.isinf(got), got, want) if not scalars.is_float(kind) else want
            same = (got == wide) | (np.isnan(want) & np.isnan(got.astype(np.float64)))
            return domains._first_difference(same, got, want)
        unit, tiny, _ = domains._LIMITS[kind]
        k = eval(entry.k, {}, self.sizes) + entry.roundings  # of our own table
        gamma = k * unit / (1 - k * unit) if k * unit < 0.5 else 1
        weight = np.abs(np.asarray((entry.weight or entry.formula)(**self._values(True)), np.longdouble)) + np.abs(want)
        bound = np.broadcast_to(gamma * weight + k * tiny, want.shape)
        usual = np.broadcast_to((8 * k**0.5 + 8) * unit * weight + k * tiny, want.shape)
        error = np.abs(got.astype(np.longdouble) - want)
        message = domains._first_difference((error <= bound) | (np.isnan(want) & np.isnan(got)), got, want, bound)
        if message is None and np.count_nonzero(error > usual) > max(2, 0.01 * want.size):
            message = "too many elements at the margin of their bound"
        return message

    @property
    def worth_comparing(self):
        """Whether most elements of the first output are neither zero nor equal."""
        with np.errstate(all="ignore"):
            want = self.entry.formula(**self._values(False))
        want = np.asarray(want[0] if isinstance(want, tuple) else want, np.float64).ravel()
        return want.size < 8 or len(np.unique(want)) > want.size // 3

    # ---- The two engines ----

    def run_eval(self, folder, spec, engine="reference", static=False):
        """`static`: all sizes are given on the command line, too, and compiled in."""
        folder.mkdir(parents=True, exist_ok=True)
        args = ["eval", spec, "--def", self.name, f"--engine={engine}"]
        signature = _text_of(self.name, spec).split('"""')[0]
        for name, size in self.sizes.items() if static else ():
            if re.search(rf"[(, ]{name}[,)}}]", signature):
                args += ["--dim", f"{name}={size}"]
        if "<" in _text_of(self.name, spec).split("(")[0]:
            args += ["--type", f"T={self.element}"]
        for name, array in self.arrays.items():
            np.save(folder / f"{name}.npy", array)
            args += ["--in", f"{name}={folder}/{name}.npy"]
        for name, value in self.scalars.items():
            args += ["--attr", f"{name}={value}"]
        for name, values in self.attributes.items():
            args += ["--attr", f"{name}=" + ",".join(map(str, values))]
        for name in self.outputs:
            args += ["--out", f"{name}={folder}/{name}.out.npy"]
        result = einc_tool.run(*args)
        line = einc_tool.command_line(*args)
        if result.returncode:
            return f"{line}\nexit code {result.returncode}: {result.stderr}"
        message = self.compare([np.load(folder / f"{n}.out.npy") for n in self.outputs])
        return message and f"{message}\n{line}"

    def run_native(self, library):
        args = []
        for name, dims in self.entry.parts[0] + self.entry.parts[1]:
            args.append(abi.c_scalar(self.kind(name), self.scalars[name]) if dims is None
                        else abi.describe(self.arrays[name]))
        args += [abi.c_attribute("i64", self.attributes[a]) for a, *_ in self.entry.attributes]
        before = {n: self.arrays[n].copy() for n in self.outputs}
        status = getattr(library, self.name)(*args)
        if status:
            return f"{self.name} {self.element} {self.sizes} {self.attributes}: status {status}"
        results = {n: self.arrays[n] for n in self.outputs}
        self.arrays.update(before)
        return self.compare([results[n] for n in self.outputs])


_DEF = re.compile(r"^def (\w+)\b.*?^}$", re.MULTILINE | re.DOTALL)


def _names_of(text):
    """The defs that a def is: its layouts, or itself."""
    layouts = re.search(r"^  layouts\((.*?\))\)$", text, re.MULTILINE | re.DOTALL)
    return re.findall(r"(\w+)\(", layouts[1]) if layouts else [re.match(r"def (\w+)", text)[1]]


def defs_of(specs):
    """def -> the spec file it stands in."""
    return {name: path for path in specs for d in _DEF.finditer(path.read_text()) for name in _names_of(d[0])}


def _text_of(name, path):
    """The def's text; with the other defs it gives, if it has layouts."""
    return next(d[0] for d in _DEF.finditer(path.read_text()) if name in _names_of(d[0])) + "\n"


# Defs that take numbers of any type: no division, no math library.
def _generic(name, path):
    text = _text_of(name, path)
    body = text[text.rindex('"""') :]
    return "<" in text.split("(")[0] and not re.search(r"exp|log|sqrt|tanh|erf|/|rsqrt|inf\b|cast<|\.\d", body)


def library_of(folder, element, defs):
    """A spec with all defs that have a meaning for T=element, and the library made of it."""
    names = sorted(n for n, path in defs.items() if
                   (not scalars.is_float(element) if n in _TABLE and _TABLE[n].integers
                    else scalars.is_float(element) or _generic(n, path)))
    folder.mkdir(parents=True)
    spec = folder / "specs.tc"
    spec.write_text("\n".join(dict.fromkeys(_text_of(n, defs[n]) for n in names)))
    return abi.build(folder, f"specs_{element}", [spec], "--type", f"T={element}"), spec, names


# Compiled one by one for fixed sizes and attributes, which takes time.
_STATIC = ["matmul", "dot", "conv_2d_nhwc_hwcf", "conv_2d", "pooling_nhwc_average", "softmax", "mlp", "argmax_rows", "pad_2d",
           "fill", "transpose"]

_SIZES = [[1, 2, 3, 5], [4, 6, 7, 9], [8, 15, 16, 17]]


def check_all(cases, folder):
    defs = defs_of(einc_tool.specs())
    for name in defs:
        cases.check(f"formula for {name}", None if name in _TABLE else "specs/ has a def without a formula")
    elements = ["f32", "f64", "i32"] if not einc_tool.LONG else ["f32", "f64", "f16", "bf16", "i8", "u16", "i32", "i64"]
    for element in elements:
        try:
            library, spec, names = library_of(folder / element, element, defs)
        except RuntimeError as error:
            cases.check(f"build of specs/ for {element}", error)
            continue
        for name in names:
            worth = []
            for seed in range(24 if einc_tool.LONG else 6):
                rng = np.random.default_rng([seed, len(name), ord(element[0]), ord(name[-1])])
                call = Call(name, element, rng, whole=seed % 2 == 0, sizes=_SIZES[seed % 3])
                worth.append(call.worth_comparing or seed % 2 == 0)
                cases.run(f"native {name} {element} {seed}", call.run_native, library)
                static = element == "f32" and seed == 4 and (einc_tool.LONG or name in _STATIC)
                if static:
                    cases.run(f"static {name}", call.run_eval, folder / "eval", spec, "native", True)
                if seed < (6 if einc_tool.LONG else 2):
                    cases.run(f"reference {name} {element} {seed}", call.run_eval, folder / "eval", spec)
            fixed = name in ("any_rows", "all_rows", "fill", "clamp", "quantize", "convert", "pad_2d", "broadcast_rows",
                             "broadcast_columns", "pooling_nhwc_max", "pooling_nhwc_min", "relu", "dense")
            if scalars.is_float(element) and not fixed and not any(worth):
                cases.check(f"trust {name}", "the outputs are mostly equal")
