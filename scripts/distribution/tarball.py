"""The archives for other systems with the same libraries: programs with their install script, and debug information."""

import shutil

from .common import ROOT, compress, settle, tar, write
from .debian import UNITS


def build(programs, share, symbols, folder, out, release, packages):
    root = folder / "tarball"
    packaging = ROOT / "packaging"
    shutil.copytree(programs, root / "bin")
    shutil.copytree(share, root / "share")
    for name in UNITS:
        write(root / "systemd" / name, (packaging / name).read_bytes())
    write(root / "countersign.json", (packaging / "countersign.json").read_bytes())
    write(root / "install.sh", (packaging / "tarball/install.sh").read_bytes(), 0o755)
    write(root / "packages", " ".join([package.plain_name for package in packages] + ["ca-certificates"]) + "\n")
    write(root / "debian-release", release.debian["PRETTY_NAME"] + "\n")
    for name in ("LICENSE", "CHANGELOG.md"):
        write(root / name, (ROOT / name).read_bytes())
    for content, name in ((root, release.name), (symbols, release.name + "-debug")):
        settle(content, release)
        (out / f"{name}.tar.gz").write_bytes(compress(tar(content, release, prefix=f"{name}/")))
