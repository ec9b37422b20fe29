/// Certificates of a TLS client, DER.
package struct ClientCertificate: Sendable, Equatable {
    /// The client's own.
    package let leaf: [UInt8]
    /// Those of the authorities that vouch for it, as far as they were sent.
    package let issuers: [[UInt8]]

    package init(leaf: [UInt8], issuers: [[UInt8]] = []) {
        self.leaf = leaf
        self.issuers = issuers
    }

    package var chain: [[UInt8]] { [leaf] + issuers }
}
