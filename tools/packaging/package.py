# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Makes einc-VERSION-linux-amd64.tar.gz and einc_VERSION_amd64.deb of what is built. The same input gives the same bytes.

  package.py --einc F --ods-gen F --static F --shared F --epoch SECONDS --out DIR
             [--maintainer "NAME <MAIL>"] [--root DIR] [--level N] [--only-tree]

With --only-tree what the tarball would have is below DIR, and nothing is packed.
"""

import argparse
import gzip
import pathlib
import subprocess
import sys
import tarfile
import tempfile

from tools.packaging import deb, tree
from tools.packaging.layout import DEBIAN, TARBALL


def version_of(einc):
    said = subprocess.run([einc, "--version"], check=True, capture_output=True, text=True).stdout
    return said.split()[1]


def tarball(folder, out, epoch, level):
    """An archive of the folder, under its name: sorted, of nobody, of one time."""
    def plain(entry):
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = "root"
        entry.mtime = epoch
        return entry

    paths = [folder] + sorted(folder.rglob("*"))
    with open(out, "wb") as file, gzip.GzipFile(filename="", fileobj=file, mode="wb", compresslevel=level, mtime=epoch) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as archive:
            for path in paths:
                archive.add(path, path.relative_to(folder.parent), recursive=False, filter=plain)


def main():
    parser = argparse.ArgumentParser()
    for name in ("einc", "ods-gen", "static", "shared", "out"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    parser.add_argument("--epoch", type=int, required=True)
    parser.add_argument("--level", type=int, default=6, help="of compression")
    parser.add_argument("--only-tree", action="store_true")
    parser.add_argument("--maintainer", default="Einc maintainers <einc@einc.invalid>")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path("."))
    built = parser.parse_args()
    for name in ("einc", "ods_gen", "static", "shared", "out", "root"):
        setattr(built, name, getattr(built, name).absolute())
    built.version = version_of(built.einc)
    built.out.mkdir(parents=True, exist_ok=True)
    if built.only_tree:
        tree.make(built.out, TARBALL, built)
        return 0
    with tempfile.TemporaryDirectory() as work:
        folder = pathlib.Path(work) / f"einc-{built.version}-linux-amd64"
        tree.make(folder, TARBALL, built)
        tree.set_times(folder, built.epoch)
        tarball(folder, built.out / (folder.name + ".tar.gz"), built.epoch, built.level)
        package = pathlib.Path(work) / "debian"
        tree.make(package / "usr", DEBIAN, built)
        deb.make(package, built, built.out / f"einc_{built.version}_amd64.deb")
    return 0


if __name__ == "__main__":
    sys.exit(main())
