# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Two libraries that `einc build --target=vulkan` made, linked into one program with nothing else."""

import itertools
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

EINC, PROGRAM = sys.argv[1:3]
LINEAR = """
def matmul(A: f32(M, K), B: f32(K, N)) -> (C: f32(M, N)) { C(m, n) += A(m, k) * B(k, n); }
def add(A: f32(N), B: f32(N)) -> (C: f32(N)) { C(n) = A(n) + B(n); }
"""
CONV = """
def conv(I: f32(W), K: f32(KW)) -> (O: f32(OW)) attr(strides: 1xi64) { O(ow) += I(ow * strides[0] + kw) * K(kw); }
"""
MAIN = """
#include "shaders.h"
int main(void) { return shaders_vulkan_create(NULL, NULL) == EINC_VK_BAD_ARGUMENT ? 0 : 1; }
"""


def build(folder, name, *flags):
    command = [EINC, "build", "--target=vulkan", "--name", name, "-o", str(folder), *flags]
    subprocess.run(command, check=True)


def build_both(folder):
    linear, conv = folder / "linear.tc", folder / "conv.tc"
    linear.write_text(LINEAR)
    conv.write_text(CONV)
    build(folder, "shaders", str(linear))
    fixed = ["--def=conv", "--def=matmul", "--dim=K=3", "--attr=strides=2", "--prefix=fixed_"]
    build(folder, "fixed_shaders", *fixed, str(conv), str(linear))


class BuildTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """Both libraries, which all tests read."""
        cls.scratch = tempfile.TemporaryDirectory()
        cls.built = pathlib.Path(cls.scratch.name)
        build_both(cls.built)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def test_linked_into_one_program(self):
        with tempfile.TemporaryDirectory() as name:
            program = f"{name}/program"
            libraries = ["-lshaders", "-lfixed_shaders", "-lm", "-ldl", "-lpthread"]
            for order in (libraries, libraries[1::-1] + libraries[2:]):
                subprocess.run(
                    ["clang-19", "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", PROGRAM, f"-I{self.built}",
                     f"-L{self.built}", *order, "-o", program],
                    check=True,
                )
                result = subprocess.run([program], capture_output=True, text=True)
                self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
                self.assertIn(", 0 failed", result.stdout)

    def test_headers_alone(self):
        text = '#include "fixed_shaders.h"\n#include "shaders.h"\n'
        for language in ("-xc", "-xc++"):
            command = ["clang-19", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", f"-I{self.built}", language, "-"]
            subprocess.run(command, input=text, text=True, check=True)

    def test_sources_are_all_there(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "linear.tc").write_text(LINEAR)
            build(folder, "shaders", "--sources-only", str(folder / "linear.tc"))
            self.assertFalse(list(folder.rglob("*.a")))
            (folder / "main.c").write_text(MAIN)
            sources = [str(f) for f in folder.rglob("*.c")]
            self.assertGreater(len(sources), 10)
            program = str(folder / "program")
            command = ["clang-19", "-std=c99", "-Wall", "-Wextra", "-Werror", f"-I{name}", *sources, "-lm", "-ldl",
                       "-lpthread", "-o", program]  # fmt: skip
            subprocess.run(command, check=True)
            subprocess.run([program], check=True)

    def test_same_input_same_bytes(self):
        def files(folder):
            return {str(f.relative_to(folder)): f.read_bytes() for f in folder.rglob("*") if f.is_file()}

        with tempfile.TemporaryDirectory() as name:
            build_both(pathlib.Path(name))
            again = files(pathlib.Path(name))
        self.assertEqual(files(self.built), again)
        self.assertIn("runtime/vulkan/vk.h", again)

    def test_manifest(self):
        manifest = json.loads((self.built / "shaders.json").read_text())
        self.assertEqual(manifest["device"], "vulkan")
        for kernel in manifest["kernels"]:
            self.assertTrue(kernel["dispatches"])
            for dispatch in kernel["dispatches"]:
                self.assertEqual(len(dispatch["workgroup_size"]), 3)
                written = [b["tensor"] for b in dispatch["buffers"] if b["written"]]
                self.assertTrue(written)
                self.assertEqual(dispatch["constants"][-1]["type"], "u32[3]")

    def test_command_lines(self):
        for flags in (["--target=vulkan,vulkan-desktop"], ["--target=vulkan,x86-64-v3"],
                      ["--target=vulkan", "--threads=2"], ["--target=vulkan", "--lib=cblas"],
                      ["--target=vulkan", "--export=cblas"], ["--target=vulcan"],
                      ["--target=vulkan", "--device=0"], ["--device=0"]):
            with tempfile.TemporaryDirectory() as name:
                command = [EINC, "build", *flags, "-o", name + "/out", "-"]
                result = subprocess.run(command, input=LINEAR, text=True, capture_output=True)
                self.assertEqual(result.returncode, 2, flags)
                self.assertFalse((pathlib.Path(name) / "out").exists())

    def test_sizes_and_settings_at_the_edge(self):
        settings = "mr = 1 nr = 1 rows = 2 columns = 2 kt = 2 fewest = 1"
        schedule = f'einc_schedule 1\nschedule @matmul for "vulkan" {{ op 0 contraction {{ {settings} }} }}\n'
        values = [0, 1, 2, None]
        for i, j in itertools.product(range(4), repeat=2):
            sizes = (values[i], values[j], values[(i + j) % 4])  # of any two, all pairs
            dims = [f"--dim={name}={size}" for name, size in zip("MNK", sizes) if size is not None]
            for text in (None, schedule):
                with tempfile.TemporaryDirectory() as name:
                    (pathlib.Path(name) / "s.eis").write_text(text or "")
                    flags = [f"--schedule={name}/s.eis"] if text else []
                    command = [EINC, "emit", "--stage=spirv", "--target=vulkan", "--def=matmul", *dims, *flags, "-"]
                    result = subprocess.run(command, input=LINEAR, text=True, capture_output=True)
                    if text and "the op is no contraction on a device" in result.stderr:
                        continue  # of one position, or none
                    self.assertEqual(result.returncode, 0, (command, result.stderr))

    def test_locals_that_no_shader_has_may_be_large(self):
        text = "def f(A: f32(M), B: f32(N)) -> (C: f32(M)) { T(m, n) = A(m) * B(n); C(m) +=! T(m, n); }"
        command = [EINC, "emit", "--stage=spirv", "--target=vulkan", "--dim=M=65536", "--dim=N=65536", "-"]
        result = subprocess.run(command, input=text, text=True, capture_output=True)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_no_tuning(self):
        command = [EINC, "tune", "--target=vulkan", "--def=matmul", "--size=M,N,K=8", "-o", "none.json", "-"]
        result = subprocess.run(command, input=LINEAR, text=True, capture_output=True)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertFalse(pathlib.Path("none.json").exists())

    def test_what_no_device_can_do(self):
        refused = [
            ("library_call<mine>\n" + LINEAR.lstrip().splitlines()[0], [], "done by mine (library_call), which runs on the CPU"),
            (LINEAR, ["--dim=M=100000", "--dim=K=100000"], "%A has more than 2147483647 elements"),
        ]
        for text, flags, reason in refused:
            with tempfile.TemporaryDirectory() as name:
                for what in (["build", "-o", name + "/out"], ["explain"], ["emit", "--stage=glsl"]):
                    command = [EINC, *what, "--target=vulkan", *flags, "-"]
                    result = subprocess.run(command, input=text, text=True, capture_output=True)
                    if what[0] == "explain" and flags:
                        continue  # it can be said what would be done
                    self.assertEqual(result.returncode, 1, (what, result.stderr))
                    self.assertIn(reason, result.stderr)
                    self.assertFalse((pathlib.Path(name) / "out").exists())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
