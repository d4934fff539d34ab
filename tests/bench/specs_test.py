# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""The benchmark of all specs: sizes follow the rule, work is counted as it says, a kernel that is made slow has the share it should
have, and whatever is not measured is listed. Specs at random: a seed gives the same, all kinds are drawn, results are the interpreter's."""

import os
import signal

from tests.bench import ir_ops, limits, random_specs, sizes, specs, specs_report, suite, timing, work
from tests.numeric import einc_tool

LEVELS = "tiny=16384,small=65536"  # bytes
SPECS = {path.name: path for path in einc_tool.specs()}


def kernels(*names):
    found = {}
    for name in names or SPECS:
        found.update(ir_ops.of_spec(einc_tool.EINC, SPECS[name]))
    return found


def options(*args):
    return specs.parse([*args, f"--levels={LEVELS}", f"--einc={einc_tool.EINC}", "--quick"])


# ---- Sizes ----


def kinds_are_found():
    all_of_them = kernels("conv.tc", "layout.tc", "batch_matmul.tc", "matmul.tc", "winograd.tc", "elementwise.tc")
    for name, wanted in {
        "conv_2d_nhwc_hwcf": "N batch, IH derived, IW derived, C free, KH window, KW window, F free, OH free, OW free",
        "unpack": "MO derived, NO derived, MI tile, NI tile, M free, N free",
        "batch_matmul": "B batch, M free, K free, N free", "matmul": "M free, K free, N free", "add_bias": "M free, N free",
        "winograd_filter_transform": "E square, R square, F free, C free",
    }.items():
        found = ", ".join(f"{s} {k}" for s, k in sizes.kinds(all_of_them[name]).items())
        assert found == wanted, f"{name}: {found}"
    padded = sizes.choose(all_of_them["conv_2d_nhwc_hwcf_padded"], 1 << 20)
    assert padded.values["padding"] == [1, 1] and padded.extents["IH"] == padded.extents["OH"], padded.text()


def sizes_follow_the_rule(name):
    """Of all defs of a file: operands have the bytes wanted, no index is outside unless it may be, rows are no powers of two."""
    for kernel in kernels(name).values():
        kind_of = sizes.kinds(kernel)
        for wanted in (1 << 19, 1 << 23, 1 << 27):
            case = sizes.choose(kernel, wanted)
            assert 0.6 * wanted < case.footprint() <= wanted, f"{kernel.name} {case.text()}: {case.footprint()} of {wanted}"
            free = [n for s, n in case.extents.items() if kind_of[s] == "free" and n >= 256]
            assert not any(n & (n - 1) == 0 for n in free), f"{kernel.name} {case.text()}"
            for op in kernel.ops:
                scope = {**case.scope, **{i: (0, n - 1) for i, n in case.iterators(op).items()}}
                for operand in op.operands:
                    shape = case.shape(kernel.tensors[operand.tensor])
                    ends = [sizes.bounds(tree, scope) for tree in operand.index]
                    assert operand.padded or all(0 <= low and high < n for (low, high), n in zip(ends, shape)), (kernel.name, case.text())


# ---- Work ----


def at(kernel, **extents):
    return work.measure(sizes.choose(kernel, 1 << 16, extents), 64)


def work_is_counted():
    k = kernels("matmul.tc", "norm.tc", "reductions.tc", "pooling.tc", "softmax.tc", "winograd.tc", "layout.tc", "matvec.tc")
    one = at(k["matmul"], M=8, N=16, K=32)
    assert (one.read, one.written, one.updated) == (4 * (8 * 32 + 32 * 16), 0, 4 * 8 * 16), one
    assert (one.instructions, one.operations) == (8 * 16 * 32 / 16, 2 * 8 * 16 * 32), one
    assert at(k["batch_norm_nhwc"], N=2, H=3, W=5, C=16).functions == {("rsqrt", "f32"): 16}  # once a channel
    assert at(k["softmax"], M=4, N=64).functions == {("exp", "f32"): 256, ("div", "f32"): 256}
    assert at(k["sum_all"], M=8, N=16).read == 4 * 8 * 16
    for name, again in {"variance_all": [(512, 512)], "variance_rows": [(512, 64)], "variance_columns": [(512, 512)], "mean_all": [],
                        "softmax": [(1024, 64)], "layer_norm": [(1024, 64)], "matmul": [], "logsumexp_rows": [(512, 64)]}.items():  # fmt: skip
        done = at(k[name], M=8, N=16, K=16)
        assert done.again == again, f"{name}: {done.again}"
    pool = at(k["pooling_nhwc_max"], N=1, C=16, OH=4, OW=4)
    assert pool.read == 4 * 6 * 6 * 16 and pool.updated == 4 * 4 * 4 * 16, pool  # not the window, whose shape counts
    assert pool.instructions == 1.5 * 16 * 16 * 9 / 16, pool  # one, and a check of two values for NaN
    assert not at(k["winograd_filter_transform_f2_3"], F=8, C=8).functions  # halves are products
    assert at(k["winograd_filter_transform_f2_3"], F=8, C=16).read == 4 * 8 * 9 * 16  # three rows, each by its number
    tiles = at(k["winograd_output_transform_f2_3"], TH=2, TW=2, N=2, F=16, OH=4, OW=4)
    assert (tiles.read, tiles.written) == (4 * 16 * 4 * 2 * 16, 4 * 2 * 16 * 16), tiles
    assert at(k["copy"], M=8, N=16).instructions == 0
    assert at(k["matvec"], M=4, K=64).updated == 4 * 4


def positions_and_invariants_are_counted_once():
    (kernel,) = ir_ops.read("""eir 1
kernel @k(%A: tensor<M x N x i8>, zero: i32) -> (%C: tensor<M x f32>)
    level tensors {
  op (m: parallel, n: reduction) ins(%A[m, n]) outs(%C[m]) { (a, c) -> add(c, cast<f32>(sub(cast<i32>(a), zero))) }
}""").values()  # fmt: skip
    done = at(kernel, M=4, N=16)
    assert (done.instructions, done.simple) == (4 * 16 * 3 / 16, 4 * 16 / 16), done  # widen, convert, add; subtract
    done = at(kernels("semirings.tc")["matmul_or_and"], M=4, N=4, K=16)
    assert (done.instructions, done.simple) == (0, 4 * 4 * 16 / 64), done  # one of three operands


def products_of_integers_have_their_own_price():
    found = kernels("matmul.tc")
    wide, narrow, floats = (at(found[name], M=4, N=4, K=16) for name in ("matmul_i32_i32_i32", "matmul_i16_i16_i32", "matmul"))
    assert wide.products == {4: 4 * 4 * 16 / 16} and wide.simple == 4 * 4 * 16 / 16, wide
    assert not narrow.products and not floats.products, (narrow, floats)


def the_longer_time_is_the_roof():
    folder = einc_tool.scratch()
    found = limits.Limits(folder, {"tiny": 16384}, sample=0.0005, rounds=2)
    assert found.instructions > 1e8 and all(1e-12 < s < 1e-8 for s in found.memory["tiny"].values()), found.as_json()
    found.memory["tiny"] = {"read": 1e-9, "add": 2e-9, "copy": 3e-9, "write": 4e-9, "update": 5e-9, "accumulate": 6e-9}
    for parts, wanted in [((0, 0, 0), 0), ((10, 0, 0), 10e-9), ((0, 10, 0), 40e-9), ((5, 5, 0), 30e-9), ((10, 5, 0), 30e-9), ((5, 15, 0), 70e-9),
                          ((0, 0, 10), 100e-9), ((10, 0, 10), 180e-9), ((30, 0, 10), 200e-9), ((0, 1, 10), 104e-9)]:  # fmt: skip
        got = found.memory_seconds("tiny", *parts)
        assert abs(got - wanted) < 1e-15, (parts, got)
    found.sizes, found.memory["L1"] = {"L1": 100, "tiny": 16384}, {"read": 1e-10}
    assert [found.again_seconds("tiny", part) for part in (100, 101, 20000)] == [1e-10, 1e-9, 1e-9]
    assert found.price("exp", "f32") is None or found.price("exp", "f32")[0] < 1e-6
    found.prices["exp", "f32"] = (1e-9, "planted")
    assert found.simple >= found.instructions
    assert all(1e8 < rate <= 1.1 * found.simple for rate in found.products.values()), found.products
    found.instructions, found.simple, found.products[8] = 1e9, 2e9, 5e8
    memory, arithmetic = work.seconds(
        work.Work(read=1, instructions=3, simple=4, products={8: 2}, functions={("exp", "f32"): 2}), found, "tiny")  # fmt: skip
    assert abs(memory - 1e-9) < 1e-15 and abs(arithmetic - 11e-9) < 1e-15, (memory, arithmetic)


# ---- Runs ----


class Slowed:
    """A library each call of which does its work several times."""

    def __init__(self, built, times):
        self.built, self.times = built, times

    def call(self, name, arguments, runs):
        return self.built.call(name, arguments, runs * self.times)

    def explain(self, name, arguments):
        return self.built.explain(name, arguments)


def a_slow_kernel_has_the_share_it_should():
    folder = einc_tool.scratch()
    opts = options("^sum_rows$|^exp$|^matmul$")
    defs, _ = specs.chosen(opts, folder)
    built = timing.Built(einc_tool.EINC, folder / "library", {d.path for d in defs}, flags=[f"--def={d.kernel.name}" for d in defs])
    bounds = limits.Limits(folder, {"small": 65536}, sample=0.002, rounds=3)
    bounds.prices["exp", "f32"] = (1e-9, "planted")
    for d in defs:
        (case,) = [case for _, case, _ in specs.cases_of(d, bounds)]
        for _ in range(5):  # whoever else is on this machine may be in the way
            ((entry, done),) = specs.measure([d], [Slowed(built, 8), built], bounds, opts, None, 0, [])
            specs.add_share(entry, done, bounds)
            whole = max(entry["memory_seconds"], entry["arithmetic_seconds"]) / entry["other_seconds"]
            if 0.1 < entry["ratio"] < 0.16 and 0.1 * whole < entry["share"] < 0.16 * whole:
                break
        else:
            return f"{d.kernel.name} {case.text()}: ratio {entry['ratio']}, share {entry['share']} of {whole}"
    return None


def the_fastest_pass_counts():
    opts = options("^copy$")
    ((d,), _) = specs.chosen(opts, einc_tool.scratch())
    case = sizes.choose(d.kernel, 1 << 14)
    passes = [([[4.0, 4.0, 5.0], [8.0, 8.0, 8.0]], 1, "slow"), ([[2.0, 2.0, 2.1], [6.0, 6.0, 6.0]], 0.5, "fast"), ([[3.0] * 3, [5.0] * 3], 1, "")]
    entry = specs.entry_of(d, "L2", case, work.measure(case, 64), passes)
    assert (entry["seconds"], entry["explained"], entry["cpu_share"], entry["noisy"]) == (2.0, "fast", 0.5, True), entry
    assert (entry["other_seconds"], entry["ratio"], len(entry["samples"])) == (5.0, 2.0, 3), entry


def a_run():
    folder = einc_tool.scratch()
    opts = options("^(copy|softmax|argmax_rows|conv_1d_nwc_wcf)$", "--json", str(folder / "f.json"), "--svg", str(folder / "f.svg"))
    (folder / "run").mkdir()
    found = specs.run(opts, folder / "run")
    specs.report(found, opts)
    assert not found["failures"] and found["defs"] == 4, found["failures"]
    assert {e["def"] for e in found["entries"]} == {"copy", "softmax", "argmax_rows", "conv_1d_nwc_wcf"}
    assert {e["level"] for e in found["entries"] if e["def"] == "copy"} == {"tiny", "small"}
    shares = [e["share"] for e in found["entries"]]
    assert shares == sorted(shares) and all(0 < s < 4 for s in shares), shares
    assert all(e.get("explained", "code for ").startswith("code for ") for e in found["entries"]), found["entries"]
    assert found["limits"]["prices"]["exp f32"]["of"] in ("own", "libmvec", "SLEEF", "C"), found["limits"]
    assert (folder / "f.json").stat().st_size > 1000 and "</svg>" in (folder / "f.svg").read_text()


def threads_and_another_einc():
    folder = einc_tool.scratch()
    opts = options("^exp$", "--threads=2", f"--with={einc_tool.EINC}")
    found = specs.run(opts, folder)
    specs.report(found, opts)
    assert not found["failures"] and found["limits"]["threads"] == 2, found["failures"]
    assert all(0.1 < e["ratio"] < 10 for e in found["entries"]) and found["entries"], found["entries"]


def what_is_not_measured_is_listed():
    """A wrong result, a process that ends, sizes that are not found, a name that nothing has; and the others are measured."""
    folder = einc_tool.scratch()
    opts = options("^(copy|negf|abs|transpose)$")

    def check(d, built):
        if d.kernel.name == "abs":
            os.kill(os.getpid(), signal.SIGSEGV)
        return "planted" if d.kernel.name == "negf" else None

    choose = sizes.choose

    def planted(kernel, wanted, fixed=None):
        if kernel.name == "transpose":
            raise sizes.Unsized("planted, too")
        return choose(kernel, wanted, fixed)

    sizes.choose = planted
    try:
        found = specs.run(opts, folder, check)
    finally:
        sizes.choose = choose
    reasons = {f["case"]: f["reason"] for f in found["failures"]}
    assert reasons == {"negf": "another result: planted", "abs": "another result: ended by SIGSEGV", "transpose": "Unsized: planted, too"}, reasons
    assert {e["def"] for e in found["entries"]} == {"copy"}, found["entries"]
    (folder / "none").mkdir()
    assert "no def" in specs.run(options("^nothing$"), folder / "none")["failures"][0]["reason"]


def apart_says_what_happened():
    assert timing.apart(lambda: [1, "a"]) == [1, "a"]
    for function, seconds, part in [(lambda: os._exit(3), 60, "Expecting value"), (lambda: 1 / 0, 60, "ZeroDivisionError"),
                                    (lambda: signal.pause(), 0.2, "longer than 0.2 s")]:  # fmt: skip
        try:
            timing.apart(function, seconds=seconds)
            return f"nothing, where '{part}' should be"
        except (timing.Failed, ValueError) as error:
            assert part in str(error), error
    return None


def figures_are_taken():
    entries = [{"share": s} for s in (0.4, 0.65, 0.9, 1.0, 1.1)]
    found = {f["figure"]: (round(f["value"], 3), f["reached"]) for f in specs_report.figures(entries, specs_report.FIGURES)}
    assert found == {"worst": (0.4, False), "part below 0.7": (0.4, False), "median": (0.9, False), "geometric mean": (0.762, False)}, found
    assert sum("#" in line for line in specs_report.histogram([0.05, 0.5, 0.55, 2])) == 3
    compared = [{"def": n, "level": "L2", "sizes": "", "seconds": 1, "other_seconds": r, "ratio": r, "ratio_spread": 0.05}
                for n, r in [("slower", 0.5), ("same", 1.04), ("faster", 2)]]  # fmt: skip
    lines = specs_report.compared_lines(compared)
    assert len(lines) == 3 and "slower" in lines[0] and "1 slower and 1 faster" in lines[2], lines


def command_lines():
    assert {"specs", "all"} <= set(suite.EXTRA), suite.EXTRA
    for wrong in (["--threads=0"], ["--random=0"], ["--nope"]):
        try:
            specs.parse(wrong)
        except SystemExit as error:
            assert error.code == 2, wrong
        else:
            return f"{wrong} is taken"
    return None


# ---- Specs at random ----


def a_seed_gives_the_same():
    first, again, other = ([d.text for d in random_specs.draw(30, seed)] for seed in (1, 1, 2))
    assert first == again and not set(first) & set(other)
    assert first[:7] == [d.text for d in random_specs.draw(7, 1)]


def every_kind_is_drawn():
    drawn = random_specs.draw(200, 0)
    assert {d.kind for d in drawn} == set(random_specs.KINDS), {d.kind for d in drawn}
    text = "".join(d.text for d in drawn)
    for part in (" / ", " % ", " else ", "first_largest=!", "range=!", "logaddexp=!", "cast<", "max=!", "select(", "K: ", "1 - n"):
        assert part in text, part
    assert sum(bool(d.fixed) for d in drawn) > 50


def random_results_are_the_interpreters():
    """Of each kind, two; a result that differs is seen."""
    folder = einc_tool.scratch()
    count = 60 if einc_tool.LONG else 2
    drawn = [random_specs.Drawn(i, 7, kind) for kind in random_specs.KINDS for i in range(count)]
    spec = folder / "random.tc"
    spec.write_text("\n".join([random_specs.COMBINERS, *(d.text for d in drawn)]))
    fixed = {d.name: d.fixed for d in drawn}
    built = timing.Built(einc_tool.EINC, folder / "library", [spec])
    wrong = []
    for name, kernel in ir_ops.of_spec(einc_tool.EINC, spec).items():
        d = specs.Def(kernel, spec, fixed[name])
        if message := random_specs.check(einc_tool.EINC, d, built, folder):
            wrong.append(f"{name}: {message}")
        case = sizes.choose(kernel, 1 << 19, d.fixed)
        assert case.footprint() <= 1 << 19, f"{name}: {case.text()}"
    assert not wrong, "\n".join(wrong)
    nothing = Slowed(built, 0)
    assert random_specs.check(einc_tool.EINC, d, nothing, folder), "outputs that are not written are good"


def main():
    cases = einc_tool.Cases()
    for name in SPECS:
        cases.run(f"sizes of {name}", sizes_follow_the_rule, name)
    for function in (kinds_are_found, work_is_counted, positions_and_invariants_are_counted_once, products_of_integers_have_their_own_price,
                     the_longer_time_is_the_roof, the_fastest_pass_counts, a_run,
                     a_slow_kernel_has_the_share_it_should, threads_and_another_einc,
                     what_is_not_measured_is_listed, apart_says_what_happened, figures_are_taken,
                     command_lines, a_seed_gives_the_same, every_kind_is_drawn, random_results_are_the_interpreters):  # fmt: skip
        cases.run(function.__name__, function)
    cases.finish()


if __name__ == "__main__":
    main()
