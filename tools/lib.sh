# Part of Einc. SPDX-License-Identifier: Apache-2.0
#
# What tools/quickstart, tools/test and tools/bench share: steps with times, packages, room on the disk, running
# Bazel. To be sourced by a bash with `set -euo pipefail`, which says in STEPS how many there are.
# shellcheck shell=bash disable=SC2034,SC2153

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
PROGRAM=$(basename "$0")
STEP=0

# Nothing here asks a question, so nothing here reads.
exec </dev/null
export LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive

# What building and running einc takes, and what the tests add.
BUILD_PACKAGES=(
  bazel-bootstrap bazel-rules-java bazel-rules-proto
  clang-19 lld-19 llvm-19-dev
  libgmp-dev libisl-dev libopenblas-dev
  glslang-dev spirv-tools libspirv-cross-c-shared-dev libvulkan-dev
)
TEST_PACKAGES=(
  clang-format-19 libclang-rt-19-dev llvm-19-tools mlir-19-tools
  gcc-aarch64-linux-gnu libbenchmark-dev libblis-dev libc6-dev-arm64-cross libgtest-dev
  glslang-tools mesa-vulkan-drivers vulkan-validationlayers
  libomp-19-dev libopenblas-dev
  libopenmpi-dev libscalapack-openmpi-dev openmpi-bin
  python3-numpy qemu-user
  cmake dpkg-dev gcc make ninja-build pkg-config
)

# What tools/package adds.
PACKAGE_PACKAGES=(
  dpkg-dev lintian python3
)

# What `einc bench` compares with; each may be missing.
BENCH_PACKAGES=(
  libblis-dev libdnnl-dev libeigen3-dev libomp-19-dev libopenblas-dev libxsmm-dev
)

elapsed() { printf '%d:%02d' $((SECONDS / 60)) $((SECONDS % 60)); }

# step TEXT: announces the next step.
step() {
  STEP=$((STEP + 1))
  printf '[%d/%d, %s] %s\n' "$STEP" "$STEPS" "$(elapsed)" "$*"
}

say() { printf '      %s\n' "$*"; }

# die TEXT: one line, which says what to do.
die() {
  printf '%s: %s\n' "$PROGRAM" "$*" >&2
  exit 1
}

# with_heartbeat WHAT COMMAND...: runs the command, and says every 20 s that it still does.
with_heartbeat() {
  local what=$1 status=0 beat
  shift
  # The built-in read waits without a child that would outlive us: nobody writes to this pipe.
  (
    exec {silence}<> <(:)
    while ! read -r -t 20 -u "$silence"; do say "$(elapsed) still $what"; done
  ) &
  beat=$!
  "$@" || status=$?
  kill "$beat" 2>/dev/null || :
  wait "$beat" 2>/dev/null || :
  return "$status"
}

# --- the disk ----------------------------------------------------------------------------------

# free_mib PATH: how much room there is where PATH is, or will be once it exists.
free_mib() {
  local path=$1
  while [[ ! -e $path ]]; do path=$(dirname "$path"); done
  df -Pm "$path" | awk 'NR == 2 { print $4 }'
}

# require_room MIB PATH WHAT
require_room() {
  local free
  free=$(free_mib "$2")
  ((free >= $1)) ||
    die "no space left: $3 needs $1 MiB in $2, which has $free; free some and run this again"
}

# Where Bazel keeps what it builds.
bazel_cache() {
  local home=${HOME:-$(getent passwd "$(id -u)" | cut -d: -f6)}
  printf '%s/.cache/bazel' "$home"
}

# --- the system --------------------------------------------------------------------------------

check_system() {
  local system
  # shellcheck disable=SC1091,SC2153
  system=$(source /etc/os-release && printf '%s %s' "$ID" "$VERSION_ID") 2>/dev/null || system=unknown
  [[ $system == 'debian 12' ]] ||
    die "this needs Debian 12, and the system here is '$system'; a container will do (image debian:12)"
}

# missing_packages PACKAGE...: those that are not installed, one a line.
missing_packages() {
  local package
  for package in "$@"; do
    [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] ||
      printf '%s\n' "$package"
  done
}

# explain_apt LOG: the cause of a failure of apt-get, in one line.
explain_apt() {
  local package
  package=$(sed -n 's/^E: Unable to locate package //p; s/^E: Package .\(.*\). has no installation candidate/\1/p' "$1")
  if grep -q 'No space left\|enough free space' "$1"; then
    die "no space left for the packages; free some and run this again"
  elif grep -q 'Could not resolve\|Temporary failure resolving\|Could not connect\|Failed to fetch' "$1"; then
    die "apt-get cannot reach its package registry; check the network, or the proxy in /etc/apt/apt.conf.d"
  elif [[ -n $package ]]; then
    die "no package ${package//$'\n'/, } in the lists of apt-get; /etc/apt/sources.list needs Debian 12 main with its updates and security"
  elif grep -q 'Could not get lock\|Unable to acquire' "$1"; then
    die "another program is installing packages; run this again when it is done"
  fi
  die "apt-get failed: $(grep '^E: ' "$1" | head -1 | cut -c4- || :) (all of it in $1)"
}

# install_packages PACKAGE...: those that are missing, if any.
install_packages() {
  local log
  local -a missing root=()
  mapfile -t missing < <(missing_packages "$@")
  if ((${#missing[@]} == 0)); then
    say "all $# packages are there"
    return
  fi
  say "missing: ${missing[*]}"
  if [[ $(id -u) != 0 ]]; then
    sudo -n true 2>/dev/null ||
      die "installing needs root: 'apt-get update && apt-get install -y ${missing[*]}', then this again"
    root=(sudo -n "DEBIAN_FRONTEND=$DEBIAN_FRONTEND")
  fi
  require_room 3072 /usr "installing the packages"
  log=$(mktemp "${TMPDIR:-/tmp}/einc-apt.XXXXXX")
  # A registry that does not answer is not yet an error: the packages may lie in the cache.
  with_heartbeat "reading the package lists" \
    "${root[@]}" apt-get -q -o DPkg::Lock::Timeout=300 update >"$log" 2>&1 || :
  with_heartbeat "installing packages" \
    "${root[@]}" apt-get -q -o DPkg::Lock::Timeout=300 install -y --no-install-recommends \
    "${missing[@]}" >>"$log" 2>&1 || explain_apt "$log"
  rm -f "$log"
}

check_clang() {
  local version
  version=$(clang-19 -dumpversion 2>/dev/null) ||
    die "clang-19 does not run: apt-get install --reinstall clang-19"
  ((${version%%.*} >= 19)) ||
    die "clang-19 is Clang $version, and Einc needs 19: apt-get install --reinstall clang-19"
}

# prepare PACKAGE...: the steps before anything is built.
prepare() {
  step "Checking the system"
  check_system
  step "Installing what is missing"
  install_packages "$@"
  check_clang
  require_room 2048 "$(bazel_cache)" "building"
}

# --- Bazel -------------------------------------------------------------------------------------

# run_bazel WHAT COMMAND ARGS...: bazel, with its own progress in a terminal and one that fits into
# a log elsewhere. Says so when it failed for want of room.
run_bazel() {
  local what=$1 command=$2 status=0
  shift 2
  # Links that a checkout brought along from another folder would be searched for packages.
  find . -maxdepth 1 -type l -name 'bazel-*' \
    -not -name bazel-bin -not -name bazel-out -not -name bazel-testlogs \
    -not -name "bazel-$(basename "$PWD")" -delete
  if [[ -t 2 ]]; then
    bazel "$command" "$@" || status=$?
  else
    with_heartbeat "$what" bazel "$command" \
      --curses=no --color=no --show_progress_rate_limit=15 --noshow_loading_progress "$@" || status=$?
  fi
  ((status == 0)) || require_room 64 "$(bazel_cache)" "$what"
  return "$status"
}
