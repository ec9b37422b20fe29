/// Who takes part: applied to the server and enrolled once.
struct World {
    let agent: Agent
    /// One for each slot of whole flows.
    let phones: [Phone]
    /// One for each chain of waiting clients.
    let waitPhones: [Phone]
    /// Users with a phone that is switched off: their requests stay pending.
    let sleepers: [String]

    static func agent(host: String) -> Agent {
        Agent(host: host, clientID: Tenancy.clientID, secret: Tenancy.secret, audience: Tenancy.audience)
    }

    init(server: ServerUnderTest, folder: String, parts: Set<Options.Part>) throws {
        let flowing = (0..<(parts.contains(.flows) ? 64 : 0)).map { Tenancy.user("flow", $0) }
        let waiting = (0..<(parts.contains(.wait) ? 10 : 0)).map { Tenancy.user("wait", $0) }
        sleepers = (0..<16).map { Tenancy.user("sleep", $0) }
        agent = Self.agent(host: server.host)
        progress("setting up \(flowing.count + waiting.count + sleepers.count) users with phones")
        let file = "\(folder)/tenancy.json"
        try writeFile(file, Tenancy.document(host: server.host, users: flowing + waiting + sleepers))
        _ = try server.command(["apply", file], folder: folder)
        try server.waitUntilServed()
        func enroll(_ user: String) throws -> Phone {
            let text = try server.command(["device", "ticket", "--user", user], folder: folder)
            guard let uri = text.split(whereSeparator: { $0 == "\n" || $0 == " " }).first(where: { $0.hasPrefix("otpauth://") })
            else { throw Failure("device ticket printed no otpauth URI: \(text)") }
            return try Phone(uri: String(uri), server: server)
        }
        phones = try flowing.map(enroll)
        waitPhones = try waiting.map(enroll)
        for user in sleepers { _ = try enroll(user) }
    }
}
