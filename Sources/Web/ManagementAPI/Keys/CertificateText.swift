import Primitives

/// A certificate in the textual encodings that Auth0 shows, with CRLF line ends (RFC 7468).
enum CertificateText {
    static func pem(_ certificate: [UInt8]) -> String { text("CERTIFICATE", certificate) }

    /// The certificate in signed data without signers (RFC 5652 clause 5.1: a degenerate case, used to distribute
    /// certificates).
    static func pkcs7(_ certificate: [UInt8]) -> String {
        let version: [UInt8] = [0x02, 0x01, 0x01]
        let nothing: [UInt8] = [0x31, 0x00]
        // 1.2.840.113549.1.7, followed by 2 for signed data or 1 for data.
        let arc: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07]
        let signedData = element(
            0x30, version + nothing + element(0x30, arc + [0x01]) + element(0xA0, certificate) + nothing)
        return text("PKCS7", element(0x30, arc + [0x02] + element(0xA0, signedData)))
    }

    /// DER element: tag, length, content (X.690 clause 8.1).
    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        if content.count < 0x80 { return [tag, UInt8(content.count)] + content }
        var length: [UInt8] = []
        var rest = content.count
        while rest > 0 {
            length.insert(UInt8(truncatingIfNeeded: rest), at: 0)
            rest >>= 8
        }
        return [tag, 0x80 | UInt8(length.count)] + length + content
    }

    private static func text(_ label: String, _ content: [UInt8]) -> String {
        let encoded = Array(Base64.encode(content).utf8)
        let lines = stride(from: 0, to: encoded.count, by: 64).map { start in
            String(decoding: encoded[start..<min(start + 64, encoded.count)], as: UTF8.self)
        }
        return (["-----BEGIN \(label)-----"] + lines + ["-----END \(label)-----", ""]).joined(separator: "\r\n")
    }
}
