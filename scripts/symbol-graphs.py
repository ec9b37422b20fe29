#!/usr/bin/env python3
"""Symbol graphs of the documentation.

    symbol-graphs.py merge MODULE APPLE LINUX FOLDER   merges the graphs that a module has on both platforms
    symbol-graphs.py check FOLDER ARCHIVE              checks the topic groups of an archive against merged graphs
"""

import collections
import json
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent


def read(path: pathlib.Path) -> dict:
    return json.loads(path.read_text(encoding="utf-8"))


def apple_versions() -> dict[str, dict[str, int]]:
    """The oldest supported version of each Apple platform."""
    manifest = (root / "Package.swift").read_text(encoding="utf-8")
    return {name: {"major": int(major)} for name, major in re.findall(r"\.(iOS|macOS)\(\.v(\d+)\)", manifest)}


def source(symbol: dict) -> pathlib.Path | None:
    if "location" not in symbol:
        return None
    # The compiler writes a relative path if it was given one.
    return root / symbol["location"]["uri"].removeprefix("file://")


def is_missing_on_ios(symbol: dict) -> bool:
    """Reads the condition around the symbol's file. The type check runs with the conditions of macOS."""
    file = source(symbol)
    if file is None or "os(iOS)" not in (text := file.read_text(encoding="utf-8")):
        return False
    if not text.startswith("#if !os(iOS)\n") or text.count("os(iOS)") > 1:
        sys.exit(f"error: {file}: os(iOS) may be only the condition of a whole file, or the documentation names "
                 "wrong platforms")
    return True


def merge(module: str, apple: pathlib.Path, linux: pathlib.Path, folder: pathlib.Path) -> None:
    versions = apple_versions()
    folder.mkdir()
    for name in {path.name for parent in (apple, linux) for path in parent.glob(f"{module}[.@]*json")}:
        merged = None
        symbols, relationships = {}, {}
        for parent in (apple, linux):
            if not (parent / name).exists():
                continue
            graph = read(parent / name)
            merged = merged or graph
            for symbol in graph["symbols"]:
                known = symbols.setdefault(symbol["identifier"]["precise"], symbol)
                platforms = known.setdefault("availability", [])
                if parent == linux:
                    platforms.append({"domain": "Linux"})
                    continue
                for platform, version in versions.items():
                    if platform != "iOS" or not is_missing_on_ios(symbol):
                        platforms.append({"domain": platform, "introduced": version})
            for relationship in graph["relationships"]:
                # DocC would list a member that implements another module's protocol on a page of its own.
                relationship.pop("sourceOrigin", None)
                relationships[json.dumps(relationship, sort_keys=True)] = relationship
        # Each symbol names its platforms.
        merged["module"]["platform"] = {}
        merged["symbols"] = list(symbols.values())
        merged["relationships"] = list(relationships.values())
        (folder / name).write_text(json.dumps(merged), encoding="utf-8")


def check(folder: pathlib.Path, archive: pathlib.Path) -> list[str]:
    pages = [read(path) for path in sorted((archive / "data/documentation").rglob("*.json"))]
    groups = collections.defaultdict(list)
    faults = []
    for page in pages:
        for section in page.get("topicSections", []):
            place = f"{page['metadata']['title']}: {section.get('title')}"
            for identifier in section["identifiers"]:
                if section.get("generated"):
                    faults.append(f"DocC itself put {identifier} in the group \"{place}\"")
                else:
                    groups[identifier].append(place)
    identifiers = {
        page["metadata"]["externalID"]: page["identifier"]["url"] for page in pages
        if "externalID" in page["metadata"]}
    count = 0
    for path in sorted(folder.glob("*.json")):
        graph = read(path)
        own = {symbol["identifier"]["precise"] for symbol in graph["symbols"]}
        # The page of the requirement lists them.
        defaults = {
            relationship["source"] for relationship in graph["relationships"]
            if relationship["kind"] == "defaultImplementationOf" and relationship["target"] in own}
        for symbol in graph["symbols"]:
            precise, name = symbol["identifier"]["precise"], ".".join(symbol["pathComponents"])
            if precise in defaults or symbol["kind"]["identifier"] == "swift.extension":
                continue
            count += 1
            if precise not in identifiers:
                faults.append(f"{name} has no page")
            elif len(places := groups[identifiers[precise]]) != 1:
                faults.append(f"{name} is in {len(places)} topic groups: {', '.join(places) or 'add it to one'}")
    if count == 0:
        faults.append(f"{folder} has no symbols")
    print(f"{archive.stem}: {count} public symbols in topic groups")
    return faults


match sys.argv[1:]:
    case ["merge", module, apple, linux, folder]:
        merge(module, pathlib.Path(apple), pathlib.Path(linux), pathlib.Path(folder))
    case ["check", folder, archive]:
        if found := check(pathlib.Path(folder), pathlib.Path(archive)):
            sys.exit("error: " + "\nerror: ".join(found))
    case _:
        sys.exit(__doc__)
