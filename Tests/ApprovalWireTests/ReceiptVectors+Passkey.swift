import ApprovalWire
import GuardianWire
import JOSE
import Primitives
import TestSupport

/// Receipts whose assertion proves something else, or nothing.
extension ReceiptVectors {
    mutating func addPasskeys() throws {
        try addPasskeyLevels()
        try addAssertions()
        try addPasskeyMembers()
    }

    private mutating func addPasskeyLevels() throws {
        let verified = draft(.userVerified)
        for level in ["signed-digest", "session", "signed-challenge"] {
            add("\(level)-with-a-passkey", .level, try verified.signed { $0["evidence"] = .string(level) })
        }
        add("user-verified-without-a-passkey", .level, try draft().signed { $0["evidence"] = "user-verified" })
        add("user-verified-without-an-answer", .level, try draft(.session).signed { $0["evidence"] = "user-verified" })
        var undigested = verified
        undigested.answering = { $0.requestDigest = nil }
        add("user-verified-by-an-answer-without-digest", .answerDigest, try undigested.signed())
        var rejected = verified
        rejected.decision = .rejected
        add("valid-user-verified-rejected", nil, try rejected.signed())
    }

    private mutating func addAssertions() throws {
        let other = Base64URL.encode(ReceiptDraft(keys, ReceiptDraft.record(message: "Order 4712")).digest.bytes)
        func add(
            _ name: String, _ rule: ReceiptFailure.Rule?, _ change: (inout SoftwareAuthenticator) -> Void
        ) throws {
            var changed = draft(.userVerified)
            var authenticator = try keys.authenticator()
            change(&authenticator)
            changed.authenticator = authenticator
            self.add(name, rule, try changed.signed())
        }
        func client(_ name: String, _ rule: ReceiptFailure.Rule?, _ members: JSONObject) throws {
            try add(name, rule) { $0.clientDataMembers = members }
        }
        for (name, origin) in [
            ("of-a-page-elsewhere", "https://evil.example"), ("of-a-subdomain", "https://a.id.shop.example"),
            ("of-a-longer-host", "https://id.shop.example.evil.example"), ("by-http", "http://id.shop.example"),
            ("in-upper-case", "https://ID.shop.example"), ("with-a-path", "https://id.shop.example/"),
            ("with-an-empty-port", "https://id.shop.example:"), ("with-a-sign", "https://id.shop.example:+443"),
            ("with-foreign-digits", "https://id.shop.example:\u{664}43"),
        ] { try add("assertion-\(name)", .passkeyOrigin) { $0.origin = origin } }
        try add("valid-assertion-at-a-port", nil) { $0.origin += ":8443" }
        try add("assertion-for-another-host", .passkeyOrigin) { $0.relyingParty = "other.example" }
        try add("assertion-of-an-unverified-user", .passkeyUser) { $0.flags = 0x01 }
        try add("assertion-of-an-absent-user", .passkeyUser) { $0.flags = 0x04 }
        try add("valid-assertion-with-extensions-and-a-count", nil) { authenticator in
            authenticator.extensions = [0xA0]
            authenticator.signCount = 7
        }
        try client("assertion-within-another-origin", .passkey, ["crossOrigin": true])
        try client("assertion-with-a-text-for-a-flag", .passkey, ["crossOrigin": "false"])
        try client("assertion-of-another-ceremony", .passkey, ["type": "webauthn.create"])
        try client("assertion-with-a-padded-challenge", .passkey, ["challenge": "AA=="])
        try client("assertion-with-a-number-for-an-origin", .passkey, ["origin": 1])
        try client("assertion-about-another-record", .passkeyChallenge, ["challenge": .string(other)])
        try client("assertion-with-an-empty-challenge", .passkeyChallenge, ["challenge": ""])
        try client("valid-assertion-with-unknown-members", nil, ["topOrigin": "x", "more": [1]])
        try addDamages()
    }

    private mutating func addDamages() throws {
        func add(
            _ name: String, _ rule: ReceiptFailure.Rule, _ damage: @escaping (inout PasskeyAssertion) -> Void
        ) throws {
            var changed = draft(.userVerified)
            changed.asserting = damage
            self.add(name, rule, try changed.signed())
        }
        try add("assertion-signature-changed", .passkeySignature) { $0.signature[8] ^= 1 }
        try add("assertion-signature-cut", .passkeySignature) { $0.signature.removeLast() }
        try add("assertion-signature-and-more", .passkeySignature) { $0.signature.append(0) }
        try add("assertion-signature-empty", .passkeySignature) { $0.signature = [] }
        try add("assertion-signature-with-a-long-length", .passkeySignature) { assertion in
            assertion.signature.insert(0x81, at: 1)
        }
        try add("assertion-data-changed", .passkeySignature) { $0.authenticatorData[36] ^= 1 }
        try add("assertion-data-cut", .passkey) { $0.authenticatorData.removeLast() }
        try add("assertion-client-data-with-a-space", .passkeySignature) { $0.clientDataJSON.append(0x20) }
        try add("assertion-client-data-is-no-json", .passkey) { $0.clientDataJSON.removeLast() }
        try add("assertion-client-data-is-no-utf-8", .passkey) { assertion in
            assertion.clientDataJSON =
                [0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x2C] + assertion.clientDataJSON.dropFirst()
        }
        try add("assertion-client-data-name-twice", .passkey) { assertion in
            assertion.clientDataJSON = Array(#"{"origin":"x","#.utf8) + assertion.clientDataJSON.dropFirst()
        }
    }

    private mutating func addPasskeyMembers() throws {
        func add(_ name: String, _ rule: ReceiptFailure.Rule, _ change: (inout JSONObject) -> Void) throws {
            self.add(
                name, rule,
                try draft(.userVerified).signed { payload in
                    var passkey = try (payload["passkey"]?.objectValue).found()
                    change(&passkey)
                    payload["passkey"] = .object(passkey)
                })
        }
        for name in ["rp_id", "jwk", "credential_id", "client_data_json", "authenticator_data", "signature"] {
            try add("passkey-without-\(name)", .payload) { $0[name] = nil }
        }
        try add("passkey-with-padding", .payload) { $0["credential_id"] = "AA==" }
        try add("passkey-of-another-host", .passkeyOrigin) { $0["rp_id"] = "other.example" }
        let other = keys.es256.otherPhone.publicKey.json
        try add("passkey-of-another-key", .passkeySignature) { $0["jwk"] = other }
        try add("passkey-key-for-another-algorithm", .passkeySignature) { [keys] in
            $0["jwk"] = JWK(material: keys.shopEdDSA.publicKey.material).json
        }
        self.add("passkey-is-null", .payload, try draft().signed { $0["passkey"] = .null })
        self.add("passkey-is-a-text", .payload, try draft(.userVerified).signed { $0["passkey"] = "x" })
    }
}
