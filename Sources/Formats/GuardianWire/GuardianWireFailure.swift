/// Why a Guardian message could not be read. The text names members only, never their values: some are secrets.
package enum GuardianWireFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// The bytes are no JSON (RFC 8259).
    case notJSON
    case missing(String)
    /// The member, by its path from the outermost object, is not what it must be.
    case invalid(String, expected: String)

    package var description: String {
        switch self {
        case .notJSON: "the body is not valid JSON"
        case .missing(let name): "\(name) is required"
        case .invalid(let name, let expected): "\(name) must be \(expected)"
        }
    }
}
