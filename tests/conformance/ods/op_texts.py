# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""What the texts of one op say, each read on its own: IR, op definitions, YAML, and what MLIR's tools make of them.

All come down to the same Op: iterator kinds, and for each operand the values of its map at some points. Attributes and
sizes have the values that stubs.h gives them.
"""

import dataclasses
import functools
import json
import pathlib
import random
import re
import subprocess

from tests.numeric import compilers, einc_tool
from tests.numeric.einc_tool import find, must

HERE = find("tests/conformance/ods/prelude.td").parent
CLANG = "clang++-19"
TBLGEN = "mlir-tblgen-19"
YAML_GEN = "mlir-linalg-ods-yaml-gen-19"
POINTS = 5


@dataclasses.dataclass
class Op:
    kinds: list  # "parallel", "reduction"
    maps: dict  # operand -> its index expressions at each point, a list of lists

    def difference(self, other):
        """What the other has otherwise, for the operands that both have; None if nothing."""
        if self.kinds != other.kinds:
            return f"iterators are {self.kinds} and {other.kinds}"
        shared = self.maps.keys() & other.maps.keys()
        if not shared:
            return "there is no operand to compare"
        for operand in sorted(shared):
            if self.maps[operand] != other.maps[operand]:
                return f"maps of operand {operand} give {self.maps[operand]} and {other.maps[operand]}"
        return None


class Element:
    """An attribute in an index expression: its element i is i + 3, and so is a scalar 3."""

    def __getitem__(self, i):
        return i + 3


def points(count):
    """The same values of the iterators for every text of an op."""
    rng = random.Random(count)
    return [[rng.randrange(100) for _ in range(count)] for _ in range(POINTS)]


def evaluated(expressions, names, constants):
    """Index expressions at each point; `names` are those of the iterators."""
    python = [e.replace("floordiv", "//").replace("mod", "%") for e in expressions]
    return [[eval(e, {"__builtins__": {}}, {**constants, **dict(zip(names, at))}) for e in python]  # pylint: disable=eval-used
            for at in points(len(names))]


def split_commas(text):
    """At the commas outside all brackets."""
    parts, depth, last = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "([<{") - (c in ")]>}")
        if c == "," and depth == 0:
            parts.append(text[last:i].strip())
            last = i + 1
    return [part for part in parts + [text[last:].strip()] if part]


# ---- IR ----


def of_ir(text, sizes=None):
    """From `einc emit --stage=ops`, one kernel with one op. `sizes` has those that no dimension alone gives."""
    header = re.search(r"kernel @\w+\((.*?)\) -> \((.*?)\)\s", text, re.DOTALL)
    arguments = [a for part in header.groups() for a in split_commas(part)]
    constants, position = dict(sizes or {}), {}
    for o, argument in enumerate(arguments):
        name, _, type_ = argument.partition(":")
        position[name.strip().lstrip("%")] = o
        if "tensor<" not in type_:
            constants[name.strip()] = 3
        for d, size in enumerate(type_.strip()[len("tensor<"):-1].split(" x ")[:-1]):
            constants.setdefault(size, 10 * o + d + 2)
    for name, type_ in re.findall(r"^ *attr (\w+)\??: (\S+)", text, re.MULTILINE):
        constants[name] = Element() if "[" in type_ or "x" in type_ else 3
    iterators = re.findall(r"(\w+): (parallel|reduction)", re.search(r"op \((.*?)\)", text, re.DOTALL).group(1))
    maps = {}
    for name, index in re.findall(r"%(\w+)\[((?:[^\[\]]|\[\d+\])*)\]", text[text.index("  op ("):]):
        maps[position[name]] = evaluated(split_commas(index), [i[0] for i in iterators], constants)
    return Op([kind for _, kind in iterators], maps)


# ---- YAML, ours and that of the tool ----


def affine_map(text, constants):
    dims, results = re.fullmatch(r"affine_map<\((.*?)\)(?:\[.*?\])? -> \((.*)\)>", text).groups()
    return evaluated(split_commas(results), split_commas(dims), constants)


def symbol_values(text):
    """The symbols of YAML that stand for elements of attributes, from all index_attr_map."""
    values = {}
    for results in re.findall(r"index_attr_map: affine_map<.* -> \((.*)\)>", text):
        values.update({symbol: i + 3 for i, symbol in enumerate(split_commas(results))})
    return values


def of_yaml(text):
    maps = re.findall(r"^    - (affine_map.*)$", text, re.MULTILINE)
    return Op(re.findall(r"^  - (parallel|reduction)$", text, re.MULTILINE),
              {i: affine_map(m, symbol_values(text)) for i, m in enumerate(maps)})


def of_generated(implementation, yaml):
    """From the C++ that mlir-linalg-ods-yaml-gen made of the YAML."""
    maps = re.findall(r'parseAttribute\("(affine_map.*?)"', implementation)
    # Ops without iterators become ops of any rank there, without maps of their own.
    count = re.search(r"getNumRegionArgs\(\) \{ return (\d+); \}", implementation)
    if not maps:
        return Op([], {i: [[]] * POINTS for i in range(int(count.group(1)))})
    return Op(re.findall(r"utils::IteratorType::(\w+)", implementation),
              {i: affine_map(m, symbol_values(yaml)) for i, m in enumerate(maps)})


def yaml_gen(folder, yaml):
    """(TableGen, C++) of the tool."""
    path = folder / "op.yaml"
    ends = ("td", "cpp")

    def make():
        path.write_text(yaml)
        for end in ends:
            (folder / f"op.yaml.{end}").unlink(missing_ok=True)
        must(subprocess.run([YAML_GEN, path, f"--o-ods-decl={path}.td", f"--o-impl={path}.cpp"], capture_output=True,
                            text=True, timeout=60))
        return json.dumps([pathlib.Path(f"{path}.{end}").read_text() for end in ends]).encode()

    return json.loads(compilers.kept([_version(YAML_GEN), yaml], make))


@functools.lru_cache(None)
def _version(tool):
    return subprocess.run([tool, "--version"], capture_output=True, check=True).stdout


# ---- TableGen and C++ ----


def tblgen(folder, declarations, generator):
    """What mlir-tblgen makes of op declarations (bytes)."""
    path = folder / "ops.td"

    def make():
        path.write_bytes(b'include "prelude.td"\n' + declarations)
        done = subprocess.run([TBLGEN, generator, "-I", HERE, path], capture_output=True, timeout=60)
        if done.returncode or done.stderr:
            raise RuntimeError(f"{TBLGEN} {generator}: {done.stderr.decode(errors='replace')[:2000]}")
        return done.stdout

    prelude = (HERE / "prelude.td").read_bytes()
    return compilers.kept([_version(TBLGEN), generator, prelude, declarations], make).decode(errors="replace")


def arguments_of(declaration):
    """(constraint, name) of each argument of an op."""
    block = re.search(r"let arguments = \(ins\n(.*?)\);\n", declaration, re.DOTALL).group(1)
    return [tuple(line.strip().rstrip(",").rsplit(":$", 1)) for line in block.splitlines()]


def accessor(constraint, name):
    for prefix in ["OptionalAttr<", "DefaultValuedOptionalAttr<"]:
        if constraint.startswith(prefix):
            return accessor(constraint[len(prefix):].split(", \"")[0], name)
    if constraint.startswith("Ranked"):
        shape = re.search(r"\[(.*?)\]", constraint).group(1)
        return f"ElementsAttr {name}() {{ return {{{{{shape}}}}}; }}"
    if "Array" in constraint:
        return f"ArrayAttr {name}() {{ return {{}}; }}"
    return f"int64_t {name}() {{ return 3; }}"


def split_declarations(text):
    return re.findall(r"^def .*?^}$", text, re.MULTILINE | re.DOTALL)


def program(declarations, implementation):
    """C++ with the classes that the declarations describe, their methods, and a main that shows them all."""
    classes, shows = [], []
    for declaration in split_declarations(declarations):
        name = re.match(r"def (\w+)", declaration).group(1)
        inputs, outputs = (int(re.search(rf"{trait}<(\d+)>", declaration).group(1)) for trait in ["NInputs", "NOutputs"])
        methods = re.search(r"let extraClassDeclaration = \[\{\n(.*?)\}\];", declaration, re.DOTALL).group(1)
        attributes = [accessor(*a) for a in arguments_of(declaration)[2:]]
        classes.append(f"struct {name} : NamedOp {{\n{methods}" + "\n".join(attributes) + "\n};\n")
        shows += [f'show<{name}>("{name}", {inputs + outputs}, {dynamic});' for dynamic in ["false", "true"]]
    return ('#include "stubs.h"\n' + "".join(classes) + implementation +
            "int main() {\n" + "\n".join(shows) + "\n}\n")


def run_program(folder, text):
    """Compiles it, no warning allowed, and returns {class: (Op, yields, Op or None with dynamic sizes)}."""
    path = folder / "ops.cpp"
    path.write_text(text)
    (folder / "ops").unlink(missing_ok=True)
    compilers.compile_c(CLANG, "-std=c++20", "-O0", "-Wall", "-Wextra", "-Werror", "-Wno-missing-field-initializers",
                        "-Wno-unused-variable", "-I", HERE, path, out=folder / "ops")
    shown = must(subprocess.run([folder / "ops"], capture_output=True, text=True, timeout=60)).stdout
    ops = {}
    for block in re.split(r"^op ", shown, flags=re.MULTILINE)[1:]:
        name, *lines = block.splitlines()
        kinds = [line[len("iterator "):] for line in lines if line.startswith("iterator ")]
        dims = [f"d{i}" for i in range(len(kinds))]
        op = Op(kinds, {})
        for line in lines:
            if line.startswith("map "):
                count, *expressions = line[len("map "):].split("; ")
                assert int(count) == len(kinds), line
                op.maps[len(op.maps)] = evaluated(expressions, dims, {})
            elif not line.startswith(("iterator ", "yield ", "no maps")):
                raise RuntimeError(line)
        yields = [line[len("yield "):] for line in lines if line.startswith("yield ")]
        ops.setdefault(name, []).append((op, yields))
    return ops


def emit(stage, *args):
    """The text of a stage; raises with the tool's words if there is none."""
    return must(einc_tool.run("emit", f"--stage={stage}", *args)).stdout
