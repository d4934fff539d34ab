# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""What programs that were compiled against the runtime, and against generated headers, rely on: a fact a line.

  symbol NAME          that libeinc.so exports
  function PROTOTYPE   of a public header, or of the one that einc generates of kernel.tc
  value NAME = NUMBER  of an enumerator or a macro
  field TYPE.NAME ...  where a field of a struct lies, and its type
  size TYPE = BYTES, aligned to BYTES
  manifest KEY         of the manifest of kernel.tc, with its kind of value

VERSION.txt beside this file has the facts of that release. Each of them has to hold in the next one, too; there may be
more. After a release, or where a promise is broken on purpose (then the soname changes as well):

  bazel run //runtime/abi:renew
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

CLANG, NM = "/usr/lib/llvm-19/bin/clang", "/usr/lib/llvm-19/bin/llvm-nm"

# All public C headers; descriptors with arrays and without, by the macros and as headers of libraries have them.
INCLUDES = """
#include "runtime/arena.h"
#include "runtime/dlpack.h"
#include "runtime/layout.h"
#include "runtime/memref.h"
#include "runtime/status.h"
#include "runtime/threads.h"
#include "runtime/vulkan/vk.h"
#include "kernel.h"
EINC_MEMREF(float, f32, 3);
EINC_MEMREF_0(float, f32);
"""


def clang(folder, text, *args, include):
    """What Clang says of the C file `text`."""
    path = pathlib.Path(folder) / "abi.c"
    path.write_text(text)
    command = [CLANG, "-std=c99", "--target=x86_64-linux-gnu", "-w", "-I", folder, "-I", include, *args, str(path)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def symbols(library):
    listing = subprocess.run([NM, "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    names = [line.split()[-1].split("@")[0] for line in listing.splitlines()]
    return [f"symbol {name}" for name in names if name.startswith("einc_")]


def prototypes(text):
    """Of the headers, after the preprocessor."""
    found = re.findall(r"^[ \t]*((?:const )?\w+ \**(?:einc_|kernel|_mlir)\w*\([^;{}]*\));", text, re.MULTILINE | re.DOTALL)
    return ["function " + " ".join(prototype.split()) for prototype in found]


def values(text, folder, include):
    """Of enumerators, and of macros that have a value; the compiler computes them."""
    enums = "".join(re.findall(r"enum\s*\w*\s*{([^}]*)}", text))
    names = set(re.findall(r"\b(EINC_\w+)", enums))
    macros = clang(folder, INCLUDES, "-E", "-dM", include=include)
    for name, rest in re.findall(r"^#define (EINC_[A-Z0-9_]+) (\S.*)$", macros, re.MULTILINE):
        if re.match(r"[-(\d]|U?INT\d+_", rest):
            names.add(name)
    body = "".join(f'  printf("value {name} = %lld\\n", (long long){name});\n' for name in sorted(names))
    program = os.path.join(folder, "values")
    clang(folder, f"#include <stdio.h>\n{INCLUDES}\nint main(void) {{\n{body}}}\n", "-o", program, include=include)
    return subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines()


def layouts(text):
    """Of structs, from what Clang shows of its own records."""
    result = []
    for record in re.split(r"\*\*\* Dumping AST Record Layout\n", text)[1:]:
        lines = [line for line in record.splitlines() if "|" in line]
        name = re.sub(r"^\S*\s*0 \| (struct )?", "", lines[0].strip()).strip()
        if not name.startswith("einc_"):
            continue
        for line in lines[1:]:
            if ended := re.search(r"\[sizeof=(\d+), align=(\d+)\]", line):
                result.append(f"size {name} = {ended[1]}, aligned to {ended[2]}")
            elif field := re.match(r"\s*([\d:-]+) \|   (\S.*) (\w+)$", line):
                kind = re.sub(r" \((un)?named[^)]*\)", "", field[2])
                result.append(f"field {name}.{field[3]} at {field[1]}: {kind}")
    return result


def keys(value, path):
    """Of a JSON value: where there is which kind; elements of an array count as one."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from keys(inner, f"{path}.{key}")
    elif isinstance(value, list):
        yield f"{path}[]"
        for inner in value:
            yield from keys(inner, f"{path}[]")
    else:
        kind = value if path == "manifest .einc_manifest" else type(value).__name__
        yield f"{path}: {kind}"


def facts(include, library, einc, spec):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([einc, "emit", "--stage=header", "--name=kernel", spec, "-o", f"{folder}/kernel.h"], check=True)
        subprocess.run([einc, "emit", "--stage=manifest", spec, "-o", f"{folder}/kernel.json"], check=True)
        manifest = json.loads(pathlib.Path(f"{folder}/kernel.json").read_text())
        plain = clang(folder, INCLUDES, "-E", "-P", include=include)
        # Clang shows structs by their own names, and most have only that of their type.
        named = re.sub(r"typedef struct {([^{}]*)} (einc_\w+);", r"typedef struct \2 {\1} \2;", plain)
        records = clang(folder, named, "-fsyntax-only", "-Xclang", "-fdump-record-layouts-complete", include=include)
        found = symbols(library) + prototypes(plain) + values(plain, folder, include) + layouts(records)
        found += keys(manifest, "manifest ")
    return sorted(set(found))


def header(release):
    return f"# What libeinc.so and its headers promise since {release}: see abi.py.\n"


def main(program, *args):
    renew = args[:1] == ("--renew",)
    include, library, einc, spec, release = args[renew:]
    now = facts(include, library, os.path.abspath(einc), spec)
    if renew:
        path = pathlib.Path(os.environ["BUILD_WORKSPACE_DIRECTORY"]) / release
        path.write_text(header(path.stem) + "\n".join(now) + "\n")
        print(f"{path}: {len(now)} facts")
        return 0
    promised = [line for line in pathlib.Path(release).read_text().splitlines() if not line.startswith("#")]
    broken = sorted(set(promised) - set(now))
    for fact in broken:
        print(f"FAILED no longer: {fact}")
    for fact in sorted(set(now) - set(promised)):
        print(f"new: {fact}")
    if broken:
        print("Programs that were compiled before would break. If that is wanted: another soname, and bazel run //runtime/abi:renew")
    print(f"{len(promised) - len(broken)} passed, {len(broken)} failed")
    return 1 if broken or not promised else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv))
