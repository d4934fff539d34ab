# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""What a def of specs/ computes, as a NumPy formula of its own.

A formula gets its arrays by name in a wide type, and scalars, attributes and sizes likewise. `weight`
is what the rounding bound scales with: by default the formula on absolute values, which for sums of
products is |A||B|. `k` is the length of the sums, `roundings` the other operations.
"""

import re
from dataclasses import dataclass


@dataclass
class Formula:
    signature: str  # "alpha A[M,K] x[K] -> y[M]"
    formula: object
    k: str = "1"  # of sizes
    weight: object = None
    roundings: int = 4
    attributes: tuple = ()  # (name, number of elements, lowest, highest)
    sizes: object = None  # further sizes, from those that are drawn and the attributes
    positive: bool = False  # the data
    exact: bool = True  # on small whole numbers, in any order
    takes: str = None  # as T: "floats", "integers" or "numbers", which is the default where `exact`
    varied: bool = True  # most elements of the output differ
    types: dict = None  # of tensors and scalars that are not T; "U" is the second type parameter
    scalars: dict = None  # values of scalar parameters

    def __post_init__(self):
        self.takes = self.takes or ("numbers" if self.exact else "floats")
        self.parts = [[], []]
        for side, text in enumerate(self.signature.split("->")):
            for name, shape in re.findall(r"(\w+)(\[[^]]*\])?", text):
                dims = shape.strip("[]").split(",") if shape else None
                self.parts[side].append((name, [d for d in dims if d] if shape else None))
