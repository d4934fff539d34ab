# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""NumPy's einsum, on kernels that are made for the subscripts when they are first seen."""

from __future__ import annotations

import string
from typing import Any, Dict, List, Optional, Sequence, Tuple

from . import compile as compiler
from .elements import ELEMENTS, numpy, own_dtype
from .errors import ArgumentTypeError, ArgumentValueError, Error
from .kernel import Kernel

_TYPES = ("f32", "f64", "f16", "bf16", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")

_MOST = 1024  # shapes that are kept

_kernels: Dict[Tuple[Any, ...], Tuple[Kernel, str]] = {}
_known: Dict[Tuple[Any, ...], Tuple[Kernel, Tuple[int, ...], Any]] = {}  # of operands that need no other view


def einsum(subscripts: str, *operands: Any, out: Optional[Any] = None, **options: Any) -> Any:
    """What numpy.einsum computes of these arrays, in one kernel: einsum("mk,kn->mn", A, B).

    The operands are NumPy arrays of one type, f16 to f64 or integers. Without "->" the output has the letters that stand
    once, in alphabetic order; "..." stands for the dimensions without letters. out= is overwritten; optimize= is
    taken, and changes nothing. `options` are those of load but types. The first call with certain subscripts, types and
    ranks compiles a kernel.
    """
    if numpy is None:
        raise Error("einsum makes and takes NumPy arrays, and NumPy is not installed")
    if out is None and not options:
        try:
            known = _known.get((subscripts, *[(a.shape, a.dtype) for a in operands]))
        except (AttributeError, TypeError):  # no arrays
            known = None
        if known:
            kernel, shape, dtype = known
            result = kernel(*operands, out=numpy.zeros(shape, dtype))
            return result if shape else result[()]
    options.pop("optimize", None)
    if wrong := sorted(options.keys() - compiler.OPTIONS):
        raise ArgumentTypeError(f"einsum: there is no option {wrong[0]!r}; there are out, optimize, {', '.join(sorted(compiler.OPTIONS))}")
    try:
        arrays = [numpy.asarray(o) for o in operands]
    except (TypeError, ValueError, RuntimeError) as error:
        raise ArgumentTypeError(f"einsum: an operand is no array: {error}") from error
    return _einsum(subscripts, arrays, out, options)


def _einsum(subscripts: str, arrays: List[Any], out: Any, options: Dict[str, Any]) -> Any:
    if not isinstance(subscripts, str):
        raise ArgumentTypeError(f"expected subscripts such as 'mk,kn->mn', got {subscripts!r}; lists of numbers are not taken")
    if out is not None and not isinstance(out, numpy.ndarray):
        raise ArgumentTypeError(f"einsum: out: expected a NumPy array, got {type(out).__name__}")
    ranks = tuple(a.ndim for a in arrays)
    key = (subscripts, tuple(a.dtype for a in arrays), ranks, repr(sorted(options.items())))
    if key not in _kernels:
        named = _without_ellipsis(subscripts, ranks)
        _kernels[key] = compiler.load_einsum(named, _type(arrays), **options)["einsum"], named
    kernel, named = _kernels[key]
    views, sizes = _broadcast(named, arrays)
    shape, dtype = tuple(sizes[letter] for letter in _output(named)), arrays[0].dtype
    if out is not None:
        if (out.shape, out.dtype) != (shape, dtype):
            raise ArgumentValueError(f"einsum: out: expected {dtype.name} of shape {shape}, got {out.dtype.name} of shape {out.shape}")
        if not out.flags.writeable:
            raise ArgumentValueError("einsum: out: an output must be writable; this array is read-only")
        if any(numpy.may_share_memory(out, view) for view in views):
            out[...] = kernel(*views, out=numpy.zeros(shape, dtype))
            return out
        out[...] = 0
        return kernel(*views, out=out)
    result = kernel(*views, out=numpy.zeros(shape, dtype))
    if not options and all(v is a for v, a in zip(views, arrays)):
        if len(_known) >= _MOST:
            _known.clear()
        _known[(subscripts, *[(a.shape, a.dtype) for a in arrays])] = kernel, shape, dtype
    return result if shape else result[()]


def _type(arrays: Sequence[Any]) -> str:
    """The one type of all operands, as specs call it."""
    kinds = {a.dtype for a in arrays}
    if swapped := [i for i, a in enumerate(arrays) if not a.dtype.isnative]:
        raise ArgumentTypeError(f"einsum: operand {swapped[0]} is {arrays[swapped[0]].dtype.newbyteorder('=').name} in the other byte order: "
                                "convert it, as with A.astype(A.dtype.newbyteorder('='))")
    if len(kinds) > 1:
        raise ArgumentTypeError(f"einsum: the operands have different types, {', '.join(sorted(k.name for k in kinds))}: convert them to one, "
                                "as with A.astype(numpy.float32)")
    for name in _TYPES:
        if kinds == {own_dtype(ELEMENTS[name])}:
            return name
    raise ArgumentTypeError(f"einsum: there is no sum of products of {kinds.pop().name}; there is of "
                            f"{', '.join(d.name for d in (own_dtype(ELEMENTS[n]) for n in _TYPES) if d is not None)}")


def _terms(subscripts: str) -> Tuple[List[str], Optional[str]]:
    inputs, arrow, output = subscripts.partition("->")
    return inputs.split(","), output if arrow else None


def _output(subscripts: str) -> str:
    inputs, output = _terms(subscripts)
    if output is not None:
        return output
    letters = "".join(inputs)
    return "".join(sorted(c for c in set(letters) if letters.count(c) == 1))


def _without_ellipsis(subscripts: str, ranks: Sequence[int]) -> str:
    """With a letter for each dimension, so that the kernel's spec can be written, and an output."""
    subscripts = "".join(subscripts.split())
    inputs, output = _terms(subscripts)
    if len(inputs) != len(ranks):
        raise ArgumentValueError(f"einsum: {subscripts!r} is for {len(inputs)} operands, and {len(ranks)} came")
    free = [c for c in string.ascii_letters if c not in subscripts]
    counts = [rank - len(term.replace("...", "")) for term, rank in zip(inputs, ranks)]
    most = max([n for n, term in zip(counts, inputs) if "..." in term], default=0)
    if most > len(free):
        raise ArgumentValueError(f"einsum: {subscripts!r} has more dimensions than there are letters")
    for i, (term, n) in enumerate(zip(inputs, counts)):
        if n != 0 and "..." not in term or n < 0:
            raise ArgumentValueError(f"einsum: operand {i} has {ranks[i]} dimensions, and {term!r} is for "
                                     f"{len(term.replace('...', ''))}{' or more' if '...' in term else ''}")
    named = [term.replace("...", "".join(free[most - n:most]), 1) for term, n in zip(inputs, counts)]
    shared = "".join(free[:most])
    if output is None:
        output = (shared if any("..." in t for t in inputs) else "") + _output(",".join(t.replace("...", "") for t in inputs))
    elif "..." in output:
        output = output.replace("...", shared, 1)
    elif shared:
        raise ArgumentValueError(f"einsum: {subscripts!r} sums over '...', which NumPy does not allow: put it into the output")
    return f"{','.join(named)}->{output}"


def _broadcast(subscripts: str, arrays: Sequence[Any]) -> Tuple[List[Any], Dict[str, int]]:
    """Views in which dimensions of size 1 are as long as others of their letter, and the letters' sizes."""
    inputs, _ = _terms(subscripts)
    sizes: Dict[str, int] = {}
    for i, (term, array) in enumerate(zip(inputs, arrays)):
        for letter, size in zip(term, array.shape):
            if sizes.setdefault(letter, size) == 1:
                sizes[letter] = size
            elif size not in (1, sizes[letter]):
                raise ArgumentValueError(f"einsum: {letter!r} is {size} in operand {i}, and {sizes[letter]} before")
    views = []
    for term, array in zip(inputs, arrays):
        shape = tuple(sizes[letter] for letter in term)
        views.append(array if array.shape == shape else numpy.broadcast_to(array, shape))
    return views, sizes
