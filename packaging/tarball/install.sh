#!/bin/sh
# Installs the programs beside this file, or removes them. Running it again changes nothing but older files.
#
#   ./install.sh [--prefix FOLDER] [--uninstall] [--without-service]
#
# FOLDER is /usr/local by default. Under it come the programs, man pages and completions. Root also gets the account
# countersign, the settings /etc/countersign/countersign.json, unless there are some, and the units of systemd, which
# it starts with systemctl enable --now countersign. --without-service leaves these out, as does a FOLDER in a home, where
# the service may not read.
set -eu

prefix=/usr/local
uninstall=
service=yes
while [ $# -gt 0 ]; do
    case "$1" in
        --prefix)
            [ $# -ge 2 ] || { echo "error: --prefix needs a folder" >&2; exit 2; }
            prefix=$2
            shift
            ;;
        --prefix=*) prefix=${1#--prefix=} ;;
        --uninstall) uninstall=yes ;;
        --without-service) service= ;;
        -h | --help)
            sed -n '2,/^set/s/^# \{0,1\}//p' "$0"
            exit 0
            ;;
        *)
            echo "error: install.sh has no option \"$1\"; --help lists them" >&2
            exit 2
            ;;
    esac
    shift
done
case "$prefix" in
    /*) ;;
    *)
        echo "error: the prefix must be a whole path, not \"$prefix\"" >&2
        exit 2
        ;;
esac
[ "$(id -u)" -eq 0 ] || service=
case "$prefix/" in /home/* | /root/* | "${HOME:-/root}"/*) service= ;; esac
here=$(cd "$(dirname "$0")" && pwd)
units=/etc/systemd/system
files=$(cd "$here" && find bin share -type f)

if [ -n "$uninstall" ]; then
    if [ -n "$service" ]; then
        for unit in "$here"/systemd/*; do
            name=$(basename "$unit")
            if [ -d /run/systemd/system ] && [ -e "$units/$name" ]; then systemctl disable --now "$name" || true; fi
            rm -f "$units/$name"
        done
        [ ! -d /run/systemd/system ] || systemctl daemon-reload
    fi
    for file in $files; do rm -f "$prefix/$file"; done
    echo "Removed from $prefix. /etc/countersign, /var/lib/countersign and the account are kept."
    exit 0
fi

for file in $files; do
    mode=644
    case "$file" in bin/*) mode=755 ;; esac
    mkdir -p "$prefix/$(dirname "$file")"
    # A running program is replaced, not overwritten.
    install -m "$mode" "$here/$file" "$prefix/$file.new"
    mv -f "$prefix/$file.new" "$prefix/$file"
done

if [ -n "$service" ]; then
    id countersign >/dev/null 2>&1 || useradd --system --user-group --no-create-home \
        --home-dir /var/lib/countersign --shell /usr/sbin/nologin countersign
    mkdir -p /etc/countersign "$units"
    [ -e /etc/countersign/countersign.json ] ||
        install -m 644 "$here/countersign.json" /etc/countersign/countersign.json
    for folder in /var/lib/countersign /var/backups/countersign; do
        [ -d "$folder" ] || install -d -o countersign -g countersign -m 700 "$folder"
    done
    for unit in "$here"/systemd/*; do
        sed "s|^ExecStart=/usr/local/bin|ExecStart=$prefix/bin|" "$unit" >"$units/$(basename "$unit")"
    done
    [ ! -d /run/systemd/system ] || systemctl daemon-reload
fi

if missing=$(ldd "$prefix/bin/countersign" | grep "not found"); then
    echo "error: libraries are missing:" >&2
    echo "$missing" >&2
    echo "hint: on $(cat "$here/debian-release"): apt-get install $(cat "$here/packages")" >&2
    exit 1
fi
echo "Installed in $prefix: $("$prefix/bin/countersign" --version)"
