// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/affine/versions.h"

#include <gmp.h>
#include <isl/version.h>

#include <algorithm>

namespace einc::affine {

std::vector<std::pair<std::string, std::string>> libraryVersions() {
  // "isl-0.27-GMP\n"
  std::string isl = isl_version();
  if (isl.starts_with("isl-")) isl.erase(0, 4);
  isl.erase(std::min(isl.find_first_of("-\n"), isl.size()));
  return {{"isl", isl}, {"GMP", gmp_version}};
}

}  // namespace einc::affine
