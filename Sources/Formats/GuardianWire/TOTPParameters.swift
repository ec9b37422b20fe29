package import Primitives

/// Parameters of one-time passwords (RFC 6238), in the member names of Guardian.
package struct TOTPParameters: Sendable, Hashable {
    /// Base32 (RFC 4648 clause 6).
    package let secret: String
    package let algorithm: HashAlgorithm
    /// `6...8` (RFC 4226 clause 5.3).
    package let digits: Int
    /// `1...3600 seconds`.
    package let period: Int

    package init(
        secret: String, algorithm: HashAlgorithm = .sha1, digits: Int = 6, period: Int = 30
    ) throws(GuardianWireFailure) {
        guard let key = Base32.decode(secret), !key.isEmpty else { throw .invalid("totp.secret", expected: "Base32") }
        guard algorithm != .sha384 else { throw .invalid("totp.algorithm", expected: "sha1, sha256 or sha512") }
        guard (6...8).contains(digits) else { throw .invalid("totp.digits", expected: "6, 7 or 8") }
        guard (1...3600).contains(period) else { throw .invalid("totp.period", expected: "1 to 3600") }
        self.secret = secret
        self.algorithm = algorithm
        self.digits = digits
        self.period = period
    }

    init(_ members: Members) throws(GuardianWireFailure) {
        guard let algorithm = HashAlgorithm(rawValue: try members.string("algorithm").lowercased()) else {
            throw .invalid(members.name("algorithm"), expected: "sha1, sha256 or sha512")
        }
        try self.init(
            secret: try members.string("secret"), algorithm: algorithm, digits: try members.whole("digits"),
            period: try members.whole("period"))
    }

    func write(to writer: inout JSONWriter) {
        writer.member("secret", secret)
        // Guardian.swift decodes the lower-case names only.
        writer.member("algorithm", algorithm.rawValue)
        writer.member("digits", digits)
        writer.member("period", period)
    }
}
