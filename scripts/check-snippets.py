#!/usr/bin/env python3
"""Type-checks the Swift in the documents.

    check-snippets.py           against the modules of the last debug build
    check-snippets.py FOLDER    the articles of the SDKs, against the modules that typecheck-apple.sh wrote to FOLDER

Blocks fenced as ```swift are checked. The blocks of a document are concatenated in one function, as a reader would type
them; blocks that begin with a declaration are placed outside of it. A block whose first line is `// On Apple platforms`
or `// On Linux` is checked there alone.
"""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parent.parent
apple = sys.argv[1] if len(sys.argv) > 1 else None
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


modules = ["-I", apple or str(root / ".build/debug/Modules")]
for path in [] if apple else [
    *sorted(root.glob("Sources/System/*/module.modulemap")),
    # The package manager writes the maps of targets with C files.
    *sorted(root.glob(".build/debug/C*Seam.build/module.modulemap")),
]:
    modules += ["-Xcc", f"-fmodule-map-file={path}"]


def compiles(document: pathlib.Path) -> bool | None:
    """None for a document without Swift."""
    source = program(document)
    if not source:
        return None
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "document.swift"
        file.write_text(source, encoding="utf-8")
        result = subprocess.run(
            ["swiftc", "-typecheck", "-parse-as-library", "-swift-version", "6", "-suppress-warnings", *modules,
             str(file)],
            cwd=root, check=False)
    if result.returncode != 0:
        print(f"error: the Swift in {document.relative_to(root)} does not compile", file=sys.stderr)
    return result.returncode == 0


with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    outcomes = [outcome for outcome in pool.map(compiles, documents) if outcome is not None]
print(f"{sum(outcomes)} of {len(outcomes)} documents with Swift compile{' on Apple platforms' if apple else ''}")
sys.exit(0 if outcomes and all(outcomes) else 1)
