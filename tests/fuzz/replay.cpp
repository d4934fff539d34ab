// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// A fuzz target without libFuzzer: each file that is named, then changed versions of it, always the
// same ones. What ends the process is a failure.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

void run(const std::string& input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()), input.size());
}

// Some bytes less, twice, or others.
std::string changed(std::string input, std::mt19937& random) {
  for (uint32_t times = 1 + random() % 3; times > 0 && !input.empty(); --times) {
    size_t at = random() % input.size(), count = 1 + random() % 8;
    switch (random() % 4) {
      case 0:
        input.erase(at, count);
        break;
      case 1:
        input.insert(random() % input.size(), input.substr(at, 4 * count));
        break;
      case 2:
        input[at] = static_cast<char>(random());
        break;
      default:
        input.resize(at);
    }
  }
  return input;
}

}  // namespace

// replay RUNS FILE...
int main(int argc, char** argv) {
  const int runs = argc > 1 ? std::atoi(argv[1]) : 0;
  for (int i = 2; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    if (!file) {
      std::fprintf(stderr, "replay: cannot read %s\n", argv[i]);
      return 1;
    }
    const std::string input{std::istreambuf_iterator<char>(file), {}};
    std::mt19937 random(static_cast<uint32_t>(i));
    run(input);
    for (int r = 0; r < runs; ++r) run(changed(input, random));
  }
  return argc > 2 ? 0 : 1;
}
