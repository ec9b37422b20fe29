"""Facts and tools that all artifacts share: the release, files with fixed times, and archives in a fixed order."""

import gzip
import hashlib
import io
import os
import pathlib
import re
import subprocess
import tarfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAMS = ("countersign", "guardian")


def run(*command, **options):
    """Output of a command, which must succeed."""
    options.setdefault("cwd", ROOT)
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **options).stdout.strip()


class Release:
    """The version of the tree, its commit and its time, and the machine that it is for."""

    def __init__(self):
        text = (ROOT / "Sources/Formats/Primitives/Release.swift").read_text()
        self.version = re.search(r'version = "(.*)"', text)[1]
        self.commit = run("git", "rev-parse", "HEAD")
        self.is_changed = bool(run("git", "status", "--porcelain"))
        # Fits into the section of the programs, with a zero at its end.
        self.revision = self.commit + ("+changes" if self.is_changed else "")
        self.time = int(os.environ.get("SOURCE_DATE_EPOCH") or run("git", "log", "-1", "--format=%ct"))
        os.environ.update(SOURCE_DATE_EPOCH=str(self.time), TZ="UTC", LC_ALL="C.UTF-8")
        self.architecture = run("dpkg", "--print-architecture")
        self.machine = os.uname().machine
        system = dict(
            line.split("=", 1) for line in pathlib.Path("/etc/os-release").read_text().splitlines() if "=" in line)
        self.debian = {name: value.strip('"') for name, value in system.items()}
        swift = subprocess.run(["swift", "--version"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.swift = re.search(r"Swift version ([0-9.]+)", swift.stdout)[1]

        self.iso_time = run("date", "--utc", f"--date=@{self.time}", "+%Y-%m-%dT%H:%M:%SZ")
        self.labels = {
            "org.opencontainers.image.created": self.iso_time, "org.opencontainers.image.licenses": "Apache-2.0",
            "org.opencontainers.image.revision": self.revision, "org.opencontainers.image.title": "countersign",
            "org.opencontainers.image.version": self.version}

    @property
    def name(self):
        return f"countersign-{self.version}-linux-{self.machine}"


def digest(path, algorithm="sha256"):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, algorithm).hexdigest()


def write(path, content, mode=0o644):
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, str):
        content = content.encode()
    path.write_bytes(content)
    path.chmod(mode)


def settle(folder, release):
    """Gives every file and folder the release's time, and modes that do not depend on the builder's umask."""
    for path in sorted(folder.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
        os.utime(path, (release.time, release.time), follow_symlinks=False)
    folder.chmod(0o755)
    os.utime(folder, (release.time, release.time))


def tar(folder, release, prefix="", owners=()):
    """The folder as an archive, sorted, with root as the owner of all but `owners`: {path: (mode, account)}."""
    owners = dict(owners)
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for path in sorted(folder.rglob("*")):
            name = str(path.relative_to(folder))
            entry = archive.gettarinfo(path, prefix + name)
            entry.mtime = release.time
            entry.uid = entry.gid = 0
            entry.uname = entry.gname = ""
            if name in owners:
                entry.mode, entry.uid = owners[name]
                entry.gid = entry.uid
            # A hard link would depend on the order of the files.
            if entry.islnk():
                entry.type, entry.size = tarfile.REGTYPE, path.stat().st_size
            with open(path, "rb") if entry.isreg() else io.BytesIO() as content:
                archive.addfile(entry, content)
    return buffer.getvalue()


def compress(content, level=6):
    # The file's name and time are left out.
    return gzip.compress(content, compresslevel=level, mtime=0)
