#!/bin/bash
# Part of Einc. SPDX-License-Identifier: Apache-2.0
#
# What tools/lib.sh says when a machine is not as it should be: one line that says what to do. The
# machine is played by commands of ours in front of PATH.
set -euo pipefail

LIB=$PWD/tools/lib.sh
MACHINE=$TEST_TMPDIR/machine
passed=0 failed=0

# command_is NAME BODY: puts a command on the machine.
command_is() {
  printf '#!/bin/bash\n%s\n' "$2" >"$MACHINE/$1"
  chmod +x "$MACHINE/$1"
}

# A machine where all is well, but for clang-19, which is not installed.
new_machine() {
  rm -rf "$MACHINE"
  mkdir "$MACHINE"
  command_is dpkg-query '[[ ${!#} != clang-19 ]] && echo installed'
  command_is df 'printf "Filesystem\n/dev/x 9999 1 9998 1 /\n"'
  command_is id 'echo 0'
}

# apt_says TEXT: an apt-get whose install fails with this text.
apt_says() { command_is apt-get "[[ \$* != *install* ]] || { cat <<'END'
$1
END
exit 100; }"; }

# expect WHAT TEXT FUNCTION ARGS...: the function of lib.sh fails, and its last line has the text.
expect() {
  local what=$1 text=$2 status=0 output last
  shift 2
  output=$(PATH=$MACHINE:$PATH STEPS=1 TMPDIR=$TEST_TMPDIR \
    bash -euo pipefail -c 'source "$1"; shift; "$@"' test "$LIB" "$@" 2>&1) || status=$?
  last=${output##*$'\n'}
  if ((status == 1)) && [[ $last == *"$text"* ]]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'failed: %s\n  status %d, wanted a line with: %s\n%s\n' "$what" "$status" "$text" "$output"
  fi
}

new_machine
apt_says 'E: Unable to locate package clang-19'
expect 'unknown package' 'no package clang-19 in the lists' install_packages clang-19 lld-19
apt_says "E: Package 'clang-19' has no installation candidate"
expect 'package without candidate' 'no package clang-19 in the lists' install_packages clang-19
apt_says $'Temporary failure resolving deb.debian.org\nE: Unable to locate package clang-19'
expect 'no network' 'check the network' install_packages clang-19
apt_says "E: You don't have enough free space in /var/cache/apt/archives/."
expect 'no room for packages' 'no space left for the packages' install_packages clang-19
apt_says 'E: Could not get lock /var/lib/dpkg/lock-frontend.'
expect 'apt-get is busy' 'another program is installing' install_packages clang-19
apt_says 'E: Sub-process /usr/bin/dpkg returned an error code (1)'
expect 'another failure' 'apt-get failed: Sub-process' install_packages clang-19

command_is id 'echo 1000'
command_is sudo 'exit 1'
expect 'not root' 'installing needs root' install_packages clang-19

command_is clang-19 'echo 18.1.8'
expect 'old clang' 'Clang 18.1.8, and Einc needs 19' check_clang
command_is clang-19 'exit 127'
expect 'broken clang' 'clang-19 does not run' check_clang

command_is df 'printf "Filesystem\n/dev/x 9999 1 10 1 /\n"'
expect 'no room' 'building needs 2048 MiB in /, which has 10' require_room 2048 / building

printf '%d passed, %d failed\n' "$passed" "$failed"
((failed == 0))
