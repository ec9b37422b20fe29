import ApprovalWire
import JOSE
import Primitives

/// Receipts whose payload or record cannot be read, or whose parts disagree.
extension ReceiptVectors {
    mutating func addPayloads() throws {
        let session = draft(.session)
        let text = String(decoding: try session.claims().payload, as: UTF8.self)
        func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
        add("payload-is-no-json", .payload, try session.sign(bytes("record")))
        add("payload-is-an-array", .payload, try session.sign(bytes("[\(text)]")))
        add("payload-and-more", .payload, try session.sign(bytes(text + "{}")))
        add("payload-with-a-trailing-comma", .payload, try session.sign(bytes(text.dropLast() + ",}")))
        add("payload-name-twice", .payload, try session.signed(replacing: "{", with: #"{"decision":"rejected","#))
        add(
            "unknown-name-twice-inside", .payload, try session.signed(replacing: "{", with: #"{"x":[{"a":1,"a":1}],"#))
        add(
            "names-that-differ-by-normalization", .payload,
            try session.signed(replacing: "{", with: "{\"\u{E9}\":1,\"e\u{301}\":1,"))
        add(
            "payload-is-no-utf-8", .payload,
            try session.sign(bytes("{\"") + [0xFF] + bytes("\":1,") + bytes(text).dropFirst()))
        add("lone-surrogate", .payload, try session.signed(replacing: "{", with: #"{"x":"\ud83d","#))
        add("control-character", .payload, try session.signed(replacing: "{", with: "{\"x\":\"\u{1}\","))
        add("not-a-number", .payload, try session.signed(replacing: "{", with: #"{"x":NaN,"#))
        add("number-with-a-leading-zero", .payload, try session.signed(replacing: "{", with: #"{"x":01,"#))
        let deep = String(repeating: "[", count: 32) + String(repeating: "]", count: 32)
        add("nested-too-deep", .payload, try session.signed(replacing: "{", with: "{\"x\":\(deep),"))
        try addMembers()
        try addRecords()
        for (name, value) in [
            ("iss", "https://id.other.example/"), ("sub", "auth0|65f0c1e3"), ("aud", "another"), ("id", "cns_other"),
        ] { add("\(name)-disagrees", .agreement, try session.signed { $0[name] = .string(value) }) }
        var accented = session
        accented.record = try RequestRecord(
            parsing: accented.record.text.replacing("auth0|65f0c1e2", with: "ren\u{E9}"))
        add("sub-in-another-normalization", .agreement, try accented.signed { $0["sub"] = "rene\u{301}" })
        let good = try session.signed()
        add("another-expected-issuer", .issuer, issuer: "https://id.other.example/", good)
        add("expected-issuer-without-slash", .issuer, issuer: "https://id.shop.example", good)
    }

    private mutating func addMembers() throws {
        let session = draft(.session)
        for name in ["iss", "iat", "record", "decision", "decided_at", "evidence", "request_digest", "audit"] {
            add("\(name)-missing", .payload, try session.signed { $0[name] = nil })
        }
        let wrong: [(String, String, JSONValue)] = [
            ("aud-is-an-array", "aud", [.string(session.record.client.id)]), ("iat-is-a-text", "iat", "1795168860"),
            ("iat-is-negative", "iat", -1), ("reason-is-null", "reason", .null), ("device-is-null", "device", .null),
            ("decision-unknown", "decision", "deferred"), ("evidence-unknown", "evidence", "signed-record"),
            ("decided-at-is-a-number", "decided_at", 1_795_168_842),
            ("decided-at-with-an-offset", "decided_at", "2026-11-20T11:00:42.250+01:00"),
            ("decided-at-without-decimals", "decided_at", "2026-11-20T10:00:42Z"),
            ("decided-at-is-no-date", "decided_at", "2026-02-30T10:00:42.250Z"),
            ("decided-at-in-a-leap-second", "decided_at", "2026-11-20T10:00:60.000Z"),
            ("record-is-an-object", "record", try JSONReader.parse(session.record.text)),
            ("digest-in-hexadecimal", "request_digest", .string(Hex.encode(session.digest.bytes))),
            ("digest-of-31-bytes", "request_digest", .string(Base64URL.encode(session.digest.bytes.dropLast()))),
            ("digest-with-padding", "request_digest", .string(session.digest.description + "=")),
            ("answer-without-device", "answer", "e30.e30."),
        ]
        for (name, member, value) in wrong { add(name, .payload, try session.signed { $0[member] = value }) }
        for literal in ["1795168860.0", "17951688600e-1", "1795168860.5"] {
            add("iat-as-\(literal)", .payload, try session.signed(replacing: "1795168860", with: literal))
        }
        add("device-without-answer", .payload, try draft().signed { $0["answer"] = nil })
        let coordinate = try (self.keys.es256.phone.publicKey.json["x"]?.stringValue).found()
        let keys: [(String, String, JSONValue)] = [
            ("device-key-is-private", "d", "AQ"), ("device-key-of-a-shared-secret", "kty", "oct"),
            ("device-key-for-encryption", "use", "enc"), ("device-key-of-an-unknown-curve", "crv", "P-512"),
            ("device-key-cut", "x", "AQ"), ("device-key-padded", "x", .string(coordinate + "=")),
            ("device-key-of-another-alg", "alg", "RS256"),
        ]
        for (name, member, value) in keys {
            let receipt = try draft().signed { payload in
                var device = try (payload["device"]?.objectValue).found()
                var key = try (device["jwk"]?.objectValue).found()
                key[member] = value
                device["jwk"] = .object(key)
                payload["device"] = .object(device)
            }
            add(name, .payload, receipt)
        }
    }

    private mutating func addRecords() throws {
        let session = draft(.session)
        let text = session.record.text
        let open = String(text.dropLast())
        let wrong: [(String, String)] = [
            ("record-is-no-json", open), ("record-is-an-array", "[\(text)]"),
            ("record-name-twice", String(#"{"binding_message":"Order 4712","# + text.dropFirst())),
            ("record-without-expiry", text.replacing("expires_at", with: "expires")),
            ("record-without-scope", text.replacing("\"scope\"", with: "\"scopes\"")),
            ("record-with-an-unknown-date", text.replacing("10:00:00.000Z", with: "10:00:00Z")),
            ("record-scope-is-a-text", text.replacing(#"{"value":"openid"}"#, with: #""openid""#)),
            ("record-details-are-an-object", open + #","authorization_details":{}}"#),
            ("record-of-a-detail-without-object", open + #","authorization_details":["payment"]}"#),
        ]
        for (name, record) in wrong {
            add(name, .payload, try session.signed { $0["record"] = .string(record) })
        }
        add("record-with-more-white-space", .digest, try session.signed { $0["record"] = .string(text + " ") })
        add(
            "record-of-another-request", .digest,
            try session.signed { $0["record"] = .string(text.replacing("Order 4711", with: "Order 4712")) })
        let other = ReceiptDraft.record(message: "Order 4712")
        add(
            "digest-of-another-record", .digest,
            try session.signed { $0["request_digest"] = .string(ReceiptDraft(keys, other).digest.description) })
        add(
            "record-in-another-normalization", .digest,
            try ReceiptDraft(keys, ReceiptDraft.record(message: "Caf\u{E9}"), level: .session)
                .signed(replacing: "Caf\u{E9}", with: "Cafe\u{301}"))
    }
}
