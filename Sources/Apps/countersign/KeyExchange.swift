import AuthorizationCore
import CountersignServer
import Primitives
import Terminal

extension Command {
    static var keyExchange: Command {
        let given = Option<String?>.optional(
            "new-key-file", .path, defaultText: "a new key",
            "A file of mode 0600 with the key to exchange it for: 32 bytes in base64url or hexadecimal.")
        let endDerived = Option<Bool>.flag(
            "end-derived",
            "Also derive with new keys, which ends refresh tokens and what phones were shown, and sign the next archive "
                + "of the audit log with a new key.")
        let givingUp = Option<Bool>.flag(
            "empty-unreadable",
            "Empty values that the present key does not open, instead of refusing. Keys that the server needs to start are "
                + "made anew.")
        let json = Option<Bool>.flag("json", "Print a JSON object.")
        return Command(
            "key-exchange", "Seal everything under another master key, while no server runs.",
            discussion: """
                All that is sealed is sealed anew in one change, and nothing is left under the old key: signing keys, \
                mails, clients' secrets at providers, credentials of mail and push services, secrets of one-time \
                passwords, and the keys that refresh tokens, phones' tokens and forms are derived with. These stay the \
                same, so tokens and requests go on; --end-derived draws new ones, for a key that leaked. Logins that \
                show the QR code of a first phone begin anew.

                The new key takes the file's name, and the old one is kept beside it until you delete it: backups of \
                before need it. If the command is interrupted, the next start goes on with the right one of the two. \
                Signing keys stay the same: after a leak, rotate and revoke them as well.
                """,
            options: [
                OptionGroup(
                    "Options",
                    [given.declaration, endDerived.declaration, givingUp.declaration, json.declaration]),
                ServerChoices.installationOptions,
            ],
            examples: [
                Example("a new key, with the server stopped", "countersign key-exchange --data countersign-data"),
                Example("after the old one leaked", "countersign key-exchange --end-derived"),
            ]
        ) { invocation in
            let settings = try ServerChoices(invocation, settings: Setting.storage.settings).settings
            try requireDatabase(in: settings.dataFolder)
            let exchange = try await refusing {
                try await Installation.exchangeMasterKey(
                    settings, given: try invocation[given], endingDerived: try invocation[endDerived],
                    givingUp: try invocation[givingUp], by: .commandLine(invocation), now: SystemClock().now)
            }
            if try invocation[json] {
                invocation.output.json(exchange.json)
            } else {
                show(exchange, endedDerived: try invocation[endDerived], on: invocation.output)
            }
            return 0
        }
    }

    private static func show(_ exchange: KeyExchange, endedDerived: Bool, on output: Output) {
        if let finished = exchange.finishedInterrupted {
            output.line("\("The exchange that was interrupted is finished.", .green) Made the \(finished)")
            return output.notes(["Call this again to exchange the key once more."])
        }
        output.line("\("The master key is exchanged.", .green) \(exchange.sealed) values are sealed anew.")
        if exchange.emptied > 0 {
            output.warning("\(exchange.emptied) values could not be opened and were given up")
        }
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
                "  after a leak: countersign keys rotate, then revoke each key that is not new, of every tenant")
            steps.append("  change the secrets at providers, mail servers and push services")
            steps.append("  note the key that countersign log archive prints next: it is a new one")
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
