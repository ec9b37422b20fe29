#!/usr/bin/env python3
"""Type-checks the Swift in the documents.

    check-snippets.py           against the modules of the last debug build
    check-snippets.py FOLDER    the articles of the SDKs, against the modules that typecheck-apple.sh wrote to FOLDER

Blocks fenced as ```swift are checked. The blocks of a document are concatenated in one function, as a reader would type
them; blocks that begin with a declaration are placed outside of it. A block whose first line is `// On Apple platforms`
or `// On Linux` is checked there alone.

    check-snippets.py --build DOCUMENT FILE    makes a program of one document's Swift, which the tests run
"""

import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parent.parent
arguments = sys.argv[1:]
apple = arguments[0] if arguments and arguments[0] != "--build" else None
articles = [*root.glob("Sources/**/*.docc/**/*.md")]
documents = sorted(articles if apple else [*root.glob("*.md"), *root.glob("docs/**/*.md"), *articles])
elsewhere = "// On Linux\n" if apple else "// On Apple platforms\n"
fence = re.compile(r"^```swift\n(.*?)^```$", re.MULTILINE | re.DOTALL)
declaration = re.compile(r"(@\w+\s+)*((public|final|indirect)\s+)*(struct|class|enum|actor|protocol|extension)\b")


def program(document: pathlib.Path) -> str:
    """A source file whose errors point to the document's lines."""
    text = document.read_text(encoding="utf-8")
    imports, outside, inside = [], [], []
    for block in fence.finditer(text):
        if block.group(1).startswith(elsewhere):
            continue
        line = text.count("\n", 0, block.start()) + 2
        lines = block.group(1).splitlines()
        imports += [code for code in lines if code.startswith("import ")]
        rest = ["" if code.startswith(("import ", "// On ")) else code for code in lines]
        place = outside if declaration.match("\n".join(rest).lstrip()) else inside
        place += [f'#sourceLocation(file: "{document.relative_to(root)}", line: {line})', *rest, "#sourceLocation()"]
    if not imports and not outside and not inside:
        return ""
    return "\n".join(
        [*dict.fromkeys(imports), *outside, "func document() async throws {", *inside, "}", ""])


debug = root / ".build/debug"
modules = ["-I", apple or str(debug / "Modules")]
for path in [] if apple else [
    *sorted(root.glob("Sources/System/*/module.modulemap")),
    # The package manager writes the maps of targets with C files.
    *sorted(debug.glob("C*Seam.build/module.modulemap")),
]:
    modules += ["-Xcc", f"-fmodule-map-file={path}"]
def compiled(source: str, *options: str) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "document.swift"
        file.write_text(source, encoding="utf-8")
        return subprocess.run(
            ["swiftc", "-parse-as-library", "-swift-version", "6", "-suppress-warnings", *modules, *options, str(file)],
            cwd=root, check=False).returncode == 0


def needed(*modules: str) -> set[str]:
    """The modules, and each that one of them is built on, as the package says."""
    described = subprocess.run(
        ["swift", "package", "describe", "--type", "json"], cwd=root, check=True, capture_output=True).stdout
    below = {target["name"]: target.get("target_dependencies", []) for target in json.loads(described)["targets"]}
    found, open_ones = set(), [*modules]
    while open_ones:
        module = open_ones.pop()
        if module not in found:
            found.add(module)
            open_ones += below[module]
    return found


def build(document: pathlib.Path, program_file: str) -> bool:
    entry = "@main struct Document { static func main() async throws { try await document() } }\n"
    objects = (debug / "countersign.product/Objects.LinkFileList").read_text(encoding="utf-8").splitlines()
    folders = {f"{module}.build" for module in needed("CountersignClient", "Guardian")}
    linked = [file for file in objects if folders.intersection(pathlib.Path(file.strip("'")).parts)]
    return compiled(program(document) + entry, *linked, "-lcurl", "-lcrypto", "-lssl", "-o", program_file)


def compiles(document: pathlib.Path) -> bool | None:
    """None for a document without Swift."""
    source = program(document)
    if not source:
        return None
    if compiled(source, "-typecheck"):
        return True
    print(f"error: the Swift in {document.relative_to(root)} does not compile", file=sys.stderr)
    return False


if arguments[:1] == ["--build"]:
    sys.exit(0 if build(pathlib.Path(arguments[1]).resolve(), arguments[2]) else 1)
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    outcomes = [outcome for outcome in pool.map(compiles, documents) if outcome is not None]
print(f"{sum(outcomes)} of {len(outcomes)} documents with Swift compile{' on Apple platforms' if apple else ''}")
sys.exit(0 if outcomes and all(outcomes) else 1)
