import Audit
import Administration
import AuthorizationCore
import Configuration
import JOSE
import OpenSSLCrypto
import Primitives
import TestSupport
import Testing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@Suite("docs/apply.md")
struct ApplyDocumentTests {
    private struct Unreadable: Error {}

    private static let applePEM = pem(.es256)
    private static let googleAccount = JSONWriter.string([
        "project_id": "shop", "client_email": "push@shop.iam.gserviceaccount.com", "private_key": .string(pem(.rs256)),
    ])

    private static func pem(_ algorithm: JWSAlgorithm) -> String {
        let key = (try? OpenSSLSigner.generate(algorithm: algorithm).exportPKCS8().bytes) ?? []
        return "-----BEGIN PRIVATE KEY-----\n\(Base64.encode(key))\n-----END PRIVATE KEY-----\n"
    }

    private func document() throws -> String {
        let folders = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        guard let file = fopen("/\(folders)/docs/apply.md", "r") else { throw Unreadable() }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The first JSON block.
    private func exampleText() throws -> String {
        let rest = try #require(try document().split(separator: "```json\n", maxSplits: 1).last)
        return String(try #require(rest.split(separator: "\n```", maxSplits: 1).first))
    }

    private func read(_ text: String) throws -> ConfigurationFile {
        try ConfigurationFile(parsing: Array(text.utf8), now: Samples.start) { source in
            switch source {
            case .environment("ANN_PASSWORD"): SecretBytes(utf8: "correct horse")
            case .file("/run/secrets/AuthKey_ABC123DEFG.p8"): SecretBytes(utf8: Self.applePEM)
            case .file("/run/secrets/service-account.json"): SecretBytes(utf8: Self.googleAccount)
            case .file("approval.html"): SecretBytes(utf8: "<p>{{ url }}</p>")
            case .file("/run/secrets/shopping-agent"), .file("/run/secrets/github"), .file("/run/secrets/staff"),
                .file("/run/secrets/forum"), .file("/run/secrets/sns"), .file("/run/secrets/mail"):
                SecretBytes(utf8: Samples.secret)
            default: nil
            }
        }
    }

    @Test("The example can be applied, and applying it again changes nothing")
    func example() async throws {
        let fixture = try await AdministrationFixture()
        let file = try read(try exampleText())
        let first = try await fixture.apply.apply(file, prune: true, by: .account("jo"), now: Samples.start)
        #expect(first.allSatisfy { $0.action == .created })
        #expect(
            Set(first.map(\.kind)) == [
                "tenant", "api", "role", "user", "client", "connection", "key", "guardian_factor", "push_provider",
                "email_provider", "email_template",
            ])
        let second = try await fixture.apply.apply(file, prune: true, by: .account("jo"), now: Samples.start)
        #expect(second.allSatisfy { $0.action == .unchanged })
        #expect(try await fixture.part("shop")?.tenant.issuer == "https://id.shop.example/")
    }

    @Test("The stored configuration as a file changes nothing if it is applied, and has no secret, key or user")
    func printed() async throws {
        let fixture = try await AdministrationFixture()
        let example = try read(try exampleText())
        _ = try await fixture.apply.apply(example, prune: true, by: .account("jo"), now: Samples.start)
        let part = try #require(try await fixture.part("shop"))
        let text = JSONWriter.lines(["tenants": [.object(part.fileEntry)]]).joined(separator: "\n")
        let printed = try ConfigurationFile(parsing: Array(text.utf8), now: Samples.start) { source in
            if case .text(let text) = source { SecretBytes(utf8: text) } else { nil }
        }
        #expect(printed.warnings.isEmpty)
        let changes = try await fixture.apply.apply(printed, prune: true, by: .account("jo"), now: Samples.start)
        #expect(changes.allSatisfy { $0.action == .unchanged }, "\(changes.filter { $0.action != .unchanged })")
        let given = try JSONReader.parse(try exampleText())["tenants"]?[0]?.objectValue ?? [:]
        #expect(
            Set(part.fileEntry.members.map(\.name)) == Set(given.members.map(\.name)).subtracting(["users"]),
            "everything of the example but its users")
        for secret in [Samples.secret, "PRIVATE KEY", "correct horse", "ann@shop.example"] {
            #expect(!text.contains(secret))
        }
    }

    @Test("Every field of the example is described, and the example has every stored field")
    func fields() async throws {
        let fixture = try await AdministrationFixture()
        _ = try await fixture.apply.apply(
            try read(try exampleText()), prune: false, by: .account("jo"), now: Samples.start)
        let prose = try document().replacing(try exampleText(), with: "")
        var named: Set<String> = []
        collect(try JSONReader.parse(try exampleText()), into: &named)
        for name in named { #expect(prose.contains(name), "\(name) is not described") }
        let part = try #require(try await fixture.part("shop"))
        var stored: Set<String> = []
        collect(.object(part.tenant.document), into: &stored)
        for document in part.clients.map(\.document) + part.resourceServers.map(\.document) + part.roles.map(\.document)
            + part.connections.map(\.document)
            + part.documents.filter({ $0.kind != .guardianSetting }).map(\.document)
        {
            collect(.object(document), into: &stored)
        }
        #expect(stored.subtracting(named) == ["template"], "a template's name is that of its member in a file")
    }

    @Test("The tables are the generated ones (countersign serve --print-field-tables)")
    func tables() throws {
        let page = try document()
        for table in FieldTables.all { #expect(page.contains(table)) }
    }

    /// Names of members, except within schemas and secrets.
    private func collect(_ value: JSONValue, into names: inout Set<String>) {
        for element in value.arrayValue ?? [] { collect(element, into: &names) }
        for (name, member) in value.objectValue ?? [:] {
            names.insert(name)
            if !["schema", "client_secret", "password"].contains(name) { collect(member, into: &names) }
        }
    }
}
