import Primitives
import TestSupport
import TestTools
import Testing

@Suite("Mutated inputs: forms and JSON")
struct FuzzTests {
    @Test("A form survives reading and writing")
    func forms() {
        var fuzzer = MutationFuzzer(
            corpus: [
                "", "a=b", "grant_type=urn%3Aopenid%3Aparams%3Agrant-type%3Aciba&auth_req_id=abc&client_id=x",
                "login_hint=%7B%22format%22%3A%22iss_sub%22%7D&binding_message=a+b%20c&empty=&=x&&novalue",
                "scope=openid%20%C3%A9&x=%F0%9F%94%91",
            ],
            tokens: ["&", "=", "%", "+", "%2", "%zz", "%C3", "%26", "&a=", "client_id="])
        fuzzer.check("form") { input in
            guard let fields = try? FormFields(parsing: input) else { return true }
            let again = try FormFields(parsing: Array(fields.encoded.utf8))
            return again == fields && Set(fields.pairs.map(\.name)).count == fields.pairs.count
                && !fields.pairs.contains { $0.value.utf8.contains(0) || $0.name.utf8.contains(0) }
        }
    }

    @Test("JSON survives reading and writing, with the same spelling")
    func json() {
        var fuzzer = MutationFuzzer(
            corpus: [
                "{}", "[]", "null", #""text""#, "-0.5e+10",
                #"{"iss":"https://id.example.org/","aud":["a","b"],"iat":1700000000.5,"n":null,"t":true}"#,
                #"[{"type":"payment","amount":{"value":12.50,"currency":"EUR"}},[[[["deep"]]]],"\u00e9\ud83d\ude00\n\/"]"#,
                #"{"a":{"b":{"c":[1,2,3,{"d":false}]}},"é":"\\\"","":0}"#,
            ],
            tokens: [
                "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "\\ud800", "\\udc00", "\\u0000", "true", "null",
                "1e400",
                "-", "0", "01", "1.", ".5", "e", "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", #""a":1,"#, " ", "\t",
            ])
        fuzzer.check("JSON") { input in
            guard let value = try? JSONReader.parse(input) else { return true }
            let written = JSONWriter.bytes(value)
            let again = try JSONReader.parse(written)
            return again == value && JSONWriter.bytes(again) == written
        }
    }

    @Test("Base64url has one spelling per value")
    func base64URL() {
        var fuzzer = MutationFuzzer(
            corpus: ["", "AA", "AAA", "AAAA", "Zm9vYmFy", "-_-_", "SGVsbG8gd29ybGQ"],
            tokens: ["=", "==", "+", "/", "-"])
        fuzzer.check("Base64url") { input in
            guard let bytes = Base64URL.decode(input) else { return true }
            return Base64URL.encodedBytes(bytes) == input
        }
    }

    @Test("A date survives reading and writing")
    func dates() {
        var fuzzer = MutationFuzzer(
            corpus: ["2026-11-20T10:00:00.000Z", "1969-12-31T23:59:59-01:30", "2024-02-29t00:00:60+0000"],
            tokens: ["T", "Z", "+", "-", ":", ".", "00", "99", "0000"])
        fuzzer.check("date") { input in
            guard let moment = Timestamp(iso8601: String(decoding: input, as: UTF8.self)) else { return true }
            // Offsets can reach years of more than four digits.
            guard moment.iso8601.utf8.count == 24, !moment.iso8601.hasPrefix("-") else { return true }
            return Timestamp(iso8601: moment.iso8601) == moment
        }
    }
}
