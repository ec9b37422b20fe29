#!/usr/bin/env bash
# Compiles the documentation of both SDKs, and of the formats and ports that they expose, into .build/docs. It reads the
# modules of the last debug build. It fails on every diagnostic of DocC, and unless every public symbol of the SDKs is
# in one topic group.
#
# It runs on Linux. A symbol graph that is made there lacks the declarations for Apple platforms. The type check of the
# Apple branch makes a second one. Both are merged, and each symbol names its platforms.
set -euo pipefail
cd "$(dirname "$0")/.."

sdks=(Guardian CountersignClient)
formats=(Primitives JOSE HTTPModel OAuthWire)

# docc is next to the compiler; the swift in the PATH may be a link or a toolchain selector.
target_info=$(swift -print-target-info)
resources=$(sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p' <<<"$target_info")
triple=$(sed -n 's/.*"triple": "\(.*\)".*/\1/p' <<<"$target_info" | head -n 1)
docc="$resources/../../bin/docc"
if [ ! -x "$docc" ]; then
    echo "error: the Swift toolchain has no docc at $docc" >&2
    echo "hint: install a complete toolchain from https://www.swift.org/install" >&2
    exit 1
fi
build=$(swift build --show-bin-path)
clang_options=()
for map in Sources/System/*/module.modulemap "$build"/C*Seam.build/module.modulemap; do
    clang_options+=(-Xcc "-fmodule-map-file=$map")
done

parts=$(mktemp -d)
trap 'rm -rf "$parts"' EXIT
mkdir "$parts"/{apple,linux}
scripts/typecheck-apple.sh "$parts/apple" >"$parts/log" || {
    cat "$parts/log" >&2
    exit 1
}
for module in ApplePlatform "${sdks[@]}"; do
    grep --quiet "^typechecked $module: " "$parts/log" || { echo "error: $module was not type-checked" >&2; exit 1; }
done
scripts/check-snippets.py "$parts/apple"

archives=()
dependencies=()
for module in "${formats[@]}" "${sdks[@]}"; do
    swift symbolgraph-extract -module-name "$module" -target "$triple" -I "$build/Modules" \
        -minimum-access-level public -skip-synthesized-members -emit-extension-block-symbols \
        -output-dir "$parts/linux" "${clang_options[@]}"
    scripts/symbol-graphs.py merge "$module" "$parts/apple" "$parts/linux" "$parts/$module"
    catalog=()
    [[ " ${formats[*]} " == *" $module "* ]] || catalog=("Sources/SDK/$module/$module.docc")
    archive="$parts/$module.doccarchive"
    "$docc" convert "${catalog[@]}" --additional-symbol-graph-dir "$parts/$module" --warnings-as-errors \
        --fallback-display-name "$module" --fallback-bundle-identifier "countersign.$module" \
        --fallback-default-module-kind Library --enable-experimental-external-link-support "${dependencies[@]}" \
        --output-dir "$archive" | sed '/^$/d'
    archives+=("$archive")
    dependencies+=(--dependency "$archive")
done
for module in "${sdks[@]}"; do
    scripts/symbol-graphs.py check "$parts/$module" "$parts/$module.doccarchive"
done

rm -rf .build/docs
"$docc" merge "${archives[@]}" --synthesized-landing-page-name Countersign --output-path .build/docs | sed '/^$/d'
echo "The documentation is in .build/docs. To read it:"
echo "  python3 -m http.server --directory .build/docs 8000    and open http://localhost:8000/documentation"
