# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Op definitions (--stage=ods, ods-impl, yaml) against MLIR's own tools.

mlir-tblgen reads the TableGen with the classes of prelude.td; the C++ is compiled with stubs.h and run;
mlir-linalg-ods-yaml-gen reads the YAML, and mlir-tblgen what that writes. What each of them understood, iterators and
maps, must be what the IR says. Defs that are no op are refused, each for the reason that stands here.
"""

import re
import subprocess

from tests.conformance.ods import op_texts
from tests.conformance.ods.op_texts import emit, of_generated, of_ir, of_yaml, run_program, tblgen, yaml_gen
from tests.numeric import einc_tool, formulas
from tests.numeric.einc_tool import find, must

ODS_GEN = str(find("tools/einc-ods-gen"))
STAGES = ["ods", "ods-impl", "yaml"]

# Those that are one, but not for OpDSL.
NO_YAML = {
    "quantize": "no function 'roundeven' of f32",
    "quantize_linear": "no function 'roundeven' of f32",
    "quantize_linear_axis": "no function 'roundeven' of f32",
    "reverse": "an index of 'x' uses the size 'N'",
    "unpack": "an index of 'P' uses the size 'MI'",
    "unpack_transposed_outer": "an index of 'P' uses the size 'NI'",
    "matmul_logaddexp_plus": "no function 'eq' of f32",
}

# The forms of the historic tool, in our words: the accumulator left out, and written.
FORMS = [
    ("matmul", "(A: f32(M, K), B: f32(K, N)) -> (C: f32(M, N))", "C(m, n)", "std_addf<k>",
     "std_mulf(A(m, k), B(k, n))"),
    ("mixed", "(A: i8(M, K), B: i8(K)) -> (C: i32(M))", "C(m)", "std_addi<k>",
     "std_muli(std_sexti32(A(m, k)), std_sexti32(B(k)))"),
    ("window", "(I: f32(IW), K: f32(KW)) -> (O: f32(OW)) attr(strides: 1xi64 = [2], dilations: 1xi32 = [1])", "O(w)",
     "std_addf<kw>", "std_mulf(I(w * strides[0] + kw * dilations[0]), K(kw))"),
    ("scalar_out", "(A: f64(M), B: f64(M)) -> (r: f64())", "r()", "std_maxf<m>", "std_addf(A(m), B(m))"),
]

ATTRIBUTES = [
    ("a", "f32", "F32Attr"), ("b", "i64", "I64Attr"), ("c", "u16", "UI16Attr"), ("d", "bool", "BoolAttr"),
    ("e", "f16", "FloatAttrBase<F16, \"16-bit float attribute\">"), ("f", "4xf32", "RankedF32ElementsAttr<[4]>"),
    ("g", "5x6xi32", "RankedI32ElementsAttr<[5, 6]>"), ("h", "2xi8", "RankedSignlessIntElementsAttr<8, [2]>"),
    ("i", "3xbool", "RankedSignlessIntElementsAttr<1, [3]>"), ("j", "f32[]", "F32ArrayAttr"),
    ("k", "i8[]", "TypedArrayAttrBase<I8Attr, \"array of i8\">"), ("l?", "f64", "OptionalAttr<F64Attr>"),
    ("m?", "2xi64", "OptionalAttr<RankedI64ElementsAttr<[2]>>"),
    ("n", "i32 = -7", "DefaultValuedOptionalAttr<I32Attr, \"-7\">"),
    ("o?", "f64 = 0.5", "DefaultValuedOptionalAttr<F64Attr, \"0.5\">"),
    ("p", "f32 = inf",
     "DefaultValuedOptionalAttr<F32Attr, \"std::numeric_limits<double>::infinity()\">"),
    ("q", "2xi64 = [1, 2]", "DefaultValuedOptionalAttr<RankedI64ElementsAttr<[2]>, "
                            "\"{ static_cast<int64_t>(1), static_cast<int64_t>(2) }\">"),
    ("r", "2xf16 = [0.5, 1]", "DefaultValuedOptionalAttr<RankedFloatElementsAttr<16, [2]>, \"{ "
     "::llvm::APFloat(::llvm::APFloat::IEEEhalf(), \\\"0.5\\\"), "
     "::llvm::APFloat(::llvm::APFloat::IEEEhalf(), \\\"1.0\\\") }\">"),
    ("s", "bool[] = [true, false]",
     "DefaultValuedOptionalAttr<BoolArrayAttr, \"{ static_cast<bool>(true), static_cast<bool>(false) }\">"),
]

# Doc strings, summary and description as mlir-tblgen gives them back.
DOCS = [
    ("One line.", "One line.", ""),
    ("\n  Title.  \n\n  Deep\n    deeper\nback.\n", "Title.", "Deep\n    deeper\nback."),
    ("ends }] here\n}] and }}]] [{ here", "ends } ] here", "} ] and }} ]] [{ here"),
    ("{0} $_self \"q\" 'y' \\n # %s &amp; <x>: y - z\n#endif\n--- !x\n/* // */ `", None, None),
    ("tab\there\r\nnext\rline\x0b\x7f\x01", None, None),
    ("\u00e9 \u4e2d \U0001f600 \u2028 \ufeff \u0085\nmore \u00e9", None, None),
    ("}", "}", ""),
    ("x}\ny}", "x}", "y}"),
    ("", "", ""),
]

# A payload, the statements that build it, the scalar functions of the YAML (None: it has no such).
PAYLOADS = [
    ("f32", "A(m) * A(m) - B(m)", "subf(mulf(_0, _0), _1)", ["sub", "mul"]),
    ("f32", "select(A(m) < B(m), 1.5, -inf)", "select(olt(_0, _1), IEEEsingle 1.5 : F32, negf(IEEEsingle inf : F32))", None),
    ("f32", "-A(m) + exp(B(m))", "addf(negf(_0), exp(_1))", ["add", "negf", "exp"]),
    ("f64", "max(A(m), min(B(m), 1e300))", "maxf(_0, minf(_1, IEEEdouble 1e+300 : F64))", ["max_signed", "min_signed"]),
    ("bf16", "sqrt(A(m)) / 3", "divf(sqrt(_0), BFloat 3.0 : BF16)", ["div", "sqrt"]),
    ("f16", "pow(A(m), B(m))", "powf(_0, _1)", ["powf"]),
    ("f32", "cast<f32>(cast<f64>(A(m)))", "fptrunc32(fpext64(_0))", ["cast_signed", "cast_signed"]),
    ("f16", "cast<f16>(cast<bf16>(A(m)))", "fptrunc16(fpext32(fptruncbf16(fpext32(_0))))", None),
    ("i32", "-A(m) / B(m)", "divi_signed(subi(0 : i32, _0), _1)", None),
    ("i64", "A(m) + index(m)", "addi(_0, i64(index0))", ["add", "cast_signed"]),
    ("i64", "index(2 * m + 1) * A(m)", "muli(i64((((d0 * 2) + 1) at index0)), _0)",
     ["mul", "add", "mul", "cast_signed"]),
    ("i64", "index(m / 2) + B(m)", "addi(i64(((d0 // 2) at index0)), _1)", None),
    ("u8", "max(A(m), B(m)) >> 1", "shrui(maxui(_0, _1), 1 : i8)", None),
    ("u8", "A(m) / B(m) + 200", "addi(divi_unsigned(_0, _1), 200 : i8)", ["add", "div_unsigned"]),
    ("i32", "cast<i32>(cast<u32>(A(m)))", "_0", []),
    ("i16", "cast<i16>(A(m) == B(m))", "zexti16(eq(_0, _1))", None),
    ("bool", "!A(m) || B(m)", "or(xor(_0, 1 : i1), _1)", None),
    ("bool", "A(m) && B(m)", "and(_0, _1)", ["mul"]),
    ("bool", "cast<bool>(cast<i32>(A(m)))", "ne(zexti32(_0), 0 : i32)", None),
    ("i64", "-9223372036854775808", "-9223372036854775808 : i64", []),
]

# Why a def is no op: the def, the stages that refuse it, words of the reason.
REFUSED = [
    ("def f(A: f32(M), B: f32(M)) -> (C: f32(M)) { C(m) = A(m); C(m) += B(m); }", STAGES, "2 statements"),
    ("def f(A: f32(M)) -> (C: f32(N)) { C(n) = A(n - 1) else 0; }", STAGES, "it reads 'A' outside its bounds"),
    ("def f(A: f32(L)) -> (C: f32(M)) { C(m) = A(m + 1) + A(m + 2); }", STAGES, "it reads 'A' under two index"),
    ("def f(A: f32(M), B: f32(P)) -> (C: f32(M)) { C(m) = A(m); }", STAGES, "no iterator runs over its size P"),
    ("def f(A: f32(L), s: i64) -> (C: f32(M)) { C(m) = A(m + s); }", STAGES, "uses 's', an operand of the op"),
    ("def f(A: f32(L)) -> (C: f32(M)) attr(s?: i64) { C(m) = A(m + s); }", STAGES, "'s', which may be absent"),
    ("def f(A: f32(M)) -> (C: f32(M)) attr(e: f32) { C(m) = A(m) + e; }", STAGES[:2], "payload reads attribute 'e'"),
    ("def f(A: f32(M)) -> (C: i64(M)) { C(m) = M; }", STAGES, "payload uses 'M'"),
    ("def f(A: f32(M)) -> (C: f32(M)) attr(outputs: i64 = 1) { C(m) = A(m); }", STAGES, "attribute 'outputs'"),
    ("def f(A: f32(M)) -> (C: f32(M)) attr(class: i64 = 1) { C(m) = A(m); }", STAGES, "attribute 'class'"),
    ("ods_def<foreach> : def f(A: f32(M)) -> (C: f32(M)) { C(m) = A(m); }", STAGES, "choose another ods_def"),
    ("implements_interface<dag> : def f(A: f32(M)) -> (C: f32(M)) { C(m) = A(m); }", STAGES, "'dag' is a word of TableGen"),
    ("ods_def<X> : def g(A: f32(M)) -> (C: f32(M)) { C(m) = A(m); }\n"
     "ods_def<X> : def f(A: f32(M)) -> (C: f32(M)) { C(m) = A(m); }", STAGES, "another def has the class 'X'"),
    ("def a_b(A: f32(M)) -> (C: f32(M)) { C(m) = A(m); }\ndef aB(A: f32(M)) -> (C: f32(M)) { C(m) = A(m); }",
     ["yaml"], "another def has the class 'ABOp'"),
    ("def f(A: f32(M)) -> (C: f32(M)) attr(x: bf16) { C(m) = A(m); }", ["ods"], "no attribute of bf16"),
    ("def f(A: f32(M)) -> (C: f32(M)) attr(x: 2xu8) { C(m) = A(m); }", ["ods"], "shaped attribute of unsigned"),
    ("def f(A: f32(M)) -> (C: f32(M)) attr(x: i8[] = [1]) { C(m) = A(m); }", ["ods"], "no default for a list of i8"),
    ("def f(A: f32(L)) -> (C: f32(M)) attr(x: i64[]) { C(m) = A(m * x[0]); }", ["yaml"], "of a fixed length"),
    ("def f(A: f32(L)) -> (C: f32(M)) attr(x: 2x2xi64 = 1) { C(m) = A(m * x[0, 1]); }", ["yaml"], "has 2 dimensions"),
    ("def f(A: f32(M)) -> (C: f32(M)) { C(m) = A(M - 1 - m); }", ["yaml"], "uses the size 'M'"),
    ("def f(A: f32(M)) -> (C: f32(M)) { C(m) = sin(A(m)); }", ["yaml"], "no function 'sin' of f32"),
    ("def f(A: i32(M)) -> (C: i32(M)) { C(m) = abs(A(m)); }", ["yaml"], "no function 'abs' of i32"),
    ("def f(A: i32(M)) -> (C: i32(M)) { C(m) = cast<i32>(cast<bool>(A(m))); }", ["yaml"], "no conversion to bool"),
    ("def f(A: f32(M)) -> (C: f32(M)) { C(m) = cast<f32>(cast<f16>(A(m))); }", ["yaml"], "it converts to f16"),
    ("def f(A: i64(M)) -> (C: i64(M)) { C(m) = A(m) + index(m / 2); }", ["yaml"], "no division in index"),
]


def emitted(spec, *args):
    """(ods, ods-impl, yaml) of a spec, None for the YAML that is refused."""
    yaml = einc_tool.run("emit", "--stage=yaml", spec, *args)
    return emit("ods", spec, *args), emit("ods-impl", spec, *args), yaml.stdout if yaml.returncode == 0 else None


def write(folder, text):
    path = folder / "spec.tc"
    path.write_bytes(text.encode())
    return path


def check_declaration(folder, name, declaration):
    class_name = re.match(r"def (\w+) : LinalgNamedStructured_Op<\"(\w+)\"", declaration)
    if not class_name or class_name.group(2) != name:
        return f"not the form of the document:\n{declaration[:200]}"
    header = tblgen(folder, declaration.encode(), "-gen-op-decls")
    tblgen(folder, declaration.encode(), "-gen-op-defs")
    for wanted in [f"class {class_name.group(1)} : public ::mlir::Op<", f'StringLiteral("linalg.{name}")',
                   "referenceIndexingMaps();"]:
        if wanted not in header:
            return f"mlir-tblgen does not say {wanted}"
    return None


def check_yaml(folder, name, yaml, ir):
    """The YAML says what the IR does, the tool understands that, and mlir-tblgen what the tool says."""
    table, implementation = yaml_gen(folder, yaml)
    class_name = re.search(r"cpp_class_name: (\w+)", yaml).group(1)
    if f'def {class_name} : LinalgStructuredBase_Op<"{name}"' not in table:
        return f"the tool does not define {class_name}"
    if f"void {class_name}::regionBuilder(" not in implementation:
        return f"the tool does not implement {class_name}"
    tblgen(folder, table.encode(), "-gen-op-decls")
    return of_yaml(yaml).difference(ir) or of_generated(implementation, yaml).difference(ir)


def check_implementation(folder, declarations, implementation, ir_of, sizes=None):
    """The compiled C++ gives the maps of the IR, for each op: {class: text of its IR}; `sizes` as of_ir takes them."""
    ops = run_program(folder, op_texts.program(declarations, implementation))
    if sorted(ops) != sorted(ir_of):
        return f"classes {sorted(ops)}, wanted {sorted(ir_of)}"
    for class_name, ir in ir_of.items():
        (fixed, _), (dynamic, _) = ops[class_name]
        # Where a map needs a size that is not known, there are no maps.
        other = fixed.difference(of_ir(ir, sizes)) or (dynamic.maps and dynamic.difference(fixed))
        if other:
            return f"{class_name}: {other}"
    return None


def why_no_op(ir):
    """A named op is one statement that stays inside its tensors."""
    statements = len(re.findall(r"^ +op \(", ir, re.MULTILINE))
    if statements != 1:
        return f"it has {statements} statements"
    outside = re.search(r"%(\w+)\[(?:[^][]|\[\d+\])*\] pad ", ir)
    return outside and f"it reads '{outside[1]}' outside its bounds"


def test_specs(cases, folder):
    """Every def of specs/: an op for all tools, or refused for its statements or the reason above."""
    seen = set()
    for spec in einc_tool.specs():
        declarations, implementations, ir_of = "", "", {}
        for name in formulas.defs_of([spec]):
            seen.add(name)
            ir = emit("ops", spec, "--def", name)
            if reason := why_no_op(ir):
                for stage in STAGES:
                    cases.run(f"{name} {stage}", check_refused, folder, spec, stage, reason, name)
                continue
            declaration, implementation = emit("ods", spec, "--def", name), emit("ods-impl", spec, "--def", name)
            cases.run(f"{name} ods", check_declaration, folder, name, declaration)
            declarations, implementations = declarations + declaration, implementations + implementation
            ir_of[re.match(r"def (\w+)", declaration).group(1)] = ir
            if name in NO_YAML:
                cases.run(f"{name} yaml", check_refused, folder, spec, "yaml", NO_YAML[name], name)
            else:
                cases.run(f"{name} yaml", check_yaml, folder, name, emit("yaml", spec, "--def", name), of_ir(ir))
        if ir_of:
            cases.run(f"{spec.name} ods-impl", check_implementation, folder, declarations, implementations, ir_of)
    cases.check("every def named here exists", ", ".join(NO_YAML.keys() - seen))


def check_refused(folder, spec, stage, words, name=None):
    """Exit code 1, the words, the def's name, and no file."""
    output = folder / "refused"
    definition = ["--def", name] if name else []
    done = einc_tool.run("emit", f"--stage={stage}", spec, "-o", output, *definition)
    if done.returncode != 1 or output.exists() or done.stdout:
        return f"exit code {done.returncode}, output written: {output.exists()}\n{done.stderr[-500:]}"
    if words not in done.stderr or f"def '{name or 'f'}' has no op definition: " not in done.stderr:
        if not (name is None and "has no op definition: " in done.stderr and words in done.stderr):
            return f"wanted '{words}', found {done.stderr[-500:]}"
    return None


def test_forms(cases, folder):
    """Both ways to write an accumulator give the same op, which all tools understand."""
    for name, signature, left, combiner, value in FORMS:
        header = f"ods_def<HistoricOp>\nimplements_interface<LinalgContractionOpInterface> :\ndef {name}{signature} {{\n"
        implicit = write(folder, f"{header}  {left} = {combiner}({value});\n}}\n")
        texts = emitted(implicit)
        ir = emit("ops", implicit)
        explicit = write(folder, f"{header}  {left} = {combiner}({left}, {value});\n}}\n")
        cases.check(f"{name}: both forms", "they differ" if emitted(explicit) != texts else None)
        cases.run(f"{name} ods", check_declaration, folder, name, texts[0])
        cases.check(f"{name}: interface", None if "LinalgContractionOpInterface]>" in texts[0] else texts[0])
        cases.run(f"{name} yaml", check_yaml, folder, name, texts[2], of_ir(ir))
        cases.run(f"{name} ods-impl", check_implementation, folder, texts[0], texts[1], {"HistoricOp": ir})


def test_attributes(cases, folder):
    """Each kind alone has its constraint, all of them together an accessor and a builder."""
    signature = "def f(A: f32(M)) -> (C: f32(M)) attr(%s) { C(x) = A(x); }"
    for name, type_, constraint in ATTRIBUTES:
        declaration = emit("ods", write(folder, signature % f"{name}: {type_}"))
        found = op_texts.arguments_of(declaration)[-1]
        wanted = (constraint, name.rstrip("?"))
        cases.check(f"attribute {type_}", None if found == wanted else f"{found}, wanted {wanted}")
        cases.run(f"attribute {type_} in mlir-tblgen", check_declaration, folder, "f", declaration)
    spec = write(folder, signature % ", ".join(f"{name}: {type_}" for name, type_, _ in reversed(ATTRIBUTES)))
    declaration = emit("ods", spec)
    names = [name.rstrip("?") for name, _, _ in ATTRIBUTES]  # sorted
    builder = ", ".join(f'"Attribute":${name}' for name in names)
    cases.check("attributes by name in the builder", None if builder in declaration else declaration)
    statements = re.findall(r"\$_state\.addAttribute\(\"(\w)\", (\w)\);", declaration)
    cases.check("attributes set by the builder", None if statements == [(n, n) for n in names] else str(statements))
    header = tblgen(folder, declaration.encode(), "-gen-op-decls")
    parameters = ", ".join(f"Attribute {name}" for name in names)
    cases.check("the builder in mlir-tblgen", None if parameters in header else "there is none with all attributes")
    cases.run("attributes in C++", check_implementation, folder, declaration, emit("ods-impl", spec),
              {"fOp": emit("ops", spec)})


def documentation(records):
    """(summary, description without its indentation) of the op fOp, as -print-records shows them."""
    text = records[records.index("def fOp {"):]
    found = []
    for field in ["summary", "description"]:
        match = re.search(rf" (?:string {field} = \"(.*?)\"|code {field} = \[\{{(.*?)\}}\]);\n", text, re.DOTALL)
        found.append(re.sub(r"^    ", "", (match.group(1) or match.group(2) or "").strip(), flags=re.MULTILINE))
    return tuple(found)


def check_doc(folder, doc, summary, description):
    spec = write(folder, f'def f(A: f32(M)) -> (C: f32(M))\n"""{doc}"""\n{{ C(m) = A(m); }}\n')
    done = subprocess.run([einc_tool.EINC, "emit", "--stage=ods", spec], capture_output=True, timeout=60)
    if done.returncode:
        return done.stderr.decode(errors="replace")
    found = documentation(tblgen(folder, done.stdout, "-print-records"))
    if summary is not None and found != (summary, description):
        return f"{found}, wanted {(summary, description)}"
    tblgen(folder, done.stdout, "-gen-op-decls")
    table, _ = yaml_gen(folder, emit("yaml", spec))
    if not doc:
        return "the YAML has a doc" if "let summary" in table else None
    tools = documentation(tblgen(folder, table.replace("def FOp", "def fOp").encode(), "-print-records"))
    return None if stripped(tools) == stripped(found) else f"the YAML has {tools}, the op {found}"


def stripped(texts):
    """Without the blanks that lines begin with: the tool of the YAML does not indent."""
    return [re.sub(r"^[ ]+", "", text, flags=re.MULTILINE) for text in texts]


def check_payload(folder, type_, payload, statements, functions):
    spec = write(folder, f"def f(A: {type_}(M), B: {type_}(M)) -> (C: {type_}(M)) {{ C(m) = {payload}; }}")
    declaration, implementation, yaml = emitted(spec)
    (_, yields), _ = run_program(folder, op_texts.program(declaration, implementation))["fOp"]
    if yields != [statements]:
        return f"yields {yields}, wanted {statements}"
    if functions is None:
        return "the YAML has it" if yaml else None
    found = re.findall(r"fn_name: (\w+)", yaml or "")
    if found != functions:
        return f"the YAML has {found}, wanted {functions}"
    return check_yaml(folder, "f", yaml, of_ir(emit("ops", spec)))


def test_order(cases, folder):
    """Operands stand in the order of the signature, whatever order they are used in."""
    spec = write(folder, "def f(a: f32, A: f32(M), b: f32, B: f32(M)) -> (C: f32(M), D: f32(M)) "
                         "{ D(m), C(m) = B(m) - A(m), b * a; }")
    declaration, implementation, yaml = emitted(spec)
    ops = run_program(folder, op_texts.program(declaration, implementation))
    (op, yields), _ = ops["fOp"]
    cases.check("order of results", None if yields == ["mulf(_2, _0)", "subf(_3, _1)"] else str(yields))
    ranks = [len(op.maps[i][0]) for i in range(6)]
    cases.check("scalars have map ()", None if ranks == [0, 1, 0, 1, 1, 1] else str(ranks))
    cases.check("scalars are inputs",
                None if "NInputs<4>" in declaration and "Variadic<AnyType>:$inputs" in declaration else declaration)
    kinds = re.findall(r"kind: (scalar|\w+_tensor)", yaml)
    wanted = ["scalar", "input_tensor"] * 2 + ["output_tensor"] * 2
    cases.check("kinds of the YAML", None if kinds == wanted else str(kinds))
    cases.run("the YAML of scalars", check_yaml, folder, "f", yaml, of_ir(emit("ops", spec)))
    # Inputs that are not read have the map of the iterators that run over their sizes.
    spec = write(folder, "def f(A: f32(M, K), B: f32(K)) -> (C: f32(M)) { C(m) = std_addf<k>(A(m, k)); }")
    declaration, implementation, yaml = emitted(spec)
    cases.check("B is not read", None if "Value _0(args[0]), _2(args[2]);" in implementation else implementation)
    cases.check("B has a map", None if "AffineMap::get(2, 0, {d1})," in implementation else implementation)
    cases.run("the YAML of a shape", check_yaml, folder, "f", yaml, of_ir(emit("ops", spec)))


def test_sizes(cases, folder):
    """Sizes, elements of attributes and divisions in maps; names that the methods use themselves."""
    # The size 2 N + s is 2 and s is 3: N is -1.
    halved = "def f(A: f32(2 * N + s), B: f32(P)) -> (C: f32(P)) attr(s: i64 = 1) { C(p) = A(p + N) + B(p); }"
    specs = [
        "def f(A: f32(N)) -> (C: f32(N)) { C(n) = A(N - 1 - n); }",
        halved,
        "def f(A: f32(L)) -> (C: f32(M)) attr(x: 2x3xi32 = 1, y: i64[] = [1], z: u8 = 1) "
        "{ C(m) = A(m * x[0, 1] + y[0] * z + x[1, 2]); }",
        "def f(A: f32(L)) -> (C: f32(M)) attr(context: i64 = 1, d0: i64 = 2, s0: i64 = 3, cst1: i64 = 4, map0: i64 = 5) "
        "{ C(m) = A(m * context + d0 + s0 + cst1 + map0); }",
        "def f(A: f32(L)) -> (C: f32(M)) attr(s: i64 = 3) { C(m) = A(m / 2 + m % 3 + (m + 1) / s * 2 + m % s); }",
        "def f(A: f32(L, 4)) -> (C: f32(M, N)) { C(m, n) = A(m * 3 + n, 2); }",
        "def f(A: f32()) -> (C: f32()) { C() = A() + 1; }",
        # Words that YAML or C++ might take for something else.
        "def f(null: f32(M), yes: f32(M), int: f32(M)) -> (y: f32(M)) { y(m) = null(m) + yes(m) * int(m); }",
    ]
    for text in specs:
        spec = write(folder, text)
        texts = emitted(spec)
        ir = emit("ops", spec)
        cases.run(f"ods {text}", check_declaration, folder, "f", texts[0])
        cases.run(f"ods-impl {text}", check_implementation, folder, texts[0], texts[1], {"fOp": ir},
                  {"N": -1} if text == halved else None)
        if texts[2]:
            cases.run(f"yaml {text}", check_yaml, folder, "f", texts[2], of_ir(ir))
    implementation = emit("ods-impl", write(folder, specs[0]))
    dynamic = "if (getShapedType(0).isDynamicDim(0)) return std::nullopt;"
    cases.check("no map without the size", None if dynamic in implementation else implementation)


def ods_gen(folder, *args):
    return subprocess.run([ODS_GEN, *map(str, args)], capture_output=True, text=True, timeout=60, cwd=folder)


def check_ods_gen(folder, spec, flags, code, words=""):
    """einc-ods-gen ends with the code, and leaves a file only with 0."""
    output = folder / "ods_gen_output"
    output.unlink(missing_ok=True)
    done = ods_gen(folder, *flags, spec, "-o", output)
    if done.returncode != code or output.exists() != (code == 0) or words not in done.stderr:
        return f"exit code {done.returncode}, wanted {code}; output: {output.exists()}\n{done.stderr}"
    return None


def test_tool(cases, folder):
    """einc-ods-gen gives what the stages give, and all reasons at once."""
    good = write(folder, "def g(A: f32(M)) -> (C: f32(M)) { C(m) = A(m); }\n")
    for flag, stage in [("-gen-ods-decl=1", "ods"), ("-gen-impl=1", "ods-impl"), ("-gen-ods-decl", "ods")]:
        cases.check(f"{flag} is --stage={stage}",
                    None if must(ods_gen(folder, flag, good)).stdout == emit(stage, good) else "they differ")
        cases.run(f"{flag} writes a file", check_ods_gen, folder, good, [flag], 0)
    cases.run("no flag", check_ods_gen, folder, good, [], 2, "give one of")
    cases.run("both flags", check_ods_gen, folder, good, ["-gen-ods-decl=1", "-gen-impl=1"], 2, "give one of")
    cases.run("no spec", check_ods_gen, folder, folder / "none.tc", ["-gen-impl=1"], 1, "none.tc")
    bad = write(folder, good.read_text() + "def p(A: f32(M)) -> (C: f32(M)) { C(m) = A(m); C(m) += A(m); }\n"
                "def q(A: f32(M)) -> (C: f32(N)) { C(n) = A(n) else 0; }\n")
    for flag in ["-gen-ods-decl=1", "-gen-impl=1"]:
        for name in ["p", "q"]:
            cases.run(f"{flag} refuses {name}", check_ods_gen, folder, bad, [flag], 1, f"def '{name}' has no op definition")
    broken = write(folder, "def f(A: f32(M) -> (C: f32(M)) { C(m) = A(m); }\n")
    for stage in STAGES:
        output = folder / "broken"
        done = einc_tool.run("emit", f"--stage={stage}", broken, "-o", output)
        cases.check(f"{stage} of a broken spec", None if done.returncode == 1 and not output.exists() else done.stderr)


def main():
    cases, folder = einc_tool.Cases(), einc_tool.scratch()
    test_specs(cases, folder)
    test_forms(cases, folder)
    test_attributes(cases, folder)
    for doc, summary, description in DOCS:
        cases.run(f"doc {doc!r}", check_doc, folder, doc, summary, description)
    for payload in PAYLOADS:
        cases.run(f"payload {payload[1]}", check_payload, folder, *payload)
    test_order(cases, folder)
    test_sizes(cases, folder)
    for text, stages, words in REFUSED:
        for stage in stages:
            cases.run(f"{stage} {text}", check_refused, folder, write(folder, text), stage, words)
    test_tool(cases, folder)
    cases.finish()


if __name__ == "__main__":
    main()
