import Foundation
import HTTPModel
import MicroHTTPServer
import Primitives
import TestSupport
import Testing

@Suite("countersign receipt")
struct ReceiptCommandTests {
    private let folder: Folder
    private let document: JSONValue

    init() throws {
        folder = try Folder()
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "docs/receipts/vectors.json")
        document = try JSONReader.parse(Array(try Data(contentsOf: file)))
        try folder.write(JSONWriter.string(try #require(document["jwks"])), to: "jwks.json")
    }

    private func receipt(_ name: String) throws -> String {
        let vector = document["vectors"]?.arrayValue?.first { $0["name"]?.stringValue == name }
        return try #require(vector?["receipt"]?.stringValue, "\(name)")
    }

    private func verify(
        _ name: String, keys: String = "jwks.json", _ options: String...
    ) async throws -> Program.Result {
        try folder.write(try receipt(name), to: "receipt.jwt")
        return try await Program.run(
            ["receipt", "verify", "receipt.jwt", "--jwks", keys] + options, in: folder.url)
    }

    @Test("A valid receipt shows the request as the phone does, the decision and the statements, with exit status 0")
    func valid() async throws {
        let result = try await verify("valid-numbers-as-spelt")
        #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
        for text in [
            "Order 4711", "Ordering agent (3vT0aMXjWkq2mZ9wqVbN1rYpLsKd8uXe)", "auth0|65f0c1e2",
            "Orders (https://api.shop.example/)", "orders:pay: Pay orders", "payment", "1.10", "1e2",
            "12345678901234567890", "-0.0", "2026-11-20T10:00:00.000Z", "2026-11-20T10:05:00.000Z", "allowed",
            "2026-11-20T10:00:42.250Z", "signed-digest", "Hanna's phone", "Proven:", "Not proven:", "4711:5a5a",
        ] { #expect(result.output.contains(text), "\(text)") }
    }

    @Test("A rejection shows its reason, and texts of a client cannot control the terminal")
    func hostile() async throws {
        #expect(try await verify("valid-rejected-with-reason").output.contains("I did not order anything"))
        let unicode = try await verify("valid-unicode").output
        #expect(unicode.contains("Müller") && unicode.contains("代理人"))
        #expect(!unicode.contains("\u{1}") && !unicode.contains("\u{7F}") && !unicode.contains("\u{202E}"))
    }

    @Test("--json has every fact, and numbers as they were spelt")
    func json() async throws {
        let result = try await verify("valid-numbers-as-spelt", "--json")
        #expect(result.status == 0)
        #expect(result.output.contains(#""amount":1.10,"limit":1e2,"reference":12345678901234567890,"zero":-0.0"#))
        let value = try JSONReader.parse(result.output)
        let (receipt, request) = (value["receipt"], value["request"])
        #expect(value["valid"] == true && receipt?["decision"] == "allowed")
        #expect(receipt?["evidence"] == "signed-digest" && receipt?["device"]?["name"] == "Hanna's phone")
        #expect(request?["iss"] == "https://id.shop.example/")
        #expect(request?["scope"] == [["value": "openid"], ["value": "orders:pay", "description": "Pay orders"]])
        #expect(value["proven"]?.arrayValue?.isEmpty == false && value["not_proven"]?.arrayValue?.isEmpty == false)
    }

    @Test("A receipt that breaks a rule is exit status 1, and the rule is named")
    func invalid() async throws {
        let result = try await verify("decision-flipped", "--json")
        #expect(result.status == 1)
        let value = try JSONReader.parse(result.output)
        #expect(value["valid"] == false && value["rule"] == "answer-decision")
        #expect(result.errors.contains("the receipt is not valid: the answer has the opposite decision"))
        let plain = try await verify("decision-flipped")
        #expect(plain.status == 1 && plain.output.isEmpty)
        let slash = try await verify("valid-session", "--issuer", "https://id.shop.example")
        #expect(slash.status == 1 && slash.errors.contains("with its slash at the end"))
    }

    @Test("The line break of an editor or a shell is not part of the receipt, and - reads standard input")
    func input() async throws {
        for (end, status) in [("\n", 0), ("\n\n", 1), (" ", 1)] {
            try folder.write(try receipt("valid-session") + end, to: "line.jwt")
            let result = try await Program.run(
                ["-c", "\"$0\" receipt verify - --jwks jwks.json <line.jwt", program], of: "bash", in: folder.url)
            #expect(result.status == Int32(status), "\(result.errors)")
        }
        let both = try await Program.run(["receipt", "verify", "-", "--jwks", "-"], in: folder.url)
        #expect(both.status == 2 && both.errors.contains("not both"))
    }

    private var program: String {
        URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: "countersign").path
    }

    @Test("Keys are fetched from https, and from http on this machine only")
    func published() async throws {
        let keys = try #require(document["jwks"])
        let server = try HTTPServer(
            configuration: HTTPServerConfiguration(threads: 1),
            handler: { request in
                guard request.path == "/keys" else { return Response(status: 404) }
                return Response(status: 200, body: .bytes(JSONWriter.bytes(keys)))
            })
        try server.start()
        let base = "http://127.0.0.1:\(server.port)"
        #expect(try await verify("valid-session", keys: "\(base)/keys").status == 0)
        let missing = try await verify("valid-session", keys: "\(base)/nothing")
        #expect(missing.status == 1 && missing.errors.contains("status 404"), "\(missing.errors)")
        await server.stop(within: .seconds(1))
        let plain = try await verify("valid-session", keys: "http://id.shop.example/keys")
        #expect(plain.status == 2 && plain.errors.contains("must be an https URL"))
    }

    @Test("A file that has no keys is named")
    func noKeys() async throws {
        try folder.write("{}", to: "empty.json")
        let empty = try await verify("valid-session", keys: "empty.json")
        #expect(empty.status == 1 && empty.errors.contains("empty.json is no JWK set"))
        let missing = try await verify("valid-session", keys: "missing.json")
        #expect(missing.status == 1 && missing.errors.contains("cannot open missing.json"))
    }
}
