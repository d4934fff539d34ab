#include <cstdio>
#include <vector>

#include "dense.h"

int main() {
  float a[2][3] = {{1, 2, 3}, {4, 5, 6}};
  float b[3][2] = {{1, 0}, {0, 1}, {1, 1}};
  std::vector<float> bias = {0, -10};
  float y[2][2];
  einc_status status = dense(a, b, bias, y);
  std::printf("%s: %g %g, %g %g\n", einc_status_string(status), y[0][0], y[0][1], y[1][0], y[1][1]);

  // Matrices whose sizes are known when the program runs: a pointer and its sizes.
  std::vector<float> rows(5 * 3, 1), results(5 * 2);
  try {
    dense(einc::throwing, einc::view(rows.data(), 5, 3), b, bias, einc::view(results.data(), 5, 2));
    std::printf("%g %g\n", results[0], results[1]);
    dense(einc::throwing, einc::view(rows.data(), 5, 2), b, bias, einc::view(results.data(), 5, 2));
  } catch (const einc::Error &error) {
    std::printf("%s\n", error.what());
  }
}
