#!/usr/bin/env python3
"""Unpacks an OCI layout by the OCI's rules, and verifies every digest: unpack-image.py LAYOUT FOLDER

FOLDER gets config.json and rootfs.
"""

import hashlib
import json
import pathlib
import subprocess
import sys

layout, folder = map(pathlib.Path, sys.argv[1:])


def blob(descriptor):
    kind, name = descriptor["digest"].split(":")
    content = (layout / "blobs" / kind / name).read_bytes()
    if hashlib.new(kind, content).hexdigest() != name or len(content) != descriptor["size"]:
        raise SystemExit(f"error: {name} has another content")
    return content


assert json.loads((layout / "oci-layout").read_text())["imageLayoutVersion"] == "1.0.0"
(entry,) = json.loads((layout / "index.json").read_text())["manifests"]
manifest = json.loads(blob(entry))
config = json.loads(blob(manifest["config"]))
rootfs = folder / "rootfs"
rootfs.mkdir(parents=True)
(folder / "config.json").write_text(json.dumps(config))
for layer, sum in zip(manifest["layers"], config["rootfs"]["diff_ids"], strict=True):
    archive = subprocess.run(
        ["zstd", "--decompress", "--stdout"], input=blob(layer), check=True, stdout=subprocess.PIPE).stdout
    if "sha256:" + hashlib.sha256(archive).hexdigest() != sum:
        raise SystemExit("error: the layer has another content")
    subprocess.run(["tar", "--extract", "--numeric-owner", "--directory", rootfs], input=archive, check=True)
account = config["config"]["User"]
if account.split(":")[0] in ("", "0", "root") or config["config"]["Healthcheck"]["Test"][0] != "CMD":
    raise SystemExit("error: the image runs as root, or has no check of its health")
