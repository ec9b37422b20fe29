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
        #expect(try await Program.run(["apply", "acme.json", "--create"], in: folder.url).status == 0)
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
        let unused = try await set(#"{"name": "mailgun", "credentials": {"domain": "d", "api_key": "k"}}"#)
        #expect(unused.0 == 0 && unused.2.contains("does not use the provider"), "\(unused.2)")
        let shown = try await Program.run(["mail", "provider", "show"], in: folder.url)
        #expect(shown.status == 0 && shown.errors.contains("interface of mailgun"), "\(shown.errors)")
        let template = try await Program.run(
            ["mail", "template", "set", "reset_email", "--set", "bodi=x"], in: folder.url)
        #expect(template.status == 1 && template.errors.contains("bodi"), "\(template.errors)")
    }

    @Test("A provider whose password does not open is replaced by the next one, and a check says what is wrong")
    func closed() async throws {
        let folder = try await folder()
        let document = """
            {"name": "smtp", "default_from_address": "a@b.example",
             "credentials": {"smtp_host": "127.0.0.1", "smtp_user": "u", "smtp_pass": "top-secret"}}
            """
        try folder.write(document, to: "provider.json")
        let set = ["mail", "provider", "set", "--file", "provider.json"]
        #expect(try await Program.run(set, in: folder.url).status == 0)
        let database = folder.url.appending(path: "countersign-data/countersign.db").path
        try await alterDatabase(
            database, "UPDATE configuration_object SET sealed = zeroblob(64) WHERE kind = 'email_provider'")
        let check = ["mail", "provider", "check"]
        let closed = try await Program.run(check, in: folder.url)
        #expect(closed.status == 0 && closed.output.contains("cannot be opened; set it again"), "\(closed.output)")
        #expect(try await Program.run(set, in: folder.url).status == 0)
        let opened = try await Program.run(check + ["--to", "ann@b.example"], in: folder.url)
        #expect(opened.status == 1 && opened.output.contains("it is not public"), "\(opened.output)\(opened.errors)")
        #expect(!opened.output.contains("mail to"), "no mail without a login")
        let wrong = try await Program.run(check + ["--to", "nobody"], in: folder.url)
        #expect(wrong.status == 2 && wrong.errors.contains("--to must be an e-mail address"), "\(wrong.errors)")
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
