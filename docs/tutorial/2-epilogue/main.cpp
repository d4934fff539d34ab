#include <cstdint>
#include <cstdio>

#include "layers.h"

int main() {
  float points[4][2] = {{0, 0}, {1, 1}, {5, 4}, {9, 9}};
  float centres[3][2] = {{1, 0}, {5, 5}, {8, 9}};
  float distance[4];
  std::int64_t which[4];
  nearest(einc::throwing, points, centres, distance, which);
  for (int i = 0; i < 4; ++i)
    std::printf("point %d: centre %d, %g\n", i, int(which[i]), distance[i]);

  float a[1][2] = {{1, 2}}, b[2][1] = {{3}, {-1}}, bias[1] = {1}, r[1][1] = {{10}}, y[1][1];
  gated(einc::throwing, a, b, bias, r, y);
  std::printf("%.4f\n", y[0][0]);
}
