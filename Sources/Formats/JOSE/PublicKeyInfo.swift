/// Public keys as certificates have them (RFC 5280 clause 4.1.2.7).
package enum PublicKeyInfo {
    private static let rsa = "1.2.840.113549.1.1.1"
    private static let ec = "1.2.840.10045.2.1"
    private static let ed25519 = "1.3.101.112"
    private static let curves: [String: JWK.Curve] = ["1.2.840.10045.3.1.7": .p256, "1.3.132.0.34": .p384]

    /// Key of a certificate (RFC 5280 clause 4.1), of which nothing else is read. Nil for other bytes, and for a kind or
    /// size of key that `JWK` does not support.
    static func key(ofCertificate der: [UInt8]) -> JWK? {
        func read() throws(DERReader.Failure) -> JWK? {
            var file = DERReader(der[...])
            var certificate = try file.sequence()
            try file.end()
            var body = try certificate.sequence()
            _ = try body.nextIfPresent(DERReader.Tag.constructed(0))
            _ = try body.next(DERReader.Tag.integer)
            // Algorithm, issuer, validity and subject.
            for _ in 0..<4 { _ = try body.next(DERReader.Tag.sequence) }
            return try key(try body.next(DERReader.Tag.sequence))
        }
        return (try? read()) ?? nil
    }

    /// Nil for a kind or size of key that `JWK` does not support.
    package static func key(_ content: ArraySlice<UInt8>) throws(DERReader.Failure) -> JWK? {
        var reader = DERReader(content)
        var algorithm = try reader.sequence()
        let name = try algorithm.objectIdentifier()
        let bits = try reader.bytesOfBitString()
        try reader.end()
        let material: JWK.Material
        switch name {
        case rsa:
            var key = DERReader(bits)
            var numbers = try key.sequence()
            try key.end()
            material = .rsa(n: try numbers.unsignedInteger(), e: try numbers.unsignedInteger())
            try numbers.end()
        case ec:
            guard algorithm.nextTag == DERReader.Tag.objectIdentifier,
                let curve = curves[try algorithm.objectIdentifier()]
            else { return nil }
            // Only uncompressed points (RFC 5480 clause 2.2).
            let size = curve.coordinateSize
            guard bits.first == 4, bits.count == 1 + 2 * size else { return nil }
            material = .ec(curve: curve, x: Array(bits.dropFirst().prefix(size)), y: Array(bits.suffix(size)))
        case ed25519: material = .okp(x: Array(bits))
        default: return nil
        }
        // Read back, so that the limits of keys in JSON apply.
        return try? JWK(JWK(material: material).json)
    }
}
