/// Files with keys and certificates (RFC 7292), without encryption or a MAC.
enum ForgedPKCS12 {
    private static let data = DER.name([1, 2, 840, 113_549, 1, 7, 1])
    private static let signedData = DER.name([1, 2, 840, 113_549, 1, 7, 2])

    private static func content(_ type: [UInt8], _ content: [UInt8]) -> [UInt8] {
        DER.sequence(type, DER.tagged(0, content))
    }

    static func file(_ bags: [[UInt8]]) -> [UInt8] {
        file(part: content(data, DER.octets(DER.element(0x30, bags))))
    }

    private static func file(part: [UInt8]) -> [UInt8] {
        DER.sequence(DER.integer([3]), content(data, DER.octets(DER.sequence(part))))
    }

    /// Files whose content, or a part of it, is signed (RFC 2315 clause 9.1), so that it has certificates of its own.
    static func signedFiles(_ certificate: [UInt8]) -> [[UInt8]] {
        let signed = content(
            signedData,
            DER.sequence(
                DER.integer([1]), DER.element(0x31, []), content(data, DER.octets([])), DER.tagged(0, certificate),
                DER.element(0x31, [])))
        return [file(part: signed), DER.sequence(DER.integer([3]), signed)]
    }

    static func bag(key: ForgedKey) -> [UInt8] {
        DER.sequence(DER.name([1, 2, 840, 113_549, 1, 12, 10, 1, 1]), DER.tagged(0, key.info))
    }

    static func bag(certificate: [UInt8]) -> [UInt8] {
        let certificate = DER.sequence(
            DER.name([1, 2, 840, 113_549, 1, 9, 22, 1]), DER.tagged(0, DER.octets(certificate)))
        return DER.sequence(DER.name([1, 2, 840, 113_549, 1, 12, 10, 1, 3]), DER.tagged(0, certificate))
    }

    /// A certificate (RFC 5280 clause 4.1) of any public key. Its signature is wrong.
    static func certificate(
        algorithm: [UInt8] = ForgedKey.rsaAlgorithm, key: [UInt8], commonName: String = "forged"
    ) -> [UInt8] {
        let signature = DER.sequence(DER.name([1, 2, 840, 113_549, 1, 1, 11]), [5, 0])
        let attribute = DER.sequence(DER.name([2, 5, 4, 3]), DER.element(0x0C, [Array(commonName.utf8)]))
        let name = DER.sequence(DER.element(0x31, [attribute]))
        let time = DER.element(0x17, [Array("260101000000Z".utf8)])
        let body = DER.sequence(
            DER.tagged(0, DER.integer([2])), DER.integer([7]), signature, name, DER.sequence(time, time), name,
            DER.sequence(algorithm, DER.bits(key)))
        return DER.sequence(body, signature, DER.bits([1]))
    }

    /// A certificate of a public RSA key (RFC 8017 appendix A.1.1).
    static func certificate(rsaBits: Int, exponent: [UInt8] = [1, 0, 1], commonName: String = "forged") -> [UInt8] {
        certificate(
            key: DER.sequence(DER.integer(ForgedKey.number(bits: rsaBits)), DER.integer(exponent)),
            commonName: commonName)
    }
}
