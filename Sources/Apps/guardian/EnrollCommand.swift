import Foundation
import Guardian
import GuardianWire
import Primitives
import Terminal

enum KeyKind: String, CaseIterable, Sendable {
    case p256, rsa

    func make() throws -> (key: any SigningKey, data: Data) {
        switch self {
        case .p256:
            let key = try P256PrivateKey.new()
            return (key, try key.data)
        case .rsa:
            let key = try DataRSAPrivateKey.new()
            return (key, try key.data)
        }
    }
}

func enrollCommand(_ connect: @escaping Connect) -> Command {
    let code = Option.argument("URI", .string, "The text of the enrolment's QR code, or the ticket alone.")
    let domain = Option.optional(
        "domain", .string.placeholder("DOMAIN"), defaultText: "the one in the URI", "The server's domain or URL.")
    let name = Option.optional(
        "name", .string.placeholder("NAME"), defaultText: "guardian on HOST", "What you call this phone.")
    let key = Option.defaulted(
        "key", .choice(of: KeyKind.self), to: .p256, "The kind of key; rsa is for servers that know nothing else.")
    let options = [code.declaration, domain.declaration, name.declaration, key.declaration]
    let common = [Options.store.declaration, Options.ca.declaration, Options.json.declaration]
    return Command(
        "enroll", "Enrol this phone.", options: [OptionGroup("Enrolment", options + common)],
        examples: [Command.Example("Enrol", "guardian enroll 'otpauth://totp/…' --name 'My laptop'")]
    ) { invocation in
        let text = try invocation[code]
        let uri = try? EnrollmentURI(parsing: text)
        guard let domain = try invocation[domain] ?? uri?.baseURL else {
            throw UsageError("--domain is required: the code does not name its server")
        }
        let store = try invocation.store()
        // Before the ticket is used up: a key that cannot be kept would be lost with it.
        try store.update { _ in }
        let name = try invocation[name] ?? "guardian on \(ProcessInfo.processInfo.hostName)"
        let (signingKey, data) = try invocation[key].make()
        let device = try await explaining {
            try await Guardian.enroll(
                forDomain: domain, usingTicket: uri?.transactionID ?? text, notificationToken: nil,
                signingKey: signingKey, verificationKey: try signingKey.verificationKey(), deviceName: name,
                configuration: connect(try invocation[Options.ca])
            ).start()
        }
        try store.update { devices in
            devices.append(
                StoredDevice(
                    id: device.id, domain: domain, userID: device.userId, name: name,
                    localIdentifier: device.localIdentifier, issuer: device.issuer ?? domain, token: device.deviceToken,
                    algorithm: signingKey.algorithm.rawValue, key: data, totp: device.totp))
        }
        if try invocation[Options.json] {
            invocation.output.json(["id": .string(device.id), "user_id": .string(device.userId)])
        } else {
            invocation.output.line("\("enrolled", .green) \(device.id) for \(device.userId) at \(domain)")
        }
        return 0
    }
}
