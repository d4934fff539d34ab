# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""What defs are, as data: `einc emit --stage=ops` read back. The benchmark of specs takes sizes and work from it.

Indices are Python's syntax trees (`m // MI`); payloads are tuples ("mul", type, width, arguments ...).
"""

import ast
import dataclasses
import re
import subprocess

BYTES = {"bool": 1, "i8": 1, "u8": 1, "i16": 2, "u16": 2, "f16": 2, "bf16": 2, "i32": 4, "u32": 4, "f32": 4,
         "i64": 8, "u64": 8, "f64": 8}  # fmt: skip
COMPARES = {"eq", "ne", "lt", "le", "gt", "ge", "lt_unsigned", "le_unsigned", "gt_unsigned", "ge_unsigned"}
_POSITION = 4  # bytes: positions fit into lanes of 32 bits


@dataclasses.dataclass
class Tensor:
    name: str
    type: str
    shape: list  # of trees
    role: str  # input, output, local

    def symbols(self):
        return {name for size in self.shape for name in names_of(size)}


@dataclasses.dataclass
class Scalar:
    """A scalar parameter, or an attribute, which has elements."""

    name: str
    type: str
    default: list = None
    count: int = 0  # 0: a scalar parameter


@dataclasses.dataclass
class Operand:
    tensor: str
    index: list  # of trees
    shape_only: bool = False
    padded: bool = False


@dataclasses.dataclass
class Op:
    iterators: dict  # name -> whether it is a reduction
    operands: list
    outputs: int  # how many of the last operands
    results: list  # payloads

    def written(self):
        return self.operands[len(self.operands) - self.outputs :]


@dataclasses.dataclass
class Kernel:
    name: str
    parameters: list  # Tensors and Scalars as the C function takes them: inputs, outputs, attributes
    locals: list
    ops: list

    @property
    def tensors(self):
        return {t.name: t for t in self.parameters + self.locals if isinstance(t, Tensor)}

    @property
    def scalars(self):
        return {s.name: s for s in self.parameters if isinstance(s, Scalar)}


def names_of(tree):
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


class _Reader:
    _TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|%"[^"]*"|%\w+|@\w+|->|-?(?:\d+\.?\d*(?:e[-+]?\d+)?|inf|nan|0x[0-9a-f.p+-]+)_\w+|\w+|\S')

    def __init__(self, text):
        self.tokens, self.at = self._TOKEN.findall(text), 0

    def peek(self, ahead=0):
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else ""

    def take(self, wanted=None):
        token = self.peek()
        if wanted and token != wanted:
            raise ValueError(f"'{token}' where '{wanted}' should be, before {' '.join(self.tokens[self.at : self.at + 12])}")
        self.at += 1
        return token

    def has(self, token):
        if self.peek() != token:
            return False
        self.at += 1
        return True

    def list(self, end, item):
        found = []
        while not self.has(end):
            found.append(item())
            self.has(",")
        return found

    def until(self, *ends):
        """The tree of an index, which ends before one of these outside of brackets."""
        depth, words = 0, []
        while depth or self.peek() not in ends:
            token = self.take()
            depth += (token in "([") - (token in ")]")
            words.append({"floordiv": "//", "mod": "%"}.get(token, token))
        return ast.parse(" ".join(words), mode="eval").body

    # ---- Kernels ----

    def kernel(self):
        self.take("kernel")
        name = self.take()[1:]
        self.take("(")
        inputs = self.list(")", self.parameter)
        self.take("->")
        self.take("(")
        outputs = self.list(")", self.parameter)
        for tensor in outputs:
            tensor.role = "output"
        attributes = []
        while not self.has("level"):
            word = self.take()
            if word == "attr":
                attributes.append(self.parameter())
            elif word != "strides":
                self.take()
        self.take("tensors")
        self.take("{")
        kernel = Kernel(name, inputs + outputs + attributes, [], [])
        while not self.has("}"):
            if self.has("local"):
                kernel.locals.append(dataclasses.replace(self.parameter(), role="local"))
            else:
                kernel.ops.append(self.op(kernel))
        return kernel

    def parameter(self):
        name = self.take()
        self.has("?")
        self.take(":")
        if name[0] != "%":
            return self.scalar(name)
        self.take("tensor")
        self.take("<")
        shape = []
        while self.peek() not in BYTES:
            shape.append(self.until("x"))
            self.take("x")
        kind = self.take()
        self.take(">")
        return Tensor(name[1:].strip('"'), kind, shape, "input")

    def scalar(self, name):
        kind, count = self.take(), 0
        if "x" in kind:
            count, kind = int(kind.split("x")[0]), kind.split("x")[1]
        if self.has("["):
            self.take("]")
        default = None
        if self.has("="):
            numbers = self.list("]", self.take) if self.has("[") else [self.take()]
            default = [float(n) for n in "".join(n if n == "-" else n + " " for n in numbers).split()]
        return Scalar(name, kind, default, count)

    # ---- Ops ----

    def op(self, kernel):
        self.take("op")
        self.take("(")
        iterators = dict(self.list(")", self.iterator))
        operands = []
        if self.has("ins"):
            self.take("(")
            operands = self.list(")", self.operand)
        self.take("outs")
        self.take("(")
        written = self.list(")", self.operand)
        self.take("{")
        self.take("(")
        arguments = self.list(")", self.take)
        self.take("->")
        op = Op(iterators, operands + written, len(written), [])
        self.scope = {name: (number, kernel.tensors[operand.tensor].type)
                      for number, (name, operand) in enumerate(zip(arguments, op.operands))}
        self.constants = kernel.scalars
        op.results = self.list("}", self.value)
        if self.has("combine"):
            self.skip("{", "}")
            if self.has("neutral"):
                self.skip("(", ")")
        return op

    def skip(self, start, end):
        self.take(start)
        depth = 1
        while depth:
            token = self.take()
            depth += (token == start) - (token == end)

    def iterator(self):
        name = self.take()
        self.take(":")
        return name, self.take() == "reduction"

    def operand(self):
        tensor = self.take()[1:].strip('"')
        self.take("[")
        index = []
        while not self.has("]"):
            index.append(self.until(",", "]"))
            self.has(",")
        operand = Operand(tensor, index)
        operand.shape_only = self.has("shape")
        if self.has("pad"):
            operand.padded = True
            self.scope, self.constants = {}, {}
            self.value()
        return operand

    # ---- Payloads: (what, type, bytes of a lane, arguments ...) ----

    def value(self):
        token = self.take()
        if self.peek() == "<":  # a cast
            self.take("<")
            kind = self.take()
            self.take(">")
            self.take("(")
            inner = self.value()
            self.take(")")
            return ("cast", kind, max(BYTES[kind], inner[2]), inner)
        if token == "index":
            self.take("(")
            tree = self.until(")")
            self.take(")")
            return ("index", "i64", _POSITION, tree)
        if self.has("("):
            return self.call(token, self.list(")", self.value))
        if token in self.scope:
            number, kind = self.scope[token]
            return ("operand", kind, BYTES[kind], number)
        if self.has("["):
            self.take()
            self.take("]")
        kind = self.constants[token].type if token in self.constants else token.rsplit("_", 1)[-1]
        if kind not in BYTES:
            kind = "i64"
        return ("literal", kind, 1, token)

    @staticmethod
    def call(function, arguments):
        kinds = [a[1] for a in arguments]
        width = max(a[2] for a in arguments if a[0] != "literal") if any(a[0] != "literal" for a in arguments) else BYTES[kinds[0]]
        if function in COMPARES:
            return (function, "bool", width, *arguments)
        # Short floats are computed in f32.
        return (function, kinds[-1], 4 if kinds[-1] in ("f16", "bf16") else width, *arguments)


def read(text):
    """name -> Kernel, of a module's text."""
    reader = _Reader(text)
    reader.take("eir")
    reader.take()
    kernels = {}
    while reader.peek():
        kernel = reader.kernel()
        kernels[kernel.name] = kernel
    return kernels


def of_spec(einc, path):
    """The defs of a spec; raises ValueError with what einc says."""
    run = subprocess.run([einc, "emit", "--stage=ops", str(path)], capture_output=True, text=True)
    if run.returncode:
        raise ValueError(run.stderr.strip() or f"einc emit: exit code {run.returncode}")
    return read(run.stdout)
