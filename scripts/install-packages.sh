#!/usr/bin/env bash
# Installs missing Debian packages. Does nothing if none is missing.
#
#   scripts/install-packages.sh [test] [bench] [dist] [docs]
#
# Without arguments, installs the packages for a build. `test` adds those of the test suite, `bench` those of
# benchmarks, `dist` those that make and try the artifacts of a release, and `docs` those of the documentation.
set -euo pipefail

packages=(
    make pkg-config libstdc++-12-dev
    libmicrohttpd-dev libgnutls28-dev libargon2-dev libcrypt-dev libqrencode-dev libcurl4-openssl-dev libssl-dev
    libsqlite3-dev libpq-dev libmimalloc-dev libre2-dev libfido2-dev libcbor-dev libmaxminddb-dev
)
promtool=
for group in "$@"; do
    case "$group" in
        # PostgreSQL's server, nginx and HAProxy, of which tests start their own, a clock that they set, and third-party clients: curl, Chromium,
        # TypeScript, esbuild, and those from PyPI in virtual environments.
        test)
            packages+=(
                ca-certificates curl openssl python3 python3-venv chromium chromium-driver fonts-dejavu-core fish zsh
                nodejs node-typescript esbuild ruby ruby-liquid postgresql nginx-light haproxy
                libfaketime
            )
            promtool="$(cd "$(dirname "$0")/.." && pwd)/.build/tools/promtool"
            ;;
        bench) packages+=(nginx-light postgresql openssl nghttp2-server nghttp2-client valgrind binutils) ;;
        dist)
            packages+=(
                git python3 python3-venv openssl ca-certificates curl binutils xz-utils dpkg-dev lintian man-db mmdebstrap
                bubblewrap chrpath systemd zstd
            )
            ;;
        docs) packages+=(python3) ;;
        *)
            echo "error: no group of packages is called \"$group\"; there are test, bench, dist and docs" >&2
            exit 2
            ;;
    esac
done

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "note: this is not Debian or a relative of it; nothing was installed." >&2
    echo "note: the build needs the content of these packages: ${packages[*]}" >&2
    exit 0
fi

# Only promtool is needed from the package prometheus. Installing the package would start a server.
if [ -n "$promtool" ] && ! command -v promtool >/dev/null && ! [ -x "$promtool" ]; then
    folder=$(mktemp -d)
    # As root, apt downloads as another user, who must be able to write to the folder.
    chmod 755 "$folder"
    if (cd "$folder" && apt-get download --quiet prometheus) && dpkg-deb --extract "$folder"/prometheus_*.deb "$folder"; then
        mkdir -p "$(dirname "$promtool")"
        install "$folder/usr/bin/promtool" "$promtool"
    else
        echo "note: promtool could not be downloaded; scripts/check-metrics needs it" >&2
    fi
    rm -rf "$folder"
fi

missing=()
for package in "${packages[@]}"; do
    status=$(dpkg-query --show --showformat '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$status" = installed ] || missing+=("$package")
done
[ "${#missing[@]}" -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "error: these Debian packages are missing: ${missing[*]}" >&2
        echo "hint: as root, run: apt-get install ${missing[*]}" >&2
        exit 1
    fi
    as_root=(sudo)
fi

echo "Installing Debian packages: ${missing[*]}"
install() {
    # --no-remove: fail rather than remove a package that something else needs.
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install --yes --no-remove --no-install-recommends "${missing[@]}"
}
"${as_root[@]}" apt-get update --quiet || echo "note: the package lists could not be updated" >&2
if ! install; then
    echo "error: Debian could not install: ${missing[*]}" >&2
    echo "hint: the lines above say why; without a network, install them from a mirror or a disc" >&2
    exit 1
fi
