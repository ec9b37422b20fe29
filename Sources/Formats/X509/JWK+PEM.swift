package import JOSE

extension JWK {
    /// Reads `-----BEGIN PUBLIC KEY-----` (RFC 7468 clause 13), or the key of a certificate. Nil for anything else, and
    /// for an unsupported kind or size of key.
    package init?(pem: String) {
        switch PEMBlock(pem) {
        case .some(let block) where block.label == "PUBLIC KEY":
            var reader = DERReader(block.content[...])
            guard let content = try? reader.next(DERReader.Tag.sequence), reader.isAtEnd,
                let key = try? PublicKeyInfo.key(content)
            else { return nil }
            self = key
        case .some(let block) where block.label == Certificate.label:
            guard let key = Certificate(der: block.content)?.publicKey else { return nil }
            self = key
        default: return nil
        }
    }
}
