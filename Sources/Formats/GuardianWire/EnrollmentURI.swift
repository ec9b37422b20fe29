import Primitives

/// The `otpauth://totp/…` URI of an enrolment QR code. Both Guardian SDKs read only the ticket from it; authenticator
/// apps read the rest.
package struct EnrollmentURI: Sendable, Equatable {
    package enum Failure: Error, Sendable, Equatable {
        case notAnOTPAuthURI
        /// The type is not `totp`.
        case type
        /// A broken percent escape, or a repeated parameter.
        case malformed
        case missingTransactionID
        case invalid(parameter: String)
    }

    /// The enrolment ticket: `enrollment_tx_id`.
    package var transactionID: String
    /// The server's public base, for apps that take it from the code.
    package var baseURL: String?
    package var issuer: String?
    package var account: String?
    /// Id of the device account to enrol.
    package var id: String?
    /// Base32, without padding.
    package var secret: String?
    package var algorithm: String?
    package var digits: Int?
    package var counter: Int?
    /// In seconds.
    package var period: Int?

    package init(
        transactionID: String, baseURL: String? = nil, issuer: String? = nil, account: String? = nil,
        totp: TOTPParameters? = nil
    ) {
        self.transactionID = transactionID
        self.baseURL = baseURL
        self.issuer = issuer
        self.account = account
        secret = totp?.secret
        algorithm = totp?.algorithm.rawValue
        digits = totp?.digits
        period = totp?.period
    }

    package init(parsing text: String) throws(Failure) {
        let prefix = "otpauth://"
        guard text.hasPrefix(prefix) else { throw .notAnOTPAuthURI }
        let rest = text.dropFirst(prefix.count).prefix { $0 != "#" }
        let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let path = parts[0].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard path[0].lowercased() == "totp" else { throw .type }
        let values = try Self.parameters(parts.count > 1 ? parts[1] : "")
        guard let transactionID = values["enrollment_tx_id"], !transactionID.isEmpty else {
            throw .missingTransactionID
        }
        self.transactionID = transactionID
        baseURL = values["base_url"]
        issuer = values["issuer"].flatMap { $0.isEmpty ? nil : $0 }
        id = values["id"]
        secret = values["secret"]
        algorithm = values["algorithm"]
        digits = try Self.number("digits", in: values)
        counter = try Self.number("counter", in: values)
        period = try Self.number("period", in: values)
        let label = try Self.label(path.count > 1 ? path[1] : "")
        account = label.account.flatMap { $0.isEmpty ? nil : $0 }
        if issuer == nil, !label.issuer.isEmpty { issuer = label.issuer }
    }

    /// `issuer:account`. Some programs write the colon as `%3A`, which separates if there is no plain one.
    private static func label(_ text: Substring) throws(Failure) -> (issuer: String, account: String?) {
        guard let decoded = PercentEncoding.decode(text.utf8) else { throw .malformed }
        let halves = (text.contains(":") ? String(text) : decoded)
            .split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard text.contains(":") else { return (String(halves[0]), halves.count > 1 ? String(halves[1]) : nil) }
        return (PercentEncoding.decode(halves[0].utf8) ?? "", PercentEncoding.decode(halves[1].utf8))
    }

    private static func parameters(_ query: Substring) throws(Failure) -> [String: String] {
        var values: [String: String] = [:]
        for pair in query.split(separator: "&") {
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            // A plus sign stays a plus sign: this is a URI's query, not a form (RFC 3986 clause 3.4).
            guard let name = PercentEncoding.decode(halves[0].utf8), values[name] == nil,
                let value = PercentEncoding.decode((halves.count > 1 ? halves[1] : "").utf8)
            else { throw .malformed }
            values[name] = value
        }
        return values
    }

    private static func number(_ name: String, in values: [String: String]) throws(Failure) -> Int? {
        guard let text = values[name] else { return nil }
        guard let number = Int(text), number >= 0 else { throw .invalid(parameter: name) }
        return number
    }

    /// TOTP parameters if the URI has a secret. Algorithm, digits and period default to SHA-1, 6 and 30 seconds.
    package var totp: TOTPParameters? {
        guard let secret else { return nil }
        let algorithm = algorithm.map { HashAlgorithm(rawValue: $0.lowercased()) } ?? .sha1
        guard let algorithm else { return nil }
        return try? TOTPParameters(secret: secret, algorithm: algorithm, digits: digits ?? 6, period: period ?? 30)
    }

    /// A link that enrols the browser which opens it. The ticket is in the fragment, which no server sees.
    package func link(toApprover url: String) -> String {
        let account = account.map { "&account=\(PercentEncoding.encode($0))" } ?? ""
        return "\(url)#enroll=\(PercentEncoding.encode(transactionID))\(account)"
    }

    /// The URI, with its parameters in the order of Auth0's widget. Without a secret, the label alone names the issuer,
    /// as in Auth0's URIs: phones read neither, and the code is smaller.
    package var text: String {
        // With a plain colon even without an account, so that one within the issuer does not separate.
        let label = [issuer ?? "", account ?? ""].map { PercentEncoding.encode($0) }
        let parameters: [(String, String?)] = [
            ("secret", secret), ("enrollment_tx_id", transactionID), ("issuer", secret == nil ? nil : issuer),
            ("id", id), ("base_url", baseURL), ("algorithm", algorithm), ("digits", digits.map(String.init)),
            ("counter", counter.map(String.init)), ("period", period.map(String.init)),
        ]
        let query = parameters.compactMap { name, value in value.map { "\(name)=\(PercentEncoding.encode($0))" } }
        return "otpauth://totp/\(label.joined(separator: ":"))?\(query.joined(separator: "&"))"
    }
}
