import Foundation
import Primitives
import TestSupport
import Testing

@Suite("countersign mail")
struct MailCommandTests {
    private func folder() async throws -> Folder {
        let folder = try Folder()
        try folder.write(
            #"{"tenants": [{"id": "acme", "name": "Acme", "host": "acme.example.com"}]}"#, to: "acme.json")
        #expect(try await Program.run(["apply", "acme.json"], in: folder.url).status == 0)
        return folder
    }

    @Test(
        "A provider is set in place of the one before; what is no member, and so would be stored unsealed, is refused")
    func provider() async throws {
        let folder = try await folder()
        func set(_ document: String, _ arguments: [String] = []) async throws -> (Int32, String, String) {
            try folder.write(document, to: "provider.json")
            let result = try await Program.run(
                ["mail", "provider", "set", "--file", "provider.json", "--json"] + arguments, in: folder.url)
            return (result.status, result.output, result.errors)
        }
        let smtp =
            #"{"name": "smtp", "settings": {"a": 1}, "credentials": {"smtp_host": "a.example", "smtp_port": 25}}"#
        #expect(try await set(smtp).0 == 0)
        let (status, output, _) = try await set(#"{"name": "smtp", "credentials": {"smtp_host": "b.example"}}"#)
        #expect(status == 0)
        let stored = try JSONReader.parse(output)
        #expect(stored["settings"] == nil && stored["credentials"] == ["smtp_host": "b.example"], "\(output)")
        for (document, arguments) in [
            (#"{"name": "smtp", "smtp_pass": "top-secret", "credentials": {"smtp_host": "b.example"}}"#, []),
            (#"{"name": "custom", "credentials": "top-secret"}"#, []),
            (smtp, ["--set", "credentials.smtp_pass=top-secret"]),
            (smtp, ["--set", #"credentials={"smtp_host":"a.example","smtp_pass":"top-secret"}"#]),
        ] {
            let (status, output, errors) = try await set(document, arguments)
            #expect(status == (arguments.isEmpty ? 1 : 2), "\(errors)")
            #expect(!(output + errors).contains("top-secret"), "\(errors)")
            #expect(arguments.isEmpty || errors.contains("--file or standard input"), "\(errors)")
        }
        let template = try await Program.run(
            ["mail", "template", "set", "reset_email", "--set", "bodi=x"], in: folder.url)
        #expect(template.status == 1 && template.errors.contains("bodi"), "\(template.errors)")
    }

    @Test(
        "RFC 3464: a report is read up to its limit; any failure but misuse is temporary for the mail server (EX_TEMPFAIL)"
    )
    func bounce() async throws {
        let folder = try await folder()
        let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: "countersign").path
        let read = try await Program.run(
            ["-c", #"exec "$0" mail bounce </dev/zero"#, program], of: "/usr/bin/sh", in: folder.url)
        #expect(read.status == 0 && read.errors.contains("no report"), "\(read.errors)")
        let elsewhere = try await Program.run(["mail", "bounce", "--data", "missing"], in: folder.url, input: "")
        #expect(elsewhere.status == 75, "\(elsewhere.errors)")
        #expect(try await Program.run(["mail", "bounce", "--wrong"], in: folder.url).status == 2)
    }
}
