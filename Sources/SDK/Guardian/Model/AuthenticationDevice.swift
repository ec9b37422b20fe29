/// A device that can answer requests: its enrolled key and identifier.
public protocol AuthenticationDevice: Sendable {
    /// The key whose public half was enrolled.
    var signingKey: any SigningKey { get }
    /// `iss` of the answers, as at enrolment.
    var localIdentifier: String { get }
}
