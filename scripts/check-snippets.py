#!/usr/bin/env python3
"""Type-checks the Swift in the documents against the modules of the last debug build.

Blocks fenced as ```swift are checked. The blocks of a document are concatenated in one function, as a reader would type
them; blocks that begin with a declaration are placed outside of it. A fence with another word, such as ```swift iOS, is
skipped.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parent.parent
documents = sorted(
    [*root.glob("*.md"), *root.glob("docs/**/*.md"), *root.glob("Sources/**/*.docc/**/*.md")])
fence = re.compile(r"^```swift\n(.*?)^```$", re.MULTILINE | re.DOTALL)
declaration = re.compile(r"(@\w+\s+)*((public|final|indirect)\s+)*(struct|class|enum|actor|protocol|extension)\b")


def program(document: pathlib.Path) -> str:
    """A source file whose errors point to the document's lines."""
    text = document.read_text(encoding="utf-8")
    imports, outside, inside = [], [], []
    for block in fence.finditer(text):
        line = text.count("\n", 0, block.start()) + 2
        lines = block.group(1).splitlines()
        imports += [code for code in lines if code.startswith("import ")]
        rest = ["" if code.startswith("import ") else code for code in lines]
        place = outside if declaration.match("\n".join(rest).lstrip()) else inside
        place += [f'#sourceLocation(file: "{document.relative_to(root)}", line: {line})', *rest, "#sourceLocation()"]
    if not imports and not outside and not inside:
        return ""
    return "\n".join(
        [*dict.fromkeys(imports), *outside, "func document() async throws {", *inside, "}", ""])


maps = [
    option
    for path in [
        *sorted(root.glob("Sources/System/*/module.modulemap")),
        # The package manager writes the maps of targets with C files.
        *sorted(root.glob(".build/debug/C*Seam.build/module.modulemap"))]
    for option in ("-Xcc", f"-fmodule-map-file={path}")]
checked = failed = 0
with tempfile.TemporaryDirectory() as folder:
    for document in documents:
        source = program(document)
        if not source:
            continue
        checked += 1
        file = pathlib.Path(folder) / "document.swift"
        file.write_text(source, encoding="utf-8")
        result = subprocess.run(
            ["swiftc", "-typecheck", "-parse-as-library", "-swift-version", "6", "-suppress-warnings",
             "-I", str(root / ".build/debug/Modules"), *maps, str(file)],
            cwd=root, check=False)
        if result.returncode != 0:
            failed += 1
            print(f"error: the Swift in {document.relative_to(root)} does not compile", file=sys.stderr)

print(f"{checked - failed} of {checked} documents with Swift compile")
sys.exit(1 if failed else 0)
