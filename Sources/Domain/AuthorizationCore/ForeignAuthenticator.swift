package import Primitives

/// An authenticator app of another server, in Auth0's form of `mfa_factors`: `{"totp": {"secret": "BASE32"}}`. `algorithm`,
/// `digits`, `period` and `name` beside the secret are this server's own.
package struct ForeignAuthenticator: Sendable {
    /// Reasons for which factors are not taken.
    package struct Problem: Error, Sendable, Equatable {
        /// Place within the list, such as `[0].totp`. Empty for the list.
        package let path: String
        package let message: String
        /// True for a factor that this server has not, and false for one of an odd shape.
        package var isUnsupported = false
    }

    package let password: TimedPassword
    package let name: String?

    package init(_ password: TimedPassword, named name: String? = nil) {
        self.password = password
        self.name = name
    }

    /// Other factors than `totp` are refused: without them the person would have a password alone.
    package static func list(_ factors: JSONValue) throws(Problem) -> [ForeignAuthenticator] {
        guard let factors = factors.arrayValue, factors.count <= Authenticator.limit else {
            throw Problem(path: "", message: "must be a list of at most \(Authenticator.limit) factors")
        }
        var authenticators: [ForeignAuthenticator] = []
        for (index, factor) in factors.enumerated() {
            let path = "[\(index)]"
            guard let factor = factor.objectValue, factor.members.count == 1,
                let (kind, value) = factor.members.first.map({ ($0.name, $0.value) })
            else { throw Problem(path: path, message: "must be an object with one member") }
            guard kind == "totp" else {
                throw Problem(
                    path: ["phone", "email"].contains(kind) ? "\(path).\(kind)" : path,
                    message:
                        "is no factor here: leave it out, and the person adds a phone by a link or at the next login",
                    isUnsupported: true)
            }
            let read = try ForeignAuthenticator(value, at: "\(path).totp")
            // The same app of two realms, or a list that was joined twice: one code must not count twice.
            if !authenticators.contains(where: { $0.password.stored == read.password.stored }) {
                authenticators.append(read)
            }
        }
        return authenticators
    }

    private static let known = ["secret", "algorithm", "digits", "period", "name"]

    private init(_ value: JSONValue, at path: String) throws(Problem) {
        guard let totp = value.objectValue else { throw Problem(path: path, message: "must be an object") }
        guard totp.allSatisfy({ Self.known.contains($0.name) }) else {
            throw Problem(path: path, message: "has an unknown member; it knows \(Self.known.joined(separator: ", "))")
        }
        func number(_ name: String, _ preset: Int) throws(Problem) -> Int {
            guard let value = totp[name] else { return preset }
            guard let number = value.intValue else {
                throw Problem(path: "\(path).\(name)", message: "must be a whole number")
            }
            return number
        }
        guard let secret = totp["secret"]?.stringValue else {
            throw Problem(path: "\(path).secret", message: "must be a text in Base32")
        }
        guard let algorithm = HashAlgorithm(rawValue: totp["algorithm"].map { $0.stringValue ?? "" } ?? "sha1") else {
            throw Problem(path: "\(path).algorithm", message: "must be sha1, sha256 or sha512")
        }
        name = totp["name"]?.stringValue
        guard totp["name"] == nil || name.map(Authenticator.isName) == true else {
            throw Problem(
                path: "\(path).name", message: "must be a text of 1 to 128 characters without control characters")
        }
        let (digits, period) = (try number("digits", 6), try number("period", 30))
        do throws(TimedPassword.Problem) {
            password = try TimedPassword(base32: secret, algorithm: algorithm, digits: digits, period: period)
        } catch {
            throw Problem(path: path, message: error.message)
        }
    }
}
