/// Certificates of a TLS client, DER.
package struct ClientCertificate: Sendable, Equatable {
    /// The client's own certificate.
    package let leaf: [UInt8]
    /// Certificates of its issuers, as far as sent.
    package let issuers: [[UInt8]]

    package init(leaf: [UInt8], issuers: [[UInt8]] = []) {
        self.leaf = leaf
        self.issuers = issuers
    }

    package var chain: [[UInt8]] { [leaf] + issuers }
}
