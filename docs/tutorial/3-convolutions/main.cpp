#include <cmath>
#include <cstddef>
#include <cstdio>
#include <vector>

#include "network.h"

// Weights that look like something: no network was trained for this lesson.
std::vector<float> weights(std::size_t count, float scale) {
  std::vector<float> made(count);
  for (std::size_t i = 0; i < count; ++i) made[i] = scale * std::sin(static_cast<float>(i * i + 1));
  return made;
}

int main() {
  constexpr int H = 16, W = 16, C1 = 8, C2 = 16, N = 3;
  const auto k1 = weights(3 * 3 * 1 * C1, 0.5f), k2 = weights(3 * 3 * C1 * C2, 0.2f),
             a = weights(C2 * N, 2);
  const std::vector<float> bias1(C1, 0.1f), bias2(C2, 0.1f);

  std::vector<float> image(H * W), conv1(H * W * C1), pool1(H * W * C1 / 4), conv2(H * W * C2 / 4),
      pool2(H * W * C2 / 16), scores(N);
  for (int h = 0; h < H; ++h) image[h * W + h] = 1;  // a diagonal line

  using einc::throwing, einc::view;
  conv_relu(throwing, view(image.data(), H, W, 1), view(k1.data(), 3, 3, 1, C1), bias1,
            view(conv1.data(), H, W, C1));
  pool(throwing, view(conv1.data(), H, W, C1), view(pool1.data(), H / 2, W / 2, C1));
  conv_relu(throwing, view(pool1.data(), H / 2, W / 2, C1), view(k2.data(), 3, 3, C1, C2), bias2,
            view(conv2.data(), H / 2, W / 2, C2));
  pool(throwing, view(conv2.data(), H / 2, W / 2, C2), view(pool2.data(), H / 4, W / 4, C2));
  classify(throwing, view(pool2.data(), H / 4, W / 4, C2), view(a.data(), C2, N), scores);
  for (float score : scores) std::printf("%.3f\n", score);
}
