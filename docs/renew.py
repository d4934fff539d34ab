#!/usr/bin/python3
# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Renews the parts of the manual that are made from tables.

  bazel build //tools:einc && docs/renew.py [EINC]     writes docs/reference/ and the grammar in docs/language.md anew
  docs/renew.py --check EINC                           says which of them are not up to date

What is where: functions from compiler/ir/functions.def and the historic names in compiler/frontend/functions.cpp,
diagnostics and flags from einc itself, statuses from runtime/status.def and its kin, the grammar from compiler/frontend/grammar.ebnf.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).absolute().parents[1]
MADE = "<!-- Made by docs/renew.py. Do not edit. -->\n"
HERE = {"GRAMMAR": ("<!-- The grammar: made by docs/renew.py from compiler/frontend/grammar.ebnf. -->\n", "<!-- The end of the grammar. -->\n")}
CLASSES = {"Number": "integers, floats", "Float": "floats", "Integer": "integers", "Logic": "integers (their bits), bool",
           "Compare": "integers, floats; bool for eq and ne", "Select": "a: bool; b, c: any one type"}  # fmt: skip


def read(path):
    return (ROOT / path).read_text()


def einc_says(einc, *args):
    return subprocess.run([einc, *args], stdout=subprocess.PIPE, text=True, check=True).stdout


def cell(words):
    return words.replace("|", "\\|")


def joined(literals):
    """C string literals behind each other, as one text."""
    return "".join(part.replace('\\"', '"') for part in re.findall(r'"((?:[^"\\]|\\.)*)"', literals))


def functions(_):
    source = read("compiler/ir/functions.def")
    rules = re.search(r"//   (Integers wrap.*?)\n//\n", source, re.DOTALL)[1].replace("//   ", "")
    rows = re.findall(r'^EINC_FUNCTION\((\w+), "(\w+)", (\d), (\w+), (\w+), "([^"]*)"\)$', source, re.MULTILINE)
    stems = re.findall(r'\{"(\w+)", Function::(\w+), OperandClass::(\w+)\}', read("compiler/frontend/functions.cpp"))
    lines = [MADE, "# Functions", "", "What an expression of a spec can call. All arguments, and the result, have one type, unless the table says otherwise.",
             "[The language](../language.md) says how arguments get there, and [numbers](../numbers.md) how results are rounded.", "",
             "| function | gives | of |", "| --- | --- | --- |"]  # fmt: skip
    for _, name, arity, signature, _, gives in rows:
        call = f"{name}({', '.join('abc'[: int(arity)])})"
        lines.append(f"| `{call}` | {cell(gives)} | {CLASSES[signature]} |")
    lines += ["| `cast<T>(a)` | a as a `T` | any type |", "| `index(m)` | the number of the iteration of `m`, from 0 | an iterator; gives i64 |", "",
              "Comparisons give bool. A function of two arguments can stand before `=`, as in `max=`, and before `<k>`, as in `max<k>(A(m, k))`.", "",
              "## What they give at the edges", "", "No case is undefined.", "", *[f"- {rule.strip()}" for rule in sentences(rules)], ""]  # fmt: skip
    lines += ["## Historic names", "", "Specs written for MLIR's `mlir-linalg-ods-gen` call functions by the names of MLIR's operations. These are read, too, with",
              "`std_`, `math_`, `arith_` or nothing before them. `Signed` and `Unsigned` say how bits are read.", "",
              "| function | historic names |", "| --- | --- |"]  # fmt: skip
    spelled = {enumerator: name for enumerator, name, *_ in rows}
    for enumerator, name in spelled.items():
        old = [f"`{stem}`{f' ({kind})' if kind in ('Signed', 'Unsigned') else ''}" for stem, function, kind in stems if function == enumerator]
        if old:
            lines.append(f"| `{name}` | {', '.join(old)} |")
    lines.append("| `cast` | `sexti32`, `zexti64`, `trunci8`, `extf64`, `truncf16`, `sitofp32`, `uitofp64`, `fptosi32`, `fptoui8`, and the like |")
    return "\n".join(lines) + "\n"


def sentences(text):
    """The rules, one an entry: a text whose lines are broken anywhere."""
    return re.findall(r"[^;.]*(?:\([^)]*\)[^;.]*)*(?:\.(?!\s)[^;.]*)*[;.]", " ".join(text.split()))


def diagnostics(einc):
    named = re.findall(r"^([\w-]+): (.*)$", einc_says(einc, "check", "--explain=all"), re.MULTILINE)
    lines = [MADE, "# Diagnostics", "", "The name in brackets behind a message leads here. `einc check --explain=NAME` prints the same. Warnings are errors with `--Werror`.", ""]
    for name, _ in named:
        said = einc_says(einc, "check", f"--explain={name}").strip()
        words, _, example = said.removeprefix(f"{name}: ").partition("\n\nFor example\n\n")
        lines += [f"## {name}", "", words, ""]
        if example:
            slip, _, mended = example.partition("\n\nwhere this is good:\n\n")
            dedent = lambda text: "\n".join(line.removeprefix("  ") for line in text.splitlines())
            lines += ["```", dedent(slip), "```", "", "This is good:", "", "```", dedent(mended), "```", ""]
    return "\n".join(lines).rstrip() + "\n"


def statuses(_):
    lines = [MADE, "# Statuses", "", "What kernels and functions of the runtime return: an `int`, 0 where all went well. `einc_status_string` gives the sentence.",
             "A kernel looks at its arguments first; where it returns a status of the first table, it has touched no output. Numbers never change.", ""]  # fmt: skip
    lines += status_tables("runtime/status.def", "EINC_", "")
    lines += ["# Statuses of devices", "", "What `runtime/vulkan` returns besides. `einc_vk_status_string` gives the sentence, and `einc_vk_last_message` what it was about.", ""]
    lines += status_tables("runtime/vulkan/status.def", "EINC_VK_", " (devices)")
    lines += ["# Statuses of MPI", "", "What `runtime/mpi` returns. `einc_mpi_status_string` gives the sentence, and `einc_mpi_sentence` says which rank it is about.", ""]
    lines += status_tables("runtime/mpi/status.def", "EINC_MPI_", " (MPI)")
    return "\n".join(lines).rstrip() + "\n"


def status_tables(path, prefix, behind):
    """A table for each comment of the file that stands above rows."""
    for comment, rows in re.findall(r"/\* ([^*\n]+?)\.? \*/\n((?:EINC_\w*STATUS\((?:[^\"()]|\"[^\"]*\")*\)\n)+)", read(path)):
        title = re.sub(r":.*", "", comment)
        yield from (f"## {title}{behind}", "", "| status | number | meaning |", "| --- | --- | --- |")
        for name, value, words in re.findall(r'STATUS\((\w+), (-?\d+),\s*((?:"[^"]*"\s*)+)\)', rows):
            yield f"| `{prefix}{name}` | {value} | {cell(joined(words))} |"
        yield ""


def flags(einc):
    # The files of its examples are the reader's.
    return MADE + einc_says(einc, "--help=markdown").strip().replace("```sh\n", "```sh not run: an example\n") + "\n"


def language(_):
    """The page with the grammar in it."""
    begin, end = HERE["GRAMMAR"]
    page = read("docs/language.md")
    before, rest = page.split(begin)
    grammar = re.sub(r"\A// Part of.*\n//\n", "", read("compiler/frontend/grammar.ebnf"))
    return before + begin + "```\n" + grammar + "```\n" + end + rest.split(end)[1]


PAGES = {"reference/functions.md": functions, "reference/diagnostics.md": diagnostics, "reference/statuses.md": statuses, "reference/flags.md": flags,
         "language.md": language}  # fmt: skip


def main(args):
    check = "--check" in args
    rest = [arg for arg in args if arg != "--check"]
    einc = str(pathlib.Path(rest[0] if rest else ROOT / "bazel-bin/tools/einc").absolute())
    failed = 0
    for name, make in PAGES.items():
        path, text = ROOT / "docs" / name, make(einc)
        if not check:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            failed += 1
            print(f"docs/{name} is not up to date; run docs/renew.py and read the diff")
    if check:
        print(f"{len(PAGES) - failed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
