"""Statements about the artifacts: bills of materials, provenance, check sums and their signature."""

import hashlib
import json
import os
import pathlib
import uuid

from .common import PROGRAMS, digest, run, write

SOURCE = "https://git.example.com/countersign"


def indented(value):
    return json.dumps(value, indent=2, sort_keys=True) + "\n"


def identity(release, *parts):
    """A UUID that is the same for the same release."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, "/".join([SOURCE, release.version, release.revision, *parts])))


def cyclonedx(programs, packages, out, release):
    own = {
        "type": "application", "bom-ref": "countersign", "name": "countersign", "version": release.version,
        "purl": f"pkg:generic/countersign@{release.version}", "licenses": [{"license": {"id": "Apache-2.0"}}]}
    files = [{
        "type": "file", "bom-ref": f"program:{name}", "name": f"usr/bin/{name}",
        "hashes": [{"alg": "SHA-256", "content": digest(programs / name)}]} for name in PROGRAMS]
    swift = {
        "type": "framework", "bom-ref": "swift", "name": "swift", "version": release.swift,
        "purl": f"pkg:generic/swift@{release.swift}", "licenses": [{"license": {"id": "Apache-2.0"}}],
        "description": "Standard library, concurrency, Foundation with its ICU, and libdispatch, linked statically"}
    linked = [{
        "type": "library", "bom-ref": package.purl(release), "name": package.plain_name, "version": package.version,
        "purl": package.purl(release),
        "properties": [{"name": "debian:source", "value": f"{package.source} {package.source_version}"}]}
        for package in packages]
    everything = ["swift"] + [package.purl(release) for package in packages]
    write(out / f"countersign-{release.version}.cdx.json", indented({
        "$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json", "bomFormat": "CycloneDX", "specVersion": "1.5",
        "version": 1, "serialNumber": f"urn:uuid:{identity(release, 'cyclonedx')}",
        "metadata": {"timestamp": release.iso_time, "component": {**own, "components": files}},
        "components": [swift] + linked,
        "dependencies": [{"ref": "countersign", "dependsOn": everything}]
        + [{"ref": reference, "dependsOn": []} for reference in everything]}))


def spdx(programs, packages, out, release):
    def package(reference, name, version, purl, licence, **more):
        return {
            "SPDXID": f"SPDXRef-{reference}", "name": name, "versionInfo": version, "downloadLocation": "NOASSERTION",
            "licenseConcluded": "NOASSERTION", "licenseDeclared": licence, "copyrightText": "NOASSERTION",
            "externalRefs": [{
                "referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": purl}], **more}

    sums = {name: (digest(programs / name, "sha1"), digest(programs / name)) for name in PROGRAMS}
    code = hashlib.sha1("".join(sorted(sha1 for sha1, _ in sums.values())).encode()).hexdigest()
    own = package(
        "countersign", "countersign", release.version, f"pkg:generic/countersign@{release.version}", "Apache-2.0",
        primaryPackagePurpose="APPLICATION", filesAnalyzed=True,
        packageVerificationCode={"packageVerificationCodeValue": code}, licenseInfoFromFiles=["NOASSERTION"],
        hasFiles=[f"SPDXRef-program-{name}" for name in PROGRAMS])
    files = [{
        "SPDXID": f"SPDXRef-program-{name}", "fileName": f"./usr/bin/{name}", "fileTypes": ["BINARY"],
        "licenseConcluded": "NOASSERTION", "licenseInfoInFiles": ["NOASSERTION"], "copyrightText": "NOASSERTION",
        "checksums": [
            {"algorithm": "SHA1", "checksumValue": sha1}, {"algorithm": "SHA256", "checksumValue": sha256}]}
        for name, (sha1, sha256) in sums.items()]
    swift = package(
        "swift", "swift", release.swift, f"pkg:generic/swift@{release.swift}", "Apache-2.0", filesAnalyzed=False,
        comment="Standard library, concurrency, Foundation with its ICU, and libdispatch, linked statically")
    linked = [package(
        f"debian-{one.plain_name.replace('+', 'p').replace('_', '-')}", one.plain_name, one.version, one.purl(release),
        "NOASSERTION", filesAnalyzed=False, sourceInfo=f"built from {one.source} {one.source_version}")
        for one in packages]
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-countersign")]
    relations += [("SPDXRef-countersign", "CONTAINS", file["SPDXID"]) for file in files]
    relations.append(("SPDXRef-countersign", "STATIC_LINK", "SPDXRef-swift"))
    relations += [("SPDXRef-countersign", "DYNAMIC_LINK", one["SPDXID"]) for one in linked]
    write(out / f"countersign-{release.version}.spdx.json", indented({
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"countersign-{release.version}",
        "documentNamespace": f"{SOURCE}/spdx/{identity(release, 'spdx')}",
        "creationInfo": {"created": release.iso_time, "creators": ["Tool: make-dist"]},
        "packages": [own, swift] + linked, "files": files,
        "relationships": [
            {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}
            for one, kind, other in relations]}))


def artifacts(out):
    """Names of all files so far, sorted."""
    return sorted(path.name for path in out.iterdir() if path.is_file())


def provenance(packages, out, release):
    """An in-toto statement with SLSA's predicate: each artifact's digest, the commit and the build's parameters."""
    tools = {name: run(name, "--version").split("\n")[0] for name in ("dpkg-deb", "objcopy", "xz")}
    write(out / f"countersign-{release.version}.intoto.json", indented({
        "_type": "https://in-toto.io/Statement/v1", "predicateType": "https://slsa.dev/provenance/v1",
        "subject": [{"name": name, "digest": {"sha256": digest(out / name)}} for name in artifacts(out)],
        "predicate": {
            "buildDefinition": {
                "buildType": f"{SOURCE}/blob/main/docs/releases.md",
                "externalParameters": {"target": "dist", "version": release.version},
                "internalParameters": {
                    "SOURCE_DATE_EPOCH": release.time, "architecture": release.architecture,
                    "changed tree": release.is_changed, "configuration": "release, --static-swift-stdlib",
                    "debian": release.debian["PRETTY_NAME"], "swift": release.swift, "tools": tools},
                "resolvedDependencies": [
                    {"uri": f"git+{SOURCE}", "digest": {"gitCommit": release.commit}}]
                + [{"uri": package.purl(release), "name": package.plain_name} for package in packages]},
            "runDetails": {"builder": {"id": f"{SOURCE}/blob/main/Makefile"}}}}))


def seal(out):
    """Writes the check sums, and signs them if there is a key."""
    sums = out / "SHA256SUMS"
    write(sums, "".join(f"{digest(out / name)}  {name}\n" for name in artifacts(out)))
    key = os.environ.get("COUNTERSIGN_SIGNING_KEY")
    if not key:
        print("note: unsigned, because COUNTERSIGN_SIGNING_KEY names no key (docs/releases.md)")
        return
    key = str(pathlib.Path(key).absolute())
    run("openssl", "pkeyutl", "-sign", "-rawin", "-inkey", key, "-in", str(sums), "-out", f"{sums}.sig")
    write(out / "countersign.pub", run("openssl", "pkey", "-in", key, "-pubout") + "\n")
