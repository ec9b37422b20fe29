import Foundation
import Guardian
import GuardianWire
import Primitives
import Terminal

enum KeyKind: String, CaseIterable, Sendable {
    case p256, rsa

    func make() throws -> any SigningKey {
        switch self {
        case .p256: try P256PrivateKey.new()
        case .rsa: try DataRSAPrivateKey.new()
        }
    }
}

/// The ticket in the given text, and the server if the text names one.
private func enrollment(in typed: String) throws(UsageError) -> (ticket: String, server: String?) {
    // People type a ticket in the groups of four that its page shows.
    let groups = typed.split(whereSeparator: \.isWhitespace)
    let isInGroups = groups.count > 1 && groups.dropLast().allSatisfy { $0.count == 4 } && groups.allSatisfy(isTicket)
    let text = isInGroups ? groups.joined() : typed
    if let uri = try? EnrollmentURI(parsing: text) { return (uri.transactionID, uri.baseURL) }
    if isTicket(text) { return (text, nil) }
    for link in [approverLink, pageLink] where text.hasPrefix("https://") {
        guard let range = text.firstRange(of: link) else { continue }
        // The account's name may follow.
        let ticket = text[range.upperBound...].prefix { $0 != "&" && $0 != "#" }
        if isTicket(ticket) { return (String(ticket), String(text[..<range.lowerBound])) }
    }
    throw UsageError(
        "URI \(problem(of: text))", hint: "give the whole code in quotes: guardian enroll 'otpauth://totp/…'")
}

/// The part of a web app's enrolment link between its server and its ticket.
private let approverLink = "/approver#enroll="
/// The same of the page that shows the QR code, to which mails link.
private let pageLink = "/guardian/enroll?ticket="

private func isTicket(_ text: some StringProtocol) -> Bool {
    !text.isEmpty
        && text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
            default: false
            }
        }
}

private func problem(of text: String) -> String {
    if text.hasPrefix("https://") || text.hasPrefix("http://") {
        return "is the address of a page: open it, and give the text of the code that it shows"
    }
    do {
        _ = try EnrollmentURI(parsing: text)
    } catch {
        switch error {
        case .notAnOTPAuthURI: break
        case .type: return "is a code of another type than totp, and enrols no phone"
        case .malformed: return "is damaged: a percent escape is broken, or a parameter is repeated"
        case .missingTransactionID: return "has no enrollment_tx_id: it is for an authenticator app, or was cut off"
        case .invalid(let parameter): return "has a \(parameter) that is not a number"
        }
    }
    return "is neither the text of an enrolment's QR code nor a ticket"
}

func enrollCommand(_ connect: @escaping Connect) -> Command {
    let code = Option.argument(
        "URI", .string,
        "The text of the enrolment's QR code, the link of a mail or of the web app, or the ticket alone.")
    let domain = Option.optional(
        "domain", .string.placeholder("DOMAIN"), defaultText: "the one in the URI", "The server's domain or URL.")
    let name = Option.optional(
        "name", .string.placeholder("NAME"), defaultText: "guardian on HOST", "Name of this phone.")
    let key = Option.defaulted(
        "key", .choice(of: KeyKind.self), to: .p256, "Kind of key. rsa is for servers that support nothing else.")
    return Command(
        "enroll", "Enrol this phone.",
        options: [OptionGroup("Enrolment", [code, domain, name, key, Options.store, Options.ca, Options.json])],
        examples: ["enrol under a name of your choice": "guardian enroll 'otpauth://totp/…' --name 'My laptop'"]
    ) { invocation in
        let text = try invocation[code]
        let (ticket, server) = try enrollment(in: text)
        guard let domain = try invocation[domain] ?? server else {
            throw UsageError(
                "--domain is required: \(text.hasPrefix("otpauth:") ? "the code" : "a ticket alone") does not name its server"
            )
        }
        let store = try invocation.store()
        // Before the ticket is used up: a key that cannot be kept would be lost with it.
        try await explaining { try await store.checkWritable() }
        let name = try invocation[name] ?? "guardian on \(ProcessInfo.processInfo.hostName)"
        let signingKey = try invocation[key].make()
        let device = try await explaining {
            let device = try await Guardian.enroll(
                forDomain: domain, usingTicket: ticket, notificationToken: nil,
                signingKey: signingKey, verificationKey: try signingKey.verificationKey(), deviceName: name,
                configuration: connect(try invocation[Options.ca])
            ).start()
            try await store.save(device)
            return device
        }
        if try invocation[Options.json] {
            invocation.output.json(["id": .string(device.id), "user_id": .string(device.userId)])
        } else {
            invocation.output.line("\("enrolled", .green) \(device.id) for \(device.userId) at \(domain)")
        }
        return 0
    }
}
