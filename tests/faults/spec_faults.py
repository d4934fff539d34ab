# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Broken (and odd, but good) specs: FAULTS 1, 3, 5 to 15. One table."""

from dataclasses import dataclass


@dataclass
class Spec:
    fault: int
    name: str
    text: object  # str, or bytes
    at: str = None  # line:column of an error; None: the spec is good
    says: tuple = ()  # parts of what is printed
    command: str = "check"


def _body(statement, inputs="A: f32(M, K), B: f32(K, N)", outputs="C: f32(M, N)"):
    return f"def f({inputs}) -> ({outputs}) {{\n  {statement}\n}}\n"


_MATMUL = "def f(A: f32(M, K), B: f32(K, N)) -> (C: f32(M, N)) {\n  C(m, n) += A(m, k) * B(k, n);\n}\n"

SPECS = [
    # 1: nothing in it
    Spec(1, "empty", "", "1:1", ("no definitions",)),
    Spec(1, "comments", "// a\n// b\n", "1:1", ("no definitions",)),
    Spec(1, "blanks", " \n\t\r\n", "1:1", ("no definitions",)),
    Spec(1, "byte-order mark", b"\xef\xbb\xbf", "1:1", ("no definitions",)),
    Spec(1, "byte-order mark before a def", b"\xef\xbb\xbf" + _MATMUL.encode()),
    # 3: bytes
    Spec(3, "NUL", b"def f\0(", "1:6", ("NUL",)),
    Spec(3, "invalid UTF-8", b"// \xff\n" + _MATMUL.encode(), "1:4", ("UTF-8",)),
    Spec(3, "overlong UTF-8", b"// \xc0\xaf\n", "1:4", ("UTF-8",)),
    Spec(3, "cut UTF-8", b"// \xe2\x82", "1:4", ("UTF-8",)),
    Spec(3, "UTF-16 little endian", _MATMUL.encode("utf-16-le").join([b"\xff\xfe", b""]), "1:1", ("UTF-16",)),
    Spec(3, "UTF-16 big endian", _MATMUL.encode("utf-16-be").join([b"\xfe\xff", b""]), "1:1", ("UTF-16",)),
    Spec(3, "CRLF", _MATMUL.replace("\n", "\r\n")),
    Spec(3, "CRLF, column", "def f(A: f32(M)) -> (C: f32(M)) {\r\n  C(m) = A(m) + X(m);\r\n}\r\n", "2:17", ("'X'",)),
    Spec(3, "tabs", _MATMUL.replace("  ", "\t")),
    Spec(3, "tab, column", "def f(A: f32(M)) -> (C: f32(M)) {\n\tC(m) = A(m) + X(m);\n}\n", "2:16", ("'X'",)),
    Spec(3, "Unicode in comment and doc",
         "// é漢\ndef f(A: f32(M)) -> (C: f32(M))\n\"\"\"naïve ✓\"\"\"\n{ C(m) = A(m); }\n"),
    Spec(3, "Unicode in a name", "def é(A: f32(M)) -> (C: f32(M)) { C(m) = A(m); }\n", "1:5", ("é",)),
    # 6: misspelt
    Spec(6, "keyword", "deff f(A: f32(M)) -> (C: f32(M)) { C(m) = A(m); }\n", "1:1", ("did you mean 'def'",)),
    Spec(6, "attr", "def f(A: f32(M)) -> (C: f32(M)) atr(s: i64) { C(m) = A(m); }\n", "1:33", ("did you mean 'attr'",)),
    Spec(6, "type", "def f(A: f3(M)) -> (C: f32(M)) { C(m) = A(m); }\n", "1:10", ("did you mean 'f32'",)),
    Spec(6, "tensor", _body("C(m, n) = Bias(m, n);", "bias: f32(M, N)"), "2:13", ("did you mean 'bias'",)),
    Spec(6, "function", _body("C(m, n) = std_adf<k>(std_mulf(A(m, k), B(k, n)));"), "2:13", ("did you mean 'std_addf'",)),
    Spec(6, "inner function", _body("C(m, n) += std_mullf(A(m, k), B(k, n));"), "2:14", ("did you mean 'std_mulf'",)),
    Spec(6, "combiner", _body("C(m, n) maxx= A(m, k) * B(k, n);"), "2:11", ("did you mean 'max'",)),
    Spec(6, "attribute", "def f(A: f32(W)) -> (C: f32(M)) attr(strides: 1xi64) {\n  C(m) = A(m * stride[0]);\n}\n", "2:16",
         ("did you mean 'strides'",)),
    Spec(6, "size of a local", "def f(A: f32(LEN)) -> (C: f32(LEN)) {\n  local T: f32(LENN);\n  T(m) = A(m); C(m) = T(m);\n}\n",
         "2:16", ("did you mean 'LEN'",)),
    # 7: names
    Spec(7, "one def twice", _MATMUL + _MATMUL, "4:5", ("'f'", "twice", "note")),
    Spec(7, "one tensor twice", "def f(A: f32(M), A: f32(M)) -> (C: f32(M)) { C(m) = A(m); }\n", "1:18", ("twice", "note")),
    Spec(7, "output named like an input", "def f(A: f32(M)) -> (A: f32(M)) { A(m) = A(m); }\n", "1:22", ("twice",)),
    Spec(7, "one iterator twice on the left", _body("C(m, m) = A(m, m);"), "2:8", ("'m'", "twice")),
    Spec(7, "one iterator twice in <>", _body("C(m, n) = std_addf<k, k>(std_mulf(A(m, k), B(k, n)));"), "2:25", ("twice",)),
    Spec(7, "one type parameter twice", "def f<T, T>(A: T(M)) -> (C: T(M)) { C(m) = A(m); }\n", "1:10", ("twice",)),
    Spec(7, "iterator spelled like a size", "def f(A: f32(M)) -> (C: f32(M)) { C(M) = A(M); }\n", "1:37", ("'M'", "size")),
    # 8: what does not fit together
    Spec(8, "iterator bound nowhere", _body("C(m, n) += A(m, k) * B(k, n) * cast<f32>(index(z));"), "2:50", ("'z'", "extent")),
    Spec(8, "too few indices", _body("C(m, n) += A(m) * B(k, n);"), "2:14", ("'A'", "2 dimensions", "note")),
    Spec(8, "too many indices", _body("C(m, n, k) = A(m, k);"), "2:3", ("'C'", "2 dimensions", "note")),
    Spec(8, "scalar used as tensor", _body("C(m, n) = x(m) + A(m, n);", "x: f32, A: f32(M, N)"), "2:13", ("'x'",)),
    Spec(8, "tensor used as scalar", _body("C(m, n) = A;", "A: f32(M, N)"), "2:13", ("'A'", "tensor")),
    Spec(8, "conflicting sizes", "def f(A: f32(3), B: f32(4)) -> (C: f32(3)) {\n  C(m) = A(m) + B(m);\n}\n", "2:17",
         ("conflicting sizes", "note", "3", "4")),
    Spec(8, "input assigned to", "def f(A: f32(M)) -> (C: f32(M)) {\n  A(m) = C(m);\n}\n", "2:3", ("'A' is an input", "note")),
    Spec(8, "no statement for an output", "def f(A: f32(M)) -> (C: f32(M)) {\n}\n", "1:22", ("'C'",)),
    Spec(8, "no output", "def f(A: f32(M)) -> () { }\n", "1:5", ("no output",)),
    Spec(8, "outputs and values", _body("C(m, n) = A(m, n), B(m, n);"), "2:3", ("1 outputs", "2 values")),
    Spec(8, "size found nowhere", "def f(A: f32(M * N)) -> (C: f32(M * N)) { C(m) = A(m); }\n", "1:14", ()),
    # 9: indices
    Spec(9, "product of iterators", _body("C(m, n) = A(m * n, n);"), "2:15", ("affine",)),
    Spec(9, "index in an index", _body("C(m, n) = A(B(m, n), n);"), "2:15", ("affine",)),
    Spec(9, "negative", _body("C(m, n) = A(m - 1, n);", "A: f32(M, N)"), "2:13", ("[-1, ", "else")),
    Spec(9, "constant past the end", "def f(A: f32(4)) -> (C: f32(M)) {\n  C(m) = A(4);\n}\n", "2:10", ("[4, 4]", "[0, 3]")),
    Spec(9, "range past a constant size", "def f(A: f32(4)) -> (C: f32(4)) {\n  C(m) = A(m + 1);\n}\n", "2:10", ("[1, 4]", "[0, 3]")),
    Spec(9, "beyond 64 bits", "def f(A: f32(M)) -> (C: f32(M)) {\n  C(m) = A(m * 9223372036854775807 * 4);\n}\n", "2:12", ("64-bit",)),
    Spec(9, "index literal past 2^63", "def f(A: f32(M)) -> (C: f32(M)) {\n  C(m) = A(9223372036854775808);\n}\n", "2:12", ("2^63",)),
    # 10: division
    Spec(10, "by zero in an index", "def f(A: f32(M)) -> (C: f32(N)) {\n  C(n) = A(n / 0);\n}\n", "2:16", ("division by zero",)),
    Spec(10, "modulo zero in an index", "def f(A: f32(M)) -> (C: f32(N)) {\n  C(n) = A(n % (2 - 2));\n}\n", "2:17", ("division by zero",)),
    Spec(10, "by an iterator", "def f(A: f32(M)) -> (C: f32(N)) {\n  C(n) = A(n / n);\n}\n", "2:16", ("iterator",)),
    Spec(10, "integer by literal zero", "def f(A: i32(M)) -> (C: i32(M)) {\n  C(m) = A(m) / 0;\n}\n", "2:15", ("division by zero",)),
    # 11: literals
    Spec(11, "past 2^63", "def f(A: i64(M)) -> (C: i64(M)) {\n  C(m) = A(m) + 9223372036854775808;\n}\n", "2:17", ("fit",)),
    Spec(11, "INT64_MIN", "def f(A: i64(M)) -> (C: i64(M)) {\n  C(m) = A(m) + -9223372036854775808;\n}\n"),
    Spec(11, "past i8", "def f(A: i8(M)) -> (C: i8(M)) {\n  C(m) = A(m) + 128;\n}\n", "2:17", ("'128'", "i8")),
    Spec(11, "negative in unsigned", "def f(A: u8(M)) -> (C: u8(M)) {\n  C(m) = A(m) + -1;\n}\n", "2:18", ("'-1'", "u8")),
    Spec(11, "1e999", "def f(A: f64(M)) -> (C: f64(M)) {\n  C(m) = A(m) + 1e999;\n}\n", "2:17", ("too large",)),
    Spec(11, "70000 as f16", "def f(A: f16(M)) -> (C: f16(M)) {\n  C(m) = A(m) + 70000;\n}\n", "2:17", ("too large",)),
    Spec(11, "1e-400", "def f(A: f64(M)) -> (C: f64(M)) {\n  C(m) = A(m) + 1e-400;\n}\n", "2:17", ("too small",)),
    Spec(11, "0x", "def f(A: i32(M)) -> (C: i32(M)) {\n  C(m) = A(m) + 0x;\n}\n", "2:17", ("'0x'",)),
    Spec(11, "1e", "def f(A: f32(M)) -> (C: f32(M)) {\n  C(m) = A(m) + 1e;\n}\n", "2:17", ("'1e'",)),
    Spec(11, "1.5.2", "def f(A: f32(M)) -> (C: f32(M)) {\n  C(m) = A(m) + 1.5.2;\n}\n", "2:17", ("'1.5.2'",)),
    Spec(11, "fraction in an integer", "def f(A: i32(M)) -> (C: i32(M)) {\n  C(m) = A(m) + 1.5;\n}\n", "2:17", ("'1.5'", "i32")),
    # 12: types
    Spec(12, "int with float", _body("C(m, n) = A(m, n) + B(m, n);", "A: f32(M, N), B: i32(M, N)"), "2:23", ("i32", "f32", "cast<f32>")),
    Spec(12, "signed with unsigned", _body("C(m, n) = A(m, n) + B(m, n);", "A: i32(M, N), B: u32(M, N)", "C: i32(M, N)"), "2:23",
         ("u32", "i32", "cast")),
    Spec(12, "narrowing", _body("C(m, n) = A(m, n);", "A: f64(M, N)"), "2:13", ("f64", "f32", "cast")),
    Spec(12, "bool arithmetic", _body("C(m, n) = A(m, n) + A(m, n);", "A: bool(M, N)", "C: bool(M, N)"), "2:21", ("bool",)),
    Spec(12, "bool as a number", _body("C(m, n) = A(m, n);", "A: bool(M, N)"), "2:13", ("bool", "cast")),
    Spec(12, "f16 with f64 widens", _body("C(m, n) = A(m, n) * B(m, n);", "A: f16(M, N), B: f64(M, N)", "C: f64(M, N)")),
    Spec(12, "f16 and bf16 compared", _body("C(m, n) = A(m, n) < B(m, n);", "A: f16(M, N), B: bf16(M, N)", "C: bool(M, N)"), "2:13",
         ("f16", "bf16", "common")),
    Spec(12, "comparison as a number", _body("C(m, n) = A(m, n) < 1;", "A: f32(M, N)"), "2:13", ("bool", "f32")),
    Spec(12, "bool output summed", _body("C(m) += A(m, k);", "A: bool(M, K)", "C: bool(M)"), "2:8", ("bool",)),
    Spec(12, "float shift", _body("C(m, n) = A(m, n) << 1;", "A: f32(M, N)"), "2:21", ("f32",)),
    Spec(12, "exp of an integer", _body("C(m, n) = exp(A(m, n));", "A: i32(M, N)", "C: i32(M, N)"), "2:13", ("i32",)),
    Spec(12, "condition that is a number", _body("C(m, n) = A(m, n) ? 1 : 2;", "A: f32(M, N)"), "2:13", ("f32", "bool")),
    # 13 is arithmetic: tests/numeric. 14: outputs read elsewhere, defs in defs
    Spec(14, "output read at another point", _body("C(m, n) = A(m, n) + C(n, m);", "A: f32(M, N)"), "2:23", ("'C'", "note")),
    Spec(14, "output read with a pad", _body("C(m, n) = A(m, n) + (C(m, n) else 0);", "A: f32(M, N)"), "2:24", ("'C'",)),
    Spec(14, "def using itself", _body("C(m, n) = f(A(m, n));", "A: f32(M, N)"), "2:13", ("itself",)),
    Spec(14, "def using another", _MATMUL + "def g(A: f32(M)) -> (C: f32(M)) {\n  C(m) = f(A(m));\n}\n", "5:10", ("another def",)),
    Spec(14, "local read before it is written", _body("local T: f32(M, N);\n  C(m, n) = T(m, n);"), "3:13", ("before it is written",)),
    Spec(14, "race", _body("C(m, n) = A(m, k);"), "2:18", ("'k'",)),
    Spec(14, "two iterations, one element", _body("C(m + n, n + m) = A(m, n);"), "2:3", ("same element",)),
    # syntax, at the place of the mistake
    Spec(2, "no semicolon", "def f(A: f32(M)) -> (C: f32(M)) {\n  C(m) = A(m)\n}\n", "3:1", ("';'", "'}'")),
    Spec(2, "no brace", "def f(A: f32(M)) -> (C: f32(M)) {\n  C(m) = A(m);\n", "3:1", ("'}'", "end of the file")),
    Spec(2, "doc string not closed", "def f(A: f32(M)) -> (C: f32(M))\n\"\"\"doc\n{ C(m) = A(m); }\n", "4:1", ('"""', "note")),
    Spec(2, "minus in a name", "def f-g(A: f32(M)) -> (C: f32(M)) { C(m) = A(m); }\n", "1:6", ("'-'",)),
]

# Several errors of one file, all in one run.
MANY = Spec(6, "all errors in one run",
            "def f(A: f32(M)) -> (C: f32(M)) {\n  C(m) = X(m);\n  C(m) = A(m, m);\n}\n"
            "def g(A: f33(M)) -> (C: f32(M)) { C(m) = A(m); }\ndef h( { }\n", "2:10",
            (":3:10", ":5:10", ":6:8"))

# Errors come first, whatever the warnings before them.
BEHIND_WARNINGS = Spec(6, "an error behind a hundred warnings",
                       "".join(f"def f{i}(A: f32(M), B: f32(M)) -> (C: f32(M)) {{ C(m) = A(m); }}\n" for i in range(100))
                       + "def g(A: f32(M)) -> (C: f32(M)) { C(m) = X(m); }\n", "101:42", ("'X'",))


def deep(kind, count):
    opening, closing = {"parentheses": ("(", ")"), "minus signs": ("-", ""), "not": ("!", ""), "calls": ("exp(", ")"),
                        "else": ("(A(m) else ", ")"), "ternaries": ("true ? 1 : ", "")}[kind]
    inner = "1"
    return f"def f(A: f32(M)) -> (C: f32(M)) {{\n  C(m) = {opening * count}{inner}{closing * count};\n}}\n"


# 7: names that mean something in C, C++, GLSL or the C library; the emitted code must compile.
NAMES = ["main", "exp", "int", "__x", "_X", "class", "vec4", "printf", "double", "restrict", "namespace", "and", "NULL",
         "errno", "einc_status", "M_PI", "uniform", "buffer", "div", "index", "abs", "y0", "i", "INT64_MAX", "size_t",
         "float", "memcpy", "EINC_OK", "A", "sizes", "strides", "offset", "status", "result", "workspace"]
# 15: what doc strings may hold
DOCS = ["ends */ here", "/* begins", "backslash \\", "backslash-newline \\\nint x;", "%s %d %n", "#include <none.h>",
        "??/\ntrigraph ??>", "\"quotes\" ''", "tab\tand é ✓", "// slashes \\", "*", "/", "#error no", "\r\n*/\r"]
