#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

#include "quantised.h"

int main() {
  constexpr int M = 5, N = 7, K = 300, kZero = 128;
  std::mt19937 draw(1);
  std::vector<std::uint8_t> a(M * K), y(M * N);
  std::vector<std::int8_t> b(K * N);
  std::vector<std::int32_t> bias(N, 100);
  for (auto &x : a) x = static_cast<std::uint8_t>(draw());
  for (auto &x : b) x = static_cast<std::int8_t>(draw());
  const float scale = 1.0f / 2048;

  einc_status status = dense_u8(einc::view(a.data(), M, K), kZero, einc::view(b.data(), K, N), bias,
                                scale, kZero, einc::view(y.data(), M, N));
  std::printf("%s\n", einc_status_string(status));

  int different = 0;
  for (int m = 0; m < M; ++m)
    for (int n = 0; n < N; ++n) {
      std::int32_t sum = bias[n];
      for (int k = 0; k < K; ++k) sum += (a[m * K + k] - kZero) * b[k * N + n];
      float wanted = std::nearbyint(static_cast<float>(sum) * scale) + kZero;
      wanted = std::fmin(std::fmax(wanted, 0), 255);
      different += y[m * N + n] != wanted;
    }
  std::printf("%d of %d results differ from the plain loops\n", different, M * N);
}
