#!/bin/bash
# Type-checks both SDKs and their adapter as on Apple platforms, against stand-ins for CryptoKit, Security and
# AuthenticationServices. This proves that the Apple branch compiles against those declarations, not that it works on a
# device.
#
#   scripts/typecheck-apple.sh [FOLDER]
#
# With an argument, the modules and symbol graphs of their public declarations are left in that folder, for the
# documentation.
set -euo pipefail
cd "$(dirname "$0")/.."
graphs=()
if [ "$#" -gt 0 ]; then
    work=$1
    graphs=(
        -emit-symbol-graph -emit-symbol-graph-dir "$work" -symbol-graph-minimum-access-level public
        -symbol-graph-skip-synthesized-members -emit-extension-block-symbols
    )
else
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
fi

# Only modules in $work and the toolchain's can be imported, so no adapter of another platform.
check() {
    local name=$1
    shift
    swiftc -swift-version 6 -warnings-as-errors -I "$work" -enable-upcoming-feature ExistentialAny \
        -enable-upcoming-feature MemberImportVisibility -enable-upcoming-feature InternalImportsByDefault \
        -enable-upcoming-feature NonisolatedNonsendingByDefault \
        -parse-as-library -package-name countersign -module-name "$name" \
        -emit-module -emit-module-path "$work/$name.swiftmodule" "${graphs[@]}" "$@"
}

for name in CryptoKit Security AuthenticationServices; do
    check "$name" Tests/AppleStandIns/"$name.swift"
done
for folder in Formats/{Primitives,JOSE,X509,HTTPModel,Localization,OAuthWire,GuardianWire,ApprovalWire} \
    System/PlatformFoundation Adapters/{Threads,Files,SecretFiles,ApplePlatform} SDK/{Guardian,CountersignClient}; do
    mapfile -t sources < <(find "Sources/$folder" -name '*.swift')
    check "${folder#*/}" "${sources[@]}"
    [[ $folder == Formats/* ]] || echo "typechecked ${folder#*/}: ${#sources[@]} files"
done
