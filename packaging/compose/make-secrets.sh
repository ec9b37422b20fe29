#!/bin/sh
# Makes the secrets of two-nodes.yaml in secrets/, beside this file, unless they exist: the nodes' certificate, the master
# key and the database's password.
#
#   make-secrets.sh [HOST]
#
# With HOST, also makes a certificate for browsers that nobody trusts yet, for a trial.
set -eu
cd "$(dirname "$0")"
umask 077
mkdir -p secrets
cd secrets

certificate() {
    [ -e "$1.key" ] || openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -days 825 \
        -subj "/CN=$2" -addext "subjectAltName=DNS:$2" -keyout "$1.key" -out "$1.pem" 2>/dev/null
    # The containers' accounts read them. The folder keeps other accounts of this machine out.
    chmod 644 "$1.key" "$1.pem"
}
certificate node node.internal
[ $# -eq 0 ] || certificate public "$1"
if ! [ -e countersign.env ]; then
    password=$(openssl rand -hex 24)
    printf '%s' "$password" >postgres-password
    chmod 644 postgres-password
    cat >countersign.env <<END
COUNTERSIGN_STORE=postgres://countersign:$password@postgres/countersign?sslmode=disable
COUNTERSIGN_MASTER_KEY=$(openssl rand -hex 32)
END
    echo "Keep a copy of COUNTERSIGN_MASTER_KEY in secrets/countersign.env apart from the database's backups."
fi
