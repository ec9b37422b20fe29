/// Certificates of a TLS client, DER.
public struct ClientCertificate: Sendable, Equatable {
    /// The client's own.
    public let leaf: [UInt8]
    /// Those of the authorities that vouch for it, as far as they were sent.
    public let issuers: [[UInt8]]

    public init(leaf: [UInt8], issuers: [[UInt8]] = []) {
        self.leaf = leaf
        self.issuers = issuers
    }

    public var chain: [[UInt8]] { [leaf] + issuers }
}
