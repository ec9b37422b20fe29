#!/bin/bash
# Type-checks both SDKs and the adapter under them as Apple platforms see them, against stand-ins for CryptoKit,
# Security and AuthenticationServices. It proves that the Apple branch compiles against those declarations, not that
# it works on a device.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Only what is in $work can be imported besides the toolchain's modules: no adapter of another platform.
check() {
    local name=$1
    shift
    swiftc -swift-version 6 -warnings-as-errors -I "$work" -enable-upcoming-feature ExistentialAny \
        -enable-upcoming-feature MemberImportVisibility -enable-upcoming-feature InternalImportsByDefault \
        -enable-upcoming-feature NonisolatedNonsendingByDefault \
        -parse-as-library -package-name countersign -module-name "$name" \
        -emit-module -emit-module-path "$work/$name.swiftmodule" "$@"
}

for name in CryptoKit Security AuthenticationServices; do
    check "$name" Tests/AppleStandIns/"$name.swift"
done
for folder in Formats/{Primitives,JOSE,HTTPModel,Localization,OAuthWire,GuardianWire} Adapters/{SecretFiles,ApplePlatform} \
    SDK/{Guardian,CountersignClient}; do
    mapfile -t sources < <(find "Sources/$folder" -name '*.swift')
    check "${folder#*/}" "${sources[@]}"
    [[ $folder == Formats/* ]] || echo "typechecked ${folder#*/}: ${#sources[@]} files"
done
