#!/usr/bin/env bash
# Compiles the documentation of the SDKs and of the formats that they use into .build/docs.
set -euo pipefail
cd "$(dirname "$0")/.."

modules=(Guardian CountersignClient ApprovalWire GuardianWire OAuthWire JOSE HTTPModel Primitives)

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

# These two import the others.
for module in Guardian CountersignClient; do
    swift build --explicit-target-dependency-import-check error --target "$module"
done
build=$(swift build --show-bin-path)

clang_options=()
for map in Sources/System/*/module.modulemap "$build"/C*Seam.build/module.modulemap; do
    clang_options+=(-Xcc "-fmodule-map-file=$map")
done

rm -rf .build/docs .build/docs-parts
archives=()
for module in "${modules[@]}"; do
    symbols=".build/docs-parts/$module"
    archive=".build/docs-parts/$module.doccarchive"
    mkdir -p "$symbols"
    swift symbolgraph-extract -module-name "$module" -target "$triple" -I "$build/Modules" \
        -minimum-access-level public -skip-inherited-docs -output-dir "$symbols" "${clang_options[@]}"
    catalog=()
    for folder in Sources/*/"$module"/"$module".docc; do
        [ ! -d "$folder" ] || catalog=("$folder")
    done
    "$docc" convert "${catalog[@]}" --additional-symbol-graph-dir "$symbols" \
        --fallback-display-name "$module" --fallback-bundle-identifier "countersign.$module" \
        --fallback-default-module-kind Library --output-dir "$archive" | sed '/^$/d'
    archives+=("$archive")
done
"$docc" merge "${archives[@]}" --synthesized-landing-page-name Countersign --output-path .build/docs |
    sed '/^$/d'
rm -rf .build/docs-parts

echo "The documentation is in .build/docs. To read it:"
echo "  python3 -m http.server --directory .build/docs 8000    and open http://localhost:8000/documentation"
