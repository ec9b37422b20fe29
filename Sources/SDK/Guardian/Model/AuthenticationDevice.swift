/// A device that may answer: anything that has the enrolled key and the identifier it enrolled with.
public protocol AuthenticationDevice: Sendable {
    var signingKey: any SigningKey { get }
    var localIdentifier: String { get }
}
