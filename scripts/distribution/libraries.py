"""Shared libraries that the programs load, and the Debian packages that they come from."""

import os
import re
import subprocess

from .common import run


class Package:
    def __init__(self, name):
        self.name = name
        fields = "${Version}\\t${source:Package}\\t${source:Version}"
        values = run("dpkg-query", "--show", f"--showformat={fields}", name).split("\t")
        self.version, self.source, self.source_version = values
        self.plain_name = name.split(":")[0]
        self.paragraph = run("dpkg-query", "--status", name)

    def purl(self, release):
        version = self.version.replace(":", "%3A").replace("+", "%2B")
        return (
            f"pkg:deb/debian/{self.plain_name.replace('+', '%2B')}@{version}?arch={release.architecture}"
            f"&distro={release.debian['VERSION_CODENAME']}")


def closure(*programs):
    """Paths of all libraries that the programs load, with the loader, by the path in which each is looked for."""
    found = set()
    for program in programs:
        for line in run("ldd", str(program)).splitlines():
            if "not found" in line:
                raise SystemExit(f"error: {program}:{line}")
            if path := re.search(r"(/\S+) \(0x", line):
                found.add(path[1])
    return sorted(found)


def owner(path):
    """The package that a file belongs to. dpkg may know it by its path in /lib or in /usr/lib."""
    real = os.path.realpath(path)
    for candidate in dict.fromkeys([path, real, real.removeprefix("/usr"), "/usr" + path]):
        found = subprocess.run(
            ["dpkg-query", "--search", candidate], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        if found.returncode == 0:
            return found.stdout.split(": ")[0].split(", ")[0]
    raise SystemExit(f"error: no package has {path}")


def packages(paths):
    return [Package(name) for name in sorted({owner(path) for path in paths})]
