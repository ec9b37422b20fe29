import CountersignServer
import Primitives
import Terminal

extension Command {
    static var keyExchange: Command {
        let given = Option<String?>.optional(
            "new-key-file", .path, defaultText: "a new key",
            "File of mode 0600 with the new key: 32 bytes in base64url or hexadecimal.")
        let endDerived = Option<Bool>.flag(
            "end-derived",
            "Replace the derivation keys too, which ends refresh tokens and pending enrolments and requests on "
                + "phones, and sign the next archive of the audit log with a new key.")
        let givingUp = Option<Bool>.flag(
            "empty-unreadable",
            "Empty values that the current key does not open, instead of refusing. Keys that the server needs to "
                + "start are created anew.")
        return Command(
            "key-exchange", "Replace the master key and seal everything again. No server may be running.",
            discussion: """
                All sealed values are sealed again in one change, and nothing stays under the old key: signing keys, \
                mails, client secrets for providers, credentials of mail and push services, secrets of one-time \
                passwords, and the keys from which refresh tokens, phones' tokens and forms are derived. Derivation \
                keys stay the same, so tokens and requests stay valid. If the old key leaked, replace them with \
                --end-derived. Logins that show the QR code for a first phone have to start again.

                The new key gets the file's name. The old key is kept next to it until you delete it, because older \
                backups need it. If the command is interrupted, the next start uses the right key. Signing keys stay \
                the same: after a leak, rotate and revoke them too.
                """,
            options: [
                OptionGroup("Options", [given, endDerived, givingUp, jsonObject]),
                ServerChoices.installationOptions,
            ],
            examples: [
                "use a new key while the server is stopped": "countersign key-exchange --data countersign-data",
                "replace a leaked key": "countersign key-exchange --end-derived",
            ]
        ) { invocation in
            let settings = try ServerChoices(invocation, settings: Setting.storage.settings).settings
            let exchange = try await refusing {
                try await Installation.exchangeMasterKey(
                    settings, given: try invocation[given], endingDerived: try invocation[endDerived],
                    givingUp: try invocation[givingUp], by: .commandLine(invocation), now: SystemClock().now)
            }
            if try invocation[jsonObject] {
                invocation.output.json(exchange.json)
            } else {
                show(exchange, endedDerived: try invocation[endDerived], on: invocation.output)
            }
            return 0
        }
    }

    private static func show(_ exchange: KeyExchange, endedDerived: Bool, on output: Output) {
        if let finished = exchange.finishedInterrupted {
            output.line("\("The interrupted exchange is completed.", .green) Made the \(finished)")
            return output.notes(["Run this again to exchange the key once more."])
        }
        output.line("\("The master key is exchanged.", .green) \(exchange.sealed) values were sealed again.")
        if exchange.emptied > 0 { output.warning("\(exchange.emptied) values could not be opened and were emptied") }
        var steps: [Text] = ["Next:"]
        if let file = exchange.file, let old = exchange.oldFile {
            output.fields([("Master key", Text(file)), ("Old key", Text(old))])
            steps.append("  keep a copy of \(file) apart from the backups, and start the server")
            steps.append("  delete \(old) when no backup needs it any more")
        } else {
            steps.append("  change COUNTERSIGN_MASTER_KEY to the new key, and start the server")
        }
        if endedDerived {
            steps.append(
                "  after a leak: run countersign keys rotate, then revoke every key that is not new, for every tenant")
            steps.append("  replace the secrets at providers, mail servers and push services")
            steps.append("  note the new archive key that countersign log archive prints next")
        }
        output.notes(steps)
    }
}

extension KeyExchange {
    fileprivate var json: JSONValue {
        [
            "sealed": .number(JSONNumber(sealed)), "emptied": .number(JSONNumber(emptied)),
            "ended_logins": .number(JSONNumber(endedLogins)),
            "master_key_file": file.map { .string($0) } ?? .null, "old_key_file": oldFile.map { .string($0) } ?? .null,
            "finished_interrupted": .bool(finishedInterrupted != nil),
        ]
    }
}
