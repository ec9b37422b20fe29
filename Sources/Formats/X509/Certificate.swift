package import JOSE
package import Primitives

/// Contents of a certificate (RFC 5280). Reading does not verify its signature.
package struct Certificate: Sendable, Equatable {
    static let label = "CERTIFICATE"

    package let subject: DistinguishedName
    /// The subject's alternative DNS names (clause 4.2.1.6).
    package let dnsNames: [String]
    package let uris: [String]
    package let emails: [String]
    package let addresses: [IPAddress]
    package let notBefore: Timestamp
    /// Last second of validity.
    package let notAfter: Timestamp
    /// Nil for an unsupported kind or size of key.
    package let publicKey: JWK?
    package let der: [UInt8]

    /// Nil if `der` is no certificate.
    package init?(der: [UInt8]) { do throws(DERReader.Failure) { try self.init(reading: der) } catch { return nil } }

    /// Reads one `-----BEGIN CERTIFICATE-----`. Nil for anything else, and for several.
    package init?(pem: String) {
        guard let block = PEMBlock(pem), block.label == Self.label else { return nil }
        self.init(der: block.content)
    }

    /// `-----BEGIN CERTIFICATE-----` with lines of 64 characters (RFC 7468 clause 2).
    package var pem: String {
        let text = Array(Base64.encode(der).utf8)
        let lines = stride(from: 0, to: text.count, by: 64).map { start in
            String(decoding: text[start..<min(start + 64, text.count)], as: UTF8.self)
        }
        return (["-----BEGIN \(Self.label)-----"] + lines + ["-----END \(Self.label)-----", ""]).joined(separator: "\n")
    }

    package func isValid(at moment: Timestamp) -> Bool { notBefore <= moment && moment.seconds <= notAfter.seconds }

    private init(reading der: [UInt8]) throws(DERReader.Failure) {
        var file = DERReader(der[...])
        var certificate = try file.sequence()
        try file.end()
        var body = try certificate.sequence()
        _ = try certificate.next(DERReader.Tag.sequence)
        _ = try certificate.bytesOfBitString()
        try certificate.end()

        _ = try body.nextIfPresent(DERReader.Tag.constructed(0))
        _ = try body.next(DERReader.Tag.integer)
        _ = try body.next(DERReader.Tag.sequence)
        _ = try body.next(DERReader.Tag.sequence)
        var validity = try body.sequence()
        notBefore = try Self.time(&validity)
        notAfter = try Self.time(&validity)
        subject = try DistinguishedName(try body.next(DERReader.Tag.sequence))
        publicKey = try PublicKeyInfo.key(try body.next(DERReader.Tag.sequence))
        for number: UInt8 in [1, 2] { _ = try body.nextIfPresent(DERReader.Tag.primitive(number)) }
        var names = AlternativeNames()
        if let wrapped = try body.nextIfPresent(DERReader.Tag.constructed(3)) {
            var reader = DERReader(wrapped)
            var extensions = try reader.sequence()
            while !extensions.isAtEnd {
                var entry = try extensions.sequence()
                let name = try entry.objectIdentifier()
                _ = try entry.nextIfPresent(DERReader.Tag.boolean)
                let content = try entry.next(DERReader.Tag.octetString)
                if name == AlternativeNames.identifier { try names.read(content) }
            }
        }
        try body.end()
        dnsNames = names.dns
        uris = names.uris
        emails = names.emails
        addresses = names.addresses
        self.der = der
    }

    private struct AlternativeNames {
        static let identifier = "2.5.29.17"

        var dns: [String] = []
        var uris: [String] = []
        var emails: [String] = []
        var addresses: [IPAddress] = []

        /// Skips names of other kinds.
        mutating func read(_ content: ArraySlice<UInt8>) throws(DERReader.Failure) {
            var reader = DERReader(content)
            var names = try reader.sequence()
            try reader.end()
            while !names.isAtEnd {
                let name = try names.next()
                let text =
                    name.content.allSatisfy { (0x20...0x7E).contains($0) }
                    ? String(decoding: name.content, as: UTF8.self) : nil
                switch name.tag {
                case DERReader.Tag.primitive(1): if let text { emails.append(text) }
                case DERReader.Tag.primitive(2): if let text { dns.append(text) }
                case DERReader.Tag.primitive(6): if let text { uris.append(text) }
                case DERReader.Tag.primitive(7):
                    if let address = IPAddress(bytes: Array(name.content)) { addresses.append(address) }
                default: break
                }
            }
        }
    }

    /// UTCTime up to 2049, GeneralizedTime after (clause 4.1.2.5): both in whole seconds of UTC.
    private static func time(_ reader: inout DERReader) throws(DERReader.Failure) -> Timestamp {
        let element = try reader.next()
        let digits = element.content.dropLast()
        let yearLength = element.tag == DERReader.Tag.utcTime ? 2 : 4
        guard element.tag == DERReader.Tag.utcTime || element.tag == DERReader.Tag.generalizedTime,
            element.content.last == UInt8(ascii: "Z"), digits.count == yearLength + 10,
            digits.allSatisfy({ (0x30...0x39).contains($0) })
        else { throw DERReader.Failure() }
        var text = String(decoding: digits, as: UTF8.self)[...]
        func take(_ count: Int) -> Substring {
            defer { text = text.dropFirst(count) }
            return text.prefix(count)
        }
        var year = String(take(yearLength))
        if yearLength == 2 { year = (year < "50" ? "20" : "19") + year }
        let moment = "\(year)-\(take(2))-\(take(2))T\(take(2)):\(take(2)):\(take(2))Z"
        guard let timestamp = Timestamp(iso8601: moment) else { throw DERReader.Failure() }
        return timestamp
    }
}

package protocol CertificateTrust: Sendable {
    /// Without authorities no certificate is trusted.
    var hasAuthorities: Bool { get }

    /// True if authorities for clients vouch for `chain` (DER, the peer's own first) at `now`, for authenticating a
    /// client (RFC 5280 clauses 4.2.1.12 and 6).
    func vouches(for chain: [[UInt8]], at now: Timestamp) -> Bool
}
