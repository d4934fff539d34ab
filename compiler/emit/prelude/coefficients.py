# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""The polynomials of functions.h, curves.h, powers.h, trigonometry.h and *.glsl: minimax ones, by the second
algorithm of Remez on a fine grid, in 50 digits.

    python3 compiler/emit/prelude/coefficients.py

prints each one's coefficients, the lowest first, rounded to its type, and by how much the function is missed, as a power of 2. It
needs mpmath. Nothing runs it: it says where the numbers come from.
"""

import struct

import mpmath
from mpmath import mp, mpf

mp.dps = 50
POINTS = 1500


def minimax(function, weight, low, high, degree):
    """Coefficients c of the polynomial whose greatest |weight * (polynomial - function)| on the interval is least; that error."""
    middle, half = (mpf(low) + high) / 2, (mpf(high) - low) / 2
    grid = [middle - half * mp.cos(mp.pi * (i + mpf(1) / 2) / POINTS) for i in range(POINTS)]
    values, weights = [function(x) for x in grid], [weight(x) for x in grid]
    count = degree + 2
    chosen = [round((POINTS - 1) * i / (count - 1)) for i in range(count)]
    for _ in range(40):
        rows = mp.matrix(count, count)
        right = mp.matrix(count, 1)
        for row, i in enumerate(chosen):
            for power in range(degree + 1):
                rows[row, power] = grid[i] ** power
            rows[row, degree + 1] = (-1) ** row / weights[i]
            right[row] = values[i]
        solution = mp.lu_solve(rows, right)
        coefficients = [solution[p] for p in range(degree + 1)]
        errors = [w * (mp.polyval(coefficients[::-1], x) - v) for x, v, w in zip(grid, values, weights)]
        # In each run of errors of one sign the greatest.
        best = []
        for i, error in enumerate(errors):
            if best and (error > 0) == (errors[best[-1]] > 0):
                if abs(error) > abs(errors[best[-1]]):
                    best[-1] = i
            else:
                best.append(i)
        while len(best) > count:
            best.pop(0 if abs(errors[best[0]]) < abs(errors[best[-1]]) else -1)
        if len(best) < count or best == chosen:
            break
        chosen = best
    return coefficients, max(map(abs, errors))


def rounded(value, kind):
    """The nearest number of the type."""
    if kind == "f64":
        return float(value)
    (number,) = struct.unpack("f", struct.pack("f", float(value)))
    return number


def show(name, kind, function, weight, low, high, degree):
    coefficients, error = minimax(function, weight, low, high, degree)
    print(f"{name} {kind}, {float(low):.4g} to {float(high):.4g}, error 2^{float(mp.log(error, 2)):.1f}")
    for c in coefficients:
        number = rounded(c, kind)
        print(f"  {number.hex()}{'f' if kind == 'f32' else ''}")


def leading(value, digits):
    """Its first binary digits."""
    exponent = mp.floor(mp.log(value, 2)) + 1
    return mp.floor(value * mpf(2) ** (digits - exponent)) / mpf(2) ** (digits - exponent)


def log_series(z):
    if z < mpf("1e-12"):
        return mpf(2) / 3 + 2 * z / 5 + 2 * z**2 / 7
    s = mp.sqrt(z)
    return (mp.log((1 + s) / (1 - s)) / s - 2) / z


def log_tail(f):
    if abs(f) < mpf("1e-9"):
        return mpf(1) / 3 - f / 4 + f * f / 5
    return (mp.log(1 + f) - f + f * f / 2) / f**3


def exp_series(r):
    if abs(r) < mpf("1e-10"):
        return mpf(1) / 2 + r / 6 + r * r / 24
    return (mp.exp(r) - 1 - r) / (r * r)


def tanh_series(z):
    if z < mpf("1e-12"):
        return -mpf(1) / 3 + 2 * z / 15
    x = mp.sqrt(z)
    return (mp.tanh(x) / x - 1) / z


def erf_series(z):
    if z < mpf("1e-20"):
        return 2 / mp.sqrt(mp.pi) - 1 - 2 / mp.sqrt(mp.pi) * z / 3
    x = mp.sqrt(z)
    return mp.erf(x) / x - 1


def sin_series(z):
    if z < mpf("1e-12"):
        return -mpf(1) / 6 + z / 120
    x = mp.sqrt(z)
    return (mp.sin(x) / x - 1) / z


def cos_series(z):
    if z < mpf("1e-9"):
        return mpf(1) / 24 - z / 720
    return (mp.cos(mp.sqrt(z)) - 1 + z / 2) / (z * z)


def atan_series(z):
    if z < mpf("1e-12"):
        return -mpf(1) / 3 + z / 5
    x = mp.sqrt(z)
    return (mp.atan(x) / x - 1) / z


def power_series(z):
    if z < mpf("1e-9"):
        return mpf(3) / 5 + 3 * z / 7
    s = mp.sqrt(z)
    return (3 * mp.atanh(s) / s - 3 - z) / (z * z)


def parts(name, kind, value, digits):
    """A constant in parts, all but the last of so many digits."""
    text = []
    for count in digits:
        part = leading(value, count)
        text.append(float(part).hex())
        value -= part
    print(f"{name} {kind}: {' + '.join(text)} + {rounded(value, kind).hex()}")


def main():
    half = mp.log(2) / 2 * mpf("1.001")
    for kind, degree in [("f32", 4), ("f64", 9)]:
        show("exp: (e^r - 1 - r) / r^2", kind, exp_series, lambda r: r * r, -half, half, degree)
    for kind, degree in [("f32", 5), ("f64", 11)]:
        show("exp2: (2^r - 1) / r", kind, lambda r: mp.expm1(r * mp.log(2)) / r if r else mp.log(2), lambda r: r,
             -mpf("0.5005"), mpf("0.5005"), degree)  # fmt: skip
    s = (mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)
    show("log: (log(1 + f) - f + f^2 / 2) / f^3", "f32", log_tail, lambda f: f**3 / mp.log(1 + f), (mp.sqrt(mpf(1) / 2) - 1) * mpf("1.001"),
         (mp.sqrt(2) - 1) * mpf("1.001"), 7)  # fmt: skip
    for kind, degree in [("f64", 6)]:
        show("log: (log((1 + s) / (1 - s)) / s - 2) / z, z = s^2", kind, log_series, lambda z: z, 0, s * s * mpf("1.001"), degree)
    for kind, digits in [("f32", 16), ("f64", 42)]:
        high = leading(mp.log(2), digits)
        print(f"log 2 {kind}: {float(high).hex()} + {rounded(mp.log(2) - high, kind).hex()}")
    high = leading(1 / mp.log(2), 26)
    print(f"1 / log 2 f64: {float(high).hex()} + {rounded(1 / mp.log(2) - high, 'f64').hex()}")
    print(f"1 / log 2 f32: {rounded(1 / mp.log(2), 'f32').hex()}, less 1: {rounded(1 / mp.log(2) - 1, 'f32').hex()}")
    for kind, degree in [("f32", 4), ("f64", 11)]:
        show("tanh: (tanh x / x - 1) / z, z = x^2", kind, tanh_series, lambda z: z, 0, mpf("0.625") ** 2, degree)
    for kind, degree in [("f32", 5), ("f64", 10)]:
        show("erf: erf x / x - 1 over z = x^2", kind, erf_series, lambda z: 1, 0, mpf("0.8") ** 2, degree)
    for kind, degree, middle, high in [("f32", 7, 0, 4), ("f64", 18, 1, 6)]:
        show(f"erf: -log(1 - erf x) over x - {middle}", kind, lambda u, m=middle: -mp.log(mp.erfc(u + m)),
             lambda u, m=middle: mp.erfc(u + m), mpf("0.8") - middle, high - middle, degree)  # fmt: skip
    quarter = (mp.pi / 4) ** 2 * mpf("1.01")
    for kind, degree in [("f32", 2), ("f64", 5)]:
        show("sin: (sin x / x - 1) / z, z = x^2", kind, sin_series, lambda z: z, 0, quarter, degree)
        show("cos: (cos x - 1 + z / 2) / z^2, z = x^2", kind, cos_series, lambda z: z * z, 0, quarter, degree)
    for kind, degree in [("f32", 3), ("f64", 7)]:
        show("sin of half turns: (sin x / x - 1) / z, z = x^2", kind, sin_series, lambda z: z, 0, 4 * quarter, degree)
    for kind, degree in [("f32", 4), ("f64", 10)]:
        show("atan: (atan x / x - 1) / z, z = x^2", kind, atan_series, lambda z: z, 0, (mp.sqrt(2) - 1) ** 2 * mpf("1.001"), degree)
    for kind, degree in [("f32", 2), ("f64", 6)]:
        show("pow: (3 atanh(s) / s - 3 - z) / z^2, z = s^2", kind, power_series, lambda z: z * z, 0, s * s * mpf("1.001"), degree)
    for kind, digits in [("f32", [12, 12, 12]), ("f64", [33, 33, 33]), ("f32", [24, 24]), ("f64", [33, 33])]:
        parts("pi / 2", kind, mp.pi / 2, digits)
    for kind, digits in [("f32", 12), ("f64", 26)]:
        parts("1 / log 10", kind, 1 / mp.log(10), [digits])
        parts("log 2 / log 10", kind, mp.log(2) / mp.log(10), [digits])
        parts("2 / (3 log 2)", kind, 2 / (3 * mp.log(2)), [digits])
    for kind, digits in [("f32", 24), ("f64", 53)]:
        near = rounded(2 / (3 * mp.log(2)), kind)
        print(f"2 / (3 log 2) {kind}: {near.hex()} + {rounded(2 / (3 * mp.log(2)) - mpf(near), kind).hex()}")
        parts("pi / 2, pi / 4", kind, mp.pi / 2, [digits])
        print(rounded(2 / mp.pi, kind).hex())
    with mp.workdps(400):
        print("2 / pi:", " ".join(f"{int(mp.floor(2 / mp.pi * mpf(2) ** (32 * (i + 1)))) % 2**32:08x}" for i in range(38)))


if __name__ == "__main__":
    main()
