#include <cstdio>
#include <vector>

#include "product.h"

int main() {
  const int n = 64;
  std::vector<float> a(n * n, 1), b(n * n, 2), c(n * n);
  auto A = einc::view(a.data(), n, n), B = einc::view(b.data(), n, n),
       C = einc::view(c.data(), n, n);
  product(einc::throwing, A, B, C);
  std::printf("%g\n%s", c[0], product_explain(A, B, C));
}
