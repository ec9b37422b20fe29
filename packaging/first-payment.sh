#!/bin/sh
# Plays a newcomer: a development server, an enrolled phone, a request for a payment, and its approval. Prints the seconds.
#
#   first-payment.sh PORT
#
# Uses the programs of the PATH and writes to the current folder.
set -eu

port=$1
begun=$(date +%s)
user='auth0|48616e6e6120486572776974'
countersign serve --quiet --port "$port" --metrics-port none --log-requests off 2>serve.log &
server=$!
trap 'kill "$server" 2>/dev/null || true; wait "$server" || true' EXIT
until countersign healthcheck --port "$port" >/dev/null 2>&1; do
    kill -0 "$server" || { cat serve.log >&2; exit 1; }
    sleep 0.2
done

export GUARDIAN_CA=countersign-data/tls/ca.pem GUARDIAN_STORE=phone.json
guardian enroll "$(countersign device ticket --tenant dev --user "$user")"
cat >payment.json <<'END'
[{"type": "money_transfer", "instructedAmount": {"amount": 2500, "currency": "USD"},
  "sourceAccount": "xxxxxxxxxxx1234", "destinationAccount": "xxxxxxxxxxx9876",
  "beneficiary": "Hanna Herwitz", "subject": "A Lannister Always Pays His Debts"}]
END
countersign ask --user "$user" --message 'Confirm payment of 2500' --audience https://api.example.com \
    --details payment.json --receipt receipt.txt >token.txt &
ask=$!
until guardian allow >answer.txt 2>&1; do
    kill -0 "$ask" || { cat answer.txt >&2; exit 1; }
    sleep 0.2
done
wait "$ask"
[ -s token.txt ] && [ -s receipt.txt ]
echo "approved after $(($(date +%s) - begun)) s"
