#!/bin/bash
# Type-checks the Guardian SDK as Apple platforms see it, against stand-ins for CryptoKit and Security. It proves that
# the Apple branch compiles against those declarations, not that it works on a device.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

flags=(-swift-version 6 -warnings-as-errors -I "$work"
    -enable-upcoming-feature ExistentialAny -enable-upcoming-feature MemberImportVisibility
    -enable-upcoming-feature InternalImportsByDefault)
module() {
    local name=$1
    shift
    swiftc "${flags[@]}" -parse-as-library -module-name "$name" -emit-module -emit-module-path "$work/$name.swiftmodule" "$@"
}

for name in Primitives JOSE HTTPModel GuardianWire; do
    module "$name" Sources/Formats/"$name"/*.swift
done
for name in CryptoKit Security; do
    module "$name" Tests/AppleStandIns/"$name.swift"
done
mapfile -t sources < <(find Sources/SDK/Guardian -name '*.swift')
swiftc "${flags[@]}" -parse-as-library -module-name Guardian -typecheck "${sources[@]}"
echo "typechecked ${#sources[@]} files against CryptoKit and Security"
