# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Ops in rounds on a Vulkan device, where a workgroup does a tile: the defs of rounds_test.py, with sizes around tiles, rounds and the
parts of rows of values; one query; no key; with small tiles that a schedule gives; as the interpreter has the dispatches; in parts of
rounds, those of the model and small ones, with rows that end in any of them; and where a row has a result of its own, or longer loops
than the device runs, one op after the other.
"""

import numpy as np

from tests.numeric import einc_tool, rounds_test

# M, N, D, E: around a tile of 32 rows, rounds of 32 keys and 256, parts of 64 values.
_SIZES = [(31, 33, 5, 3), (33, 65, 3, 65), (32, 32, 8, 64), (65, 1, 2, 63), (1, 300, 7, 5), (1, 1, 1, 1), (0, 5, 2, 3), (3, 70, 2, 0), (130, 97, 9, 129)]
# Whose largest value and sum are results, too: of a row of values as a whole.
_SEEN = ("def f(Q: f32(M, D), K: f32(N, D), V: f32(N, E)) -> (O: f32(M, E), L: f32(M)) { S(m, n) +=! Q(m, d) * K(n, d); "
         "A(m) max=! S(m, n); X(m, n) = exp(S(m, n) - A(m)); T(m) +=! X(m, n); U(m, e) +=! X(m, n) * V(n, e); "
         "O(m, e) = U(m, e) / T(m); L(m) = A(m) + log(T(m)); }")


def seen(folder, m, n, e, flags, rng):
    (folder / "f.tc").write_text(_SEEN)
    arrays = {"Q": rng.standard_normal((m, 4)), "K": rng.standard_normal((n, 4)), "V": rng.standard_normal((n, e))}
    args = ["eval", folder / "f.tc", "--engine=vulkan", *flags, "--out", f"O={folder}/O.npy", "--out", f"L={folder}/L.npy"]
    for tensor, array in arrays.items():
        arrays[tensor] = array.astype(np.float32)
        np.save(folder / f"{tensor}.npy", arrays[tensor])
        args += ["--in", f"{tensor}={folder}/{tensor}.npy"]
    einc_tool.must(einc_tool.run(*args))
    Q, K, V = (arrays[t].astype(np.float64)[None] for t in "QKV")
    scores, bits = rounds_test.scored(Q, K, 1)
    for name, (want, error) in {"O": rounds_test.attended(scores, bits, V), "L": rounds_test.logarithm(Q, K, V, None, 1)}.items():
        got = np.load(folder / f"{name}.npy")
        if not (np.abs(got - want[0]) <= error[0] + 1e-37).all():
            return f"{name}: {np.abs(got - want[0]).max()} away\n{einc_tool.command_line(*args)}"
    return None


def main():
    cases = einc_tool.Cases()
    folder = einc_tool.scratch()
    rng = np.random.default_rng(20261130)

    def run(name, sizes, engine, target, tiles=None):
        numbers = dict(zip("HRMNDE", sizes))
        cases.run(f"{name} {engine} {sizes} {target} {tiles}", rounds_test.case, folder, name, numbers, engine, [f"--target={target}"], tiles, rng)

    for i, name in enumerate(rounds_test.DEFS):
        for j, sizes in enumerate(_SIZES):
            if sizes[2] and (i + j) % 4 == 0:
                run(name, (2, 3, *sizes), "vulkan", str(rng.choice(["vulkan", "vulkan-software", "vulkan-desktop"])))
        run(name, (1, 2, 5, 7, 3, 4), "tiled", "vulkan")
        target = str(rng.choice(["vulkan", "vulkan-desktop"]))
        for engine in ("hw", "vulkan"):
            run(name, (1, 2, 7, 9, 3, 4), engine, target, (target, int(rng.integers(1, 5)), int(rng.integers(1, 6))))
        # In parts that workgroups share.
        tiles = (target, *(int(rng.integers(1, 5)) for _ in range(3)))
        run(name, (2, 2, int(rng.choice([1, 2, 5])), int(rng.integers(5, 14)), 2, 5), str(rng.choice(["tiled", "hw", "vulkan"])), target, tiles)
        if i % 3 == 0:
            run(name, (1, 1, int(rng.choice([1, 2, 33])), int(rng.choice([1025, 2047, 2049, 2500])), 3, int(rng.choice([3, 65]))), "vulkan", "vulkan")
    for keys in (1, 3, 4, 5, 7, 8, 9, 13):
        engine = str(rng.choice(["tiled", "hw", "vulkan"]))
        cases.run(f"decoded {engine} {keys}", rounds_test.decoded, folder, engine, keys, 0, rounds_test._WIDTH, rng, "vulkan")
    for keys in (1023, 1024, 1025, 2048, 3100):
        cases.run(f"decoded {keys}", rounds_test.decoded, folder, "vulkan", keys, 0, 1024, rng, "vulkan")
    for m, n, e in [(33, 40, 64), (5, 33, 65), (40, 3, 1), (3, 1030, 64), (1, 2048, 65)]:
        for flags in ([], ["--dim", f"E={e}"], ["--target=vulkan"]):
            cases.run(f"seen {m} {n} {e} {flags}", seen, folder, m, n, e, flags, rng)
    # Past the rounds of loops that an invocation of Mesa's software device may run: in parts, and where a part has too many.
    run("plain", (1, 1, 3, 40_000, 40, 2), "vulkan", "vulkan-software")
    run("plain", (1, 1, 300, 40_000, 40, 2), "vulkan", "vulkan-software")
    run("plain", (1, 1, 2, 1030, 3000, 2), "vulkan", "vulkan-software")
    cases.finish()


if __name__ == "__main__":
    main()
