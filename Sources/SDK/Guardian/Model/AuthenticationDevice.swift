/// A device that can answer requests: its enrolled key and identifier.
public protocol AuthenticationDevice: Sendable {
    var signingKey: any SigningKey { get }
    var localIdentifier: String { get }
}
