package import CountersignClient
package import Files
import PlatformFoundation
import Primitives

/// The gate's own folder: its server and client, the rules, and the pending calls. Nothing else decides about a prompt: no
/// variable, no working folder, no file of a project.
package struct GateFolder: Sendable {
    package let path: String
    package var configurationFile: String { "\(path)/gate.json" }
    package var rulesFile: String { "\(path)/rules.json" }
    package var installedFile: String { "\(path)/installed.json" }

    package init(_ path: String) { self.path = path }

    package func make() throws {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try check()
    }

    /// - Throws: `FileFailure` if somebody else could put files there.
    package func check() throws(FileFailure) { try Self.check(path) }

    private static func check(_ path: String) throws(FileFailure) {
        var status = stat()
        guard stat(path, &status) == 0 else { throw FileFailure("cannot look at \(path)") }
        guard [0, geteuid()].contains(status.st_uid), status.st_mode & 0o022 == 0 else {
            throw FileFailure("\(path): others may write it; own it, and run: chmod go-w \(path)", number: 0)
        }
    }

    package func pending() throws -> PendingCalls { try PendingCalls(folder: "\(path)/pending") }

    /// No file means no rules. One that others may write is refused.
    package func rules() throws -> GateRules {
        guard PrivateFile.exists(rulesFile) else { return GateRules() }
        try Self.check(rulesFile)
        let bytes = try PrivateFile.readPublic(rulesFile)
        do throws(GateRules.Failure) { return try GateRules(bytes, own: path) } catch {
            throw FileFailure("\(rulesFile) \(error.problem)", number: 0)
        }
    }
}

/// The server, client and person of `gate.json`, which `install` writes.
package struct GateConfiguration: Sendable {
    package static let expiryRange: ClosedRange<Duration> = .seconds(30) ... .seconds(259_200)

    package let issuer: String
    package let clientID: String
    package let clientSecret: String?
    /// A private key in PEM.
    package let clientKey: String?
    package let clientKeyID: String?
    /// The authorities to trust, in PEM. Nil means the system's.
    package let authorities: String?
    package let user: String
    package let audience: String
    package let expiry: Duration
    /// True if the agent's own screen asks when the server cannot be reached.
    package let leavesToTerminal: Bool

    package init(
        issuer: String, clientID: String, clientSecret: String?, clientKey: String?, clientKeyID: String?,
        authorities: String?, user: String, audience: String, expiry: Duration, leavesToTerminal: Bool
    ) {
        (self.issuer, self.clientID, self.clientSecret) = (issuer, clientID, clientSecret)
        (self.clientKey, self.clientKeyID, self.authorities) = (clientKey, clientKeyID, authorities)
        (self.user, self.audience, self.expiry) = (user, audience, expiry)
        self.leavesToTerminal = leavesToTerminal
    }

    /// - Throws: `FileFailure`, which says what to do.
    package init(reading folder: GateFolder) throws(FileFailure) {
        let file = folder.configurationFile
        guard PrivateFile.exists(file) else {
            throw FileFailure("\(file) is missing; run: countersign gate install", number: 0)
        }
        let json = try? JSONReader.parse(try PrivateFile.readSecret(file).bytes)
        guard let json, let issuer = json["issuer"]?.stringValue, let clientID = json["client_id"]?.stringValue,
            let user = json["user"]?.stringValue, let audience = json["audience"]?.stringValue,
            let seconds = json["expires"]?.intValue, let unreachable = json["unreachable"]?.stringValue,
            Self.expiryRange.contains(.seconds(seconds))
        else { throw FileFailure("\(file) was not written by countersign gate install", number: 0) }
        self.init(
            issuer: issuer, clientID: clientID, clientSecret: json["client_secret"]?.stringValue,
            clientKey: json["client_key"]?.stringValue, clientKeyID: json["client_key_id"]?.stringValue,
            authorities: json["ca"]?.stringValue, user: user, audience: audience, expiry: .seconds(seconds),
            leavesToTerminal: unreachable == "ask")
    }

    package func write(to folder: GateFolder) throws {
        var json: JSONObject = [
            "issuer": .string(issuer), "client_id": .string(clientID), "user": .string(user),
            "audience": .string(audience), "expires": JSONValue(expiry.components.seconds),
            "unreachable": leavesToTerminal ? "ask" : "deny",
        ]
        json["client_secret"] = clientSecret.map(JSONValue.string)
        json["client_key"] = clientKey.map(JSONValue.string)
        json["client_key_id"] = clientKeyID.map(JSONValue.string)
        json["ca"] = authorities.map(JSONValue.string)
        let text = JSONWriter.lines(.object(json)).joined(separator: "\n") + "\n"
        try PrivateFile.store(SecretBytes(utf8: text), to: folder.configurationFile)
    }

    package func gatekeeper(pending: PendingCalls) throws(CountersignError) -> Gatekeeper {
        guard let url = URL(string: issuer) else { throw .invalidRequest("the issuer \(issuer) is not a URL") }
        let authentication: ClientAuthentication
        if let clientKey {
            authentication = try .privateKey(pem: Data(clientKey.utf8), keyID: clientKeyID)
        } else {
            authentication = .secretPost(clientSecret ?? "")
        }
        return try Gatekeeper(
            issuer: url, clientID: clientID, authentication: authentication,
            terms: Gatekeeper.Terms(user: user, audience: audience, expiry: expiry), pending: pending,
            environment: .system(trust: authorities.map { .certificates(pem: Data($0.utf8)) } ?? .system))
    }
}
