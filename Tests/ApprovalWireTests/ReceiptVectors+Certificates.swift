import ApprovalWire
import JOSE
import Primitives

/// Receipts whose keys have certificates (RFC 7517 clause 4.7).
extension ReceiptVectors {
    /// Published keys with the certificates `x5c`, by `kid`, and whether each can be read.
    static func certifiedKeys(_ keys: VectorKeys) throws -> [(id: String, chain: JSONValue, isRead: Bool)] {
        let own = try certificate(of: keys.es256.shop.publicKey)
        let foreign = try certificate(of: keys.es256.phone.publicKey)
        return [
            ("shop-x5c", [own], true), ("shop-x5c-of-two", [own, foreign], true),
            ("shop-x5c-of-another-key", [foreign], false), ("shop-x5c-of-another-key-first", [foreign, own], false),
            ("shop-x5c-null", .null, false), ("shop-x5c-empty", [], false), ("shop-x5c-no-array", own, false),
            ("shop-x5c-no-base64", ["*"], false), ("shop-x5c-then-no-base64", [own, "*"], false),
            ("shop-x5c-no-certificate", ["AAAA"], false), ("shop-x5c-number", [own, 1], false),
        ]
    }

    mutating func addCertificates() throws {
        for (id, _, isRead) in try Self.certifiedKeys(keys) {
            let shop = try ScalarSigner(name: "shop", keyID: id)
            add((isRead ? "valid-" : "") + id, isRead ? nil : .key, try draft(.session).signed(by: shop))
        }
        var own = draft()
        own.phoneCertificate = try Base64.decode(Self.certificate(of: keys.es256.phone.publicKey).stringValue ?? "")
        add("valid-device-with-a-certificate", nil, try own.signed())
        var foreign = draft()
        foreign.phoneCertificate = try Base64.decode(
            Self.certificate(of: keys.es256.otherPhone.publicKey).stringValue ?? "")
        add("device-with-a-certificate-of-another-key", .payload, try foreign.signed())
    }

    /// A certificate of a key on P-256 (RFC 5280 clause 4.1), in Base64. Nobody reads its names, dates and signature.
    private static func certificate(of key: JWK) throws -> JSONValue {
        func value(_ tag: UInt8, _ content: [UInt8]...) -> [UInt8] {
            let content = content.flatMap(\.self)
            let length = content.count < 128 ? [UInt8(content.count)] : [0x81, UInt8(content.count)]
            return [tag] + length + content
        }
        let signatureAlgorithm = value(0x30, try Hex.decode("06082a8648ce3d040302").found())
        let keyAlgorithm = value(0x30, try Hex.decode("06072a8648ce3d020106082a8648ce3d030107").found())
        let info = value(0x30, keyAlgorithm, value(0x03, [0], try key.p256Point.found()))
        let validity = value(0x30, value(0x17, Array("260101000000Z".utf8)), value(0x17, Array("460101000000Z".utf8)))
        let name = value(0x30)
        let body = value(
            0x30, value(0xA0, value(0x02, [2])), value(0x02, [1]), signatureAlgorithm, name, validity, name, info)
        let signature = value(0x30, value(0x02, [1]), value(0x02, [1]))
        return .string(Base64.encode(value(0x30, body, signatureAlgorithm, value(0x03, [0], signature))))
    }
}
