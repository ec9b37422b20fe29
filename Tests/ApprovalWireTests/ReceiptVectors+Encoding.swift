import ApprovalWire
import JOSE
import OpenSSLCrypto
import Primitives

/// Receipts whose JWS is wrong.
extension ReceiptVectors {
    mutating func addEncodings() throws {
        let good = try draft(.session).signed()
        let parts = good.split(separator: ".").map(String.init)
        let (header, payload, signature) = (parts[0], parts[1], parts[2])
        add("empty", .form, "")
        add("two-parts", .form, "\(header).\(payload)")
        add("four-parts", .form, good + ".")
        add("padded", .form, good + "==")
        add("trailing-space", .form, good + " ")
        add("leading-space", .form, " " + good)
        add("trailing-bits", .form, try Self.withTrailingBits(good))
        add("standard-alphabet", .form, "\(header).+\(payload.dropFirst()).\(signature)")
        add("character-beyond-ascii", .form, good.replacing(signature, with: "é" + signature.dropFirst(2)))
        add(
            "serialized-as-json", .form,
            #"{"protected":"\#(header)","payload":"\#(payload)","signature":"\#(signature)"}"#)
        try addHeaders()
        add("changed-signature", .signature, "\(header).\(payload)." + Self.swapped(signature))
        let other = try draft(.session).signed(by: keys.shopEdDSA).split(separator: ".")[2]
        add("signature-by-another-key", .signature, "\(header).\(payload).\(other)")
        add("key-of-another-tenant", .signature, try draft(.session).signed(by: keys.es256.other))
        add("cut-signature", .signature, "\(header).\(payload)." + signature.dropLast(2))
        add("empty-signature", .signature, "\(header).\(payload).")
        let richer = String(decoding: try draft(.session).claims().payload, as: UTF8.self)
            .replacing("Order 4711", with: "Order 4712")
        add("changed-payload", .signature, "\(header).\(Base64URL.encode(Array(richer.utf8))).\(signature)")
    }

    /// The last character's bits that no byte has are set.
    private static func withTrailingBits(_ text: String) throws -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let last = try text.last.found()
        let value = try alphabet.firstIndex(of: last).found()
        return text.dropLast() + String(alphabet[value + 1])
    }

    /// The first two characters, which differ, change places.
    private static func swapped(_ text: String) -> String {
        let start = Array(text.prefix(2))
        return String(start.reversed()) + text.dropFirst(2)
    }

    private mutating func addHeaders() throws {
        let payload = try draft(.session).claims().payload
        let shop = keys.es256.shop
        func signed(_ header: String) throws -> String { try compact(header, payload, with: shop) }
        let rest = #""typ":"approval-receipt+jwt","kid":"shop-es256""#
        add("header-is-an-array", .form, try signed(#"["ES256"]"#))
        add("header-name-twice", .form, try signed(#"{"alg":"ES256",\#(rest),"alg":"ES256"}"#))
        add("header-without-alg", .form, try signed("{\(rest)}"))
        add("kid-is-a-number", .form, try signed(#"{"alg":"ES256","typ":"approval-receipt+jwt","kid":1}"#))
        add("alg-none", .algorithm, compact(#"{"alg":"none",\#(rest)}"#, payload) { _ in [] })
        let secret = JSONWriter.bytes(shop.publicKey.json)
        add(
            "alg-hs256-with-the-public-key", .algorithm,
            compact(#"{"alg":"HS256",\#(rest)}"#, payload) { OpenSSLHashing().hmac(.sha256, key: secret, $0) })
        add("alg-es384", .algorithm, try signed(#"{"alg":"ES384",\#(rest)}"#))
        add("alg-in-lower-case", .algorithm, try signed(#"{"alg":"es256",\#(rest)}"#))
        add("critical-extension", .critical, try signed(#"{"alg":"ES256",\#(rest),"crit":["b64"],"b64":true}"#))
        add("typ-jwt", .type, try signed(#"{"alg":"ES256","typ":"JWT","kid":"shop-es256"}"#))
        add("typ-missing", .type, try signed(#"{"alg":"ES256","kid":"shop-es256"}"#))
        add(
            "typ-in-upper-case", .type,
            try signed(#"{"alg":"ES256","typ":"Approval-Receipt+JWT","kid":"shop-es256"}"#))
        add("kid-missing", .key, try signed(#"{"alg":"ES256","typ":"approval-receipt+jwt"}"#))
        add("kid-unknown", .key, try signed(#"{"alg":"ES256","typ":"approval-receipt+jwt","kid":"SHOP-ES256"}"#))
        add(
            "kid-of-a-key-for-another-alg", .key,
            try signed(#"{"alg":"ES256","typ":"approval-receipt+jwt","kid":"shop-rs256"}"#))
        add(
            "key-for-another-rsa-padding", .key,
            try compact(
                #"{"alg":"RS256","typ":"approval-receipt+jwt","kid":"shop-ps256"}"#, payload, with: keys.shopRS256))
    }
}
