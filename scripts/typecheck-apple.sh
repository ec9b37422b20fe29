#!/bin/bash
# Type-checks both SDKs and their adapter as on Apple platforms, against stand-ins for CryptoKit, Security and
# AuthenticationServices. This proves that the Apple branch compiles against those declarations, not that it works on a
# device.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Only modules in $work and the toolchain's can be imported, so no adapter of another platform.
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
for folder in Formats/{Primitives,JOSE,HTTPModel,Localization,OAuthWire,GuardianWire,ApprovalWire} \
    Adapters/{SecretFiles,ApplePlatform} SDK/{Guardian,CountersignClient}; do
    mapfile -t sources < <(find "Sources/$folder" -name '*.swift')
    check "${folder#*/}" "${sources[@]}"
    [[ $folder == Formats/* ]] || echo "typechecked ${folder#*/}: ${#sources[@]} files"
done
