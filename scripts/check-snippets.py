#!/usr/bin/env python3
"""Type-checks the Swift in the documents against the modules of the last debug build.

Blocks fenced as ```swift are checked. The blocks of a document are concatenated in one function, as a reader would type
them; blocks that begin with a declaration are placed outside of it. A fence with another word, such as ```swift iOS, is
skipped.

`check-snippets.py --build DOCUMENT FILE` makes a program of one document's Swift, which the tests run.
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


debug = root / ".build/debug"
# Modules that `import CountersignClient` and `import Guardian` need.
linked = re.compile(
    r"/(CountersignClient|Guardian|GuardianWire|JOSE|Primitives|HTTPModel|OAuthWire|CurlTransport|OpenSSLCrypto|"
    r"SecretFiles|X509|Localization|Threads|COpenSSLSeam)\.build/")


def compile(source: str, *options: str) -> bool:
    maps = [
        option
        for path in [
            *sorted(root.glob("Sources/System/*/module.modulemap")),
            # The package manager writes the maps of targets with C files.
            *sorted(debug.glob("C*Seam.build/module.modulemap"))]
        for option in ("-Xcc", f"-fmodule-map-file={path}")]
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "document.swift"
        file.write_text(source, encoding="utf-8")
        return subprocess.run(
            ["swiftc", "-parse-as-library", "-swift-version", "6", "-suppress-warnings",
             "-I", str(debug / "Modules"), *maps, *options, str(file)], cwd=root, check=False).returncode == 0


def build(document: pathlib.Path, program_file: str) -> bool:
    entry = "@main struct Document { static func main() async throws { try await document() } }\n"
    objects = (debug / "countersign.product/Objects.LinkFileList").read_text(encoding="utf-8").splitlines()
    return compile(
        program(document) + entry, *filter(linked.search, objects), "-lcurl", "-lcrypto", "-lssl", "-o", program_file)


def check() -> bool:
    checked = failed = 0
    for document in documents:
        source = program(document)
        if not source:
            continue
        checked += 1
        if not compile(source, "-typecheck"):
            failed += 1
            print(f"error: the Swift in {document.relative_to(root)} does not compile", file=sys.stderr)
    print(f"{checked - failed} of {checked} documents with Swift compile")
    return failed == 0


match sys.argv[1:]:
    case []: passed = check()
    case ["--build", document, program_file]: passed = build(pathlib.Path(document).resolve(), program_file)
    case _: sys.exit("usage: check-snippets.py [--build DOCUMENT FILE]")
sys.exit(0 if passed else 1)
