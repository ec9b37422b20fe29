"""The OCI image, written without a daemon: one layer with the program and what it loads, in an OCI layout as a tar.

Docker and Podman read it with `docker load` and `podman load`.
"""

import hashlib
import json
import os
import pathlib
import shutil

from .common import run, settle, tar, write
from .libraries import closure, packages

# Distroless images use this account, too.
ACCOUNT = 65532
DATA = "/var/lib/countersign"
# OpenSSL loads it for PKCS #12 files of old programs.
LOADED = "/usr/lib/{}/ossl-modules/legacy.so"


def rootfs(programs, root, release):
    """Fills the image's file system, and returns the packages that its libraries come from."""
    shutil.copytree(programs, root / "usr/bin", ignore=shutil.ignore_patterns("guardian"))
    module = LOADED.format(f"{os.uname().machine}-linux-gnu")
    paths = closure(programs / "countersign", module) + [module]
    for path in paths:
        place = root / path.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(os.path.realpath(path), place)
        place.chmod(0o755)
    authorities = "/etc/ssl/certs/ca-certificates.crt"
    write(root / authorities.lstrip("/"), pathlib.Path(authorities).read_bytes())
    # The default of OpenSSL's library.
    (root / "usr/lib/ssl").mkdir(parents=True)
    (root / "usr/lib/ssl/certs").symlink_to("/etc/ssl/certs")
    (root / "usr/lib/ssl/cert.pem").symlink_to(authorities)
    write(root / "etc/passwd", f"root:x:0:0:root:/:/sbin/nologin\ncountersign:x:{ACCOUNT}:{ACCOUNT}::{DATA}:/sbin/nologin\n")
    write(root / "etc/group", f"root:x:0:\ncountersign:x:{ACCOUNT}:\n")
    write(root / "etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n")
    write(root / "etc/os-release", pathlib.Path("/etc/os-release").read_bytes())
    for folder in ("tmp", DATA.lstrip("/"), "proc", "dev", "sys"):
        (root / folder).mkdir(parents=True)
    found = packages(paths)
    # Scanners of images look for packages here.
    for package in found:
        write(root / "var/lib/dpkg/status.d" / package.plain_name, package.paragraph + "\n")
    return found


def blob(layout, content):
    name = hashlib.sha256(content).hexdigest()
    write(layout / "blobs/sha256" / name, content)
    return {"digest": f"sha256:{name}", "size": len(content)}


def build(programs, folder, out, release):
    root, layout = folder / "image", folder / "layout"
    found = rootfs(programs, root, release)
    settle(root, release)
    layer = tar(root, release, owners={"tmp": (0o1777, 0), DATA.lstrip("/"): (0o700, ACCOUNT)})
    # A tenth smaller than with gzip, and read by Docker 23, containerd 1.5 and Podman 2 or newer.
    write(folder / "layer", layer)
    run("zstd", "--quiet", "-12", "--single-thread", "--no-progress", str(folder / "layer"), "-o", str(folder / "layer.zst"))
    time = release.iso_time
    # Healthcheck is Docker's addition to the OCI's configuration.
    config = {
        "created": time, "architecture": release.architecture, "os": "linux",
        "config": {
            "User": f"{ACCOUNT}:{ACCOUNT}", "ExposedPorts": {"8443/tcp": {}}, "WorkingDir": DATA,
            "Env": [
                "PATH=/usr/bin", f"COUNTERSIGN_DATA={DATA}", "COUNTERSIGN_ADDRESS=0.0.0.0",
                "COUNTERSIGN_DEVELOPMENT=off", "COUNTERSIGN_LOG_FORMAT=json"],
            "Entrypoint": ["/usr/bin/countersign"], "Cmd": ["serve", "--quiet"], "Volumes": {DATA: {}},
            "StopSignal": "SIGTERM",
            "Healthcheck": {
                "Test": ["CMD", "/usr/bin/countersign", "healthcheck"], "Interval": 10_000_000_000,
                "Timeout": 6_000_000_000, "StartPeriod": 20_000_000_000, "Retries": 3},
            "Labels": release.labels},
        "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(layer).hexdigest()]},
        "history": [{"created": time, "created_by": "make dist"}]}
    kind = "application/vnd.oci.image"
    manifest = {
        "schemaVersion": 2, "mediaType": f"{kind}.manifest.v1+json",
        "config": {"mediaType": f"{kind}.config.v1+json", **blob(layout, compact(config))},
        "layers": [{"mediaType": f"{kind}.layer.v1.tar+zstd", **blob(layout, (folder / "layer.zst").read_bytes())}],
        "annotations": release.labels}
    index = {
        "schemaVersion": 2, "mediaType": f"{kind}.index.v1+json",
        "manifests": [{
            "mediaType": f"{kind}.manifest.v1+json", **blob(layout, compact(manifest)),
            "platform": {"architecture": release.architecture, "os": "linux"},
            "annotations": {
                "io.containerd.image.name": f"countersign:{release.version}",
                "org.opencontainers.image.ref.name": release.version}}]}
    write(layout / "index.json", compact(index))
    write(layout / "oci-layout", compact({"imageLayoutVersion": "1.0.0"}))
    settle(layout, release)
    (out / f"countersign-{release.version}-{release.architecture}.oci.tar").write_bytes(tar(layout, release))
    return found


def compact(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()
