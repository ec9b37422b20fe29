"""Validates the statements of a release: bills of materials by their schemas, and provenance by the files themselves.

judge.py FOLDER
"""

import hashlib
import json
import pathlib
import sys

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from spdx_tools.spdx.parser.parse_anything import parse_file
from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document

out = pathlib.Path(sys.argv[1])


def one(pattern):
    (path,) = out.glob(pattern)
    return path


if problem := JsonStrictValidator(SchemaVersion.V1_5).validate_str(one("*.cdx.json").read_text()):
    raise SystemExit(f"error: CycloneDX: {problem}")
document = parse_file(str(one("*.spdx.json")))
for problem in validate_full_spdx_document(document):
    raise SystemExit(f"error: SPDX: {problem.validation_message}")

components = {(part["name"], part["version"]) for part in json.loads(one("*.cdx.json").read_text())["components"]}
packages = {(part.name, part.version) for part in document.packages} - {("countersign", document.packages[0].version)}
if components != packages:
    raise SystemExit(f"error: the two bills of materials differ: {sorted(components ^ packages)}")

statement = json.loads(one("*.intoto.json").read_text())
if statement["_type"] != "https://in-toto.io/Statement/v1" or "slsa.dev/provenance/v1" not in statement["predicateType"]:
    raise SystemExit("error: the provenance is no in-toto statement with SLSA's predicate")
subjects = {subject["name"]: subject["digest"]["sha256"] for subject in statement["subject"]}
files = {path.name for path in out.iterdir()} - {one("*.intoto.json").name, "SHA256SUMS", "SHA256SUMS.sig", "countersign.pub"}
if set(subjects) != files:
    raise SystemExit(f"error: the provenance does not name the artifacts: {sorted(set(subjects) ^ files)}")
for name, sum in subjects.items():
    if hashlib.sha256((out / name).read_bytes()).hexdigest() != sum:
        raise SystemExit(f"error: the provenance has another digest for {name}")
print(f"{len(components)} components in both bills of materials; {len(subjects)} artifacts in the provenance")
