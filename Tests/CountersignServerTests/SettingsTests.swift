@testable import CountersignCommand
import CountersignServer
import Foundation
import MicroHTTPServer
import Primitives
import SMTPTransport
import Synchronization
@testable import Terminal
import TestSupport
import Testing

@Suite("countersign serve: settings")
struct SettingsTests {
    private let folder: Folder

    init() throws { folder = try Folder() }

    /// Settings that a server would start with.
    private func choices(
        _ arguments: [String], _ environment: [String: String] = [:]
    ) async -> (choices: ServerChoices?, status: Int32, errors: String) {
        let taken = Mutex<ServerChoices?>(nil)
        let errors = Mutex("")
        let command = Command(
            "serve", "",
            options: Setting.groups.map(\.options) + [
                OptionGroup("", [ServerChoices.configurationFile.declaration])
            ]
        ) { invocation in
            let choices = try ServerChoices(invocation, settings: Setting.all)
            taken.withLock { $0 = choices }
            return 0
        }
        let silent = TextStream(isTerminal: false, hasColours: false, width: { 80 }, write: { _ in })
        let spoken = TextStream(isTerminal: false, hasColours: false, width: { 80 }) { text in
            errors.withLock { $0 += text }
        }
        let status = await command.run(
            arguments: arguments, environment: environment,
            output: Output(standard: silent, diagnostics: spoken, input: .standard))
        return (taken.withLock(\.self), status, errors.withLock(\.self))
    }

    private func file(_ text: String) throws -> String {
        try folder.write(text, to: "settings.json")
        return folder.url.appendingPathComponent("settings.json").path
    }

    @Test("Without any source every setting has its default")
    func defaults() async {
        let (choices, status, _) = await choices([])
        #expect(status == 0)
        #expect(choices?.settings.port == 8443)
        #expect(choices?.settings.tls == .local)
        #expect(choices?.settings.limits.exchangeDeadline == .seconds(310))
        #expect(choices?.settings.threads == nil)
    }

    @Test("Options precede variables, variables the file, and the file the defaults")
    func precedence() async throws {
        let path = try file(#"{ "port": 1, "max_body_bytes": 2048, "idle_timeout": "5s", "log_requests": false }"#)
        let environment = ["COUNTERSIGN_CONFIG": path, "COUNTERSIGN_PORT": "2", "COUNTERSIGN_MAX_BODY_BYTES": "4096"]
        let settings = try #require(await choices(["--port", "3"], environment).choices?.settings)
        #expect(settings.port == 3)
        #expect(settings.limits.bodyBytes == 4096)
        #expect(settings.limits.idleTimeout == .seconds(5))
        #expect(!settings.logsRequests)
        #expect(settings.limits.headBytes == 16_384)
        #expect(settings.pageHold == .seconds(50))
    }

    @Test("Every setting can be given its default in the file")
    func keys() async throws {
        for setting in Setting.all {
            #expect(setting.declaration.environment == "COUNTERSIGN_\(setting.key.uppercased())")
            #expect(setting.declaration.name == setting.key.replacing("_", with: "-"))
        }
        #expect(Set(Setting.all.map(\.key)).count == Setting.all.count)
        let path = try file(
            """
            { "data": "d", "address": "::1", "port": 0, "tls": "off", "metrics_port": "none", "threads": 2,
              "stop_limit": "1s", "max_head_bytes": 2048, "max_target_bytes": 512, "max_body_bytes": 1024,
              "max_body_bytes_in_all": 9,
              "max_connections": 7, "max_connections_per_address": 6, "idle_timeout": "2s", "head_timeout": "250ms",
              "body_timeout": "3s", "exchange_timeout": "4s", "stream_buffer_bytes": 2048, "retention": "1d",
              "log_format": "json", "log_level": "error", "log_requests": false, "development": false,
              "master_key_file": "k" }
            """)
        let chosen = try #require(await choices(["--config", path]).choices)
        let settings = chosen.settings
        #expect(settings.dataFolder == "d")
        #expect(settings.address == "::1")
        #expect(settings.tls == .off)
        #expect(settings.metricsPort == nil)
        #expect(settings.threads == 2)
        #expect(settings.stopLimit == .seconds(1))
        #expect(settings.limits.bodyBytesInAll == 9)
        #expect(settings.limits.connections == 7)
        #expect(settings.limits.connectionsPerAddress == 6)
        #expect(settings.limits.headDeadline == .milliseconds(250))
        #expect(settings.pageHold == .milliseconds(3200))
        #expect(settings.retention == .seconds(86_400))
        #expect(settings.logFormat == .json)
        #expect(settings.logLevel == .error)
        #expect(settings.masterKeyFile == "k")
        #expect(!settings.development)
    }

    @Test(
        "A wrong option is named with the allowed values",
        arguments: [
            (["--port", "70000"], "--port must be a port from 0 to 65535, not \"70000\""),
            (["--address", "example.com"], "--address must be an IP address, not \"example.com\""),
            (["--max-body-bytes", "10"], "--max-body-bytes must be a whole number from 1024 to 67108864"),
            (["--stop-limit", "1h"], "--stop-limit must be from 0s to 10s"),
            (["--threads", "0"], "--threads must be a whole number from 1 to 256"),
            (["--tls", "on"], "--tls must be one of local, files, off"),
            (["--tls", "files"], "tls files needs a certificate and a key"),
            (["--tls-key", "k"], "tls-certificate and tls-key need tls files, not local"),
            (["--tls", "off", "--address", "0.0.0.0"], "tls off needs a loopback address, not 0.0.0.0"),
            (["--development-host", "https://laptop"], "development-host must be a host name or an IPv4 address"),
            (["--development-host", "laptop:8443"], "development-host must be a host name or an IPv4 address"),
            (["--development-host", "-a.b"], "development-host must be a host name or an IPv4 address"),
            (["--development", "off", "--development-host", "laptop"], "development-host needs development on"),
            (["--config", "/nowhere.json"], "cannot open /nowhere.json: No such file or directory"),
        ])
    func wrongOption(arguments: [String], text: String) async {
        let (choices, status, errors) = await choices(arguments)
        #expect(choices == nil)
        #expect(status == 2)
        #expect(errors.contains(text), "\(errors)")
    }

    @Test(
        "A wrong variable is named",
        arguments: [
            ("COUNTERSIGN_IDLE_TIMEOUT", "5", "COUNTERSIGN_IDLE_TIMEOUT must be a time with a unit"),
            ("COUNTERSIGN_METRICS_PORT", "x", "COUNTERSIGN_METRICS_PORT must be a port from 1 to 65535, or none"),
            ("COUNTERSIGN_MASTER_KEY", "s3cret", "COUNTERSIGN_MASTER_KEY: a master key is 32 bytes"),
        ])
    func wrongVariable(name: String, value: String, text: String) async {
        let (_, status, errors) = await choices([], [name: value])
        #expect(status == 2)
        #expect(errors.contains(text), "\(errors)")
        #expect(!errors.contains("s3cret"))
    }

    @Test(
        "A wrong file is named with the key",
        arguments: [
            (#"{ "port": "8443" }"#, #"settings.json: port must be a number, not "8443""#),
            (#"{ "port": 99999 }"#, "settings.json: port must be a port from 0 to 65535, not 99999"),
            (#"{ "idle_timeout": 5 }"#, #"settings.json: idle_timeout must be a string such as "30s", not 5"#),
            (#"{ "log_requests": "on" }"#, #"settings.json: log_requests must be true or false, not "on""#),
            (#"{ "prot": 1 }"#, #"settings.json: "prot" is not a setting"#),
            (#"{ "tls_cert": "k" }"#, "did you mean tls_certificate?"),
            (#"{ "master_key": "k" }"#, #"settings.json: "master_key" is not a setting"#),
            ("[]", "settings.json: must contain one JSON object"),
            ("{ \"port\": 1,", "settings.json: is not valid JSON at byte"),
            (#"{ "port": 1, "port": 2 }"#, #"settings.json: has "port" twice"#),
        ])
    func wrongFile(content: String, text: String) async throws {
        let (_, status, errors) = await choices(["--config", try file(content)])
        #expect(status == 2)
        #expect(errors.contains(text), "\(errors)")
    }

    @Test("docs/configuration.md equals the generated reference")
    func reference() async throws {
        let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let committed = try String(
            contentsOf: repository.appendingPathComponent("docs/configuration.md"), encoding: .utf8)
        let printed = try await Program.run(["serve", "--print-configuration-reference"], in: folder.url)
        #expect(printed.status == 0)
        #expect(
            printed.output == committed,
            "run: countersign serve --print-configuration-reference > docs/configuration.md")
    }

    @Test("--help lists every setting with its variable and default")
    func help() async throws {
        let help = try await Program.run(["serve", "--help"], in: folder.url, environment: ["COLUMNS": "400"])
        #expect(help.status == 0)
        let words = help.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        for setting in Setting.all {
            #expect(words.contains("--\(setting.declaration.name) "))
            #expect(words.contains("environment: COUNTERSIGN_\(setting.key.uppercased())]"))
            #expect(words.contains(setting.purpose))
        }
    }

    @Test("Mail needs a server with a sender, or a folder, and the password is not an option")
    func mail() async throws {
        let smtp = ["--smtp-url", "smtps://mail.example:465", "--mail-from", "login@dev.example"]
        let (plain, status, _) = await choices(smtp)
        #expect(status == 0)
        guard case .smtp(let configuration) = plain?.settings.mail else {
            Issue.record("no mail server")
            return
        }
        #expect(configuration.url == "smtps://mail.example:465" && configuration.password == nil)
        let international = await choices([
            "--smtp-url", "smtps://mail.example:465", "--mail-from", "login@bücher.example",
        ])
        guard case .smtp(let folded) = international.choices?.settings.mail else {
            Issue.record("\(international.errors)")
            return
        }
        #expect("\(folded.from)" == "login@xn--bcher-kva.example")
        try folder.write("from a file\n", to: "password")
        let path = folder.url.appendingPathComponent("password").path
        chmod(path, 0o600)
        for (arguments, environment, password) in [
            (["--smtp-password-file", path], [:], "from a file"),
            ([], ["COUNTERSIGN_SMTP_PASSWORD": "from outside"], "from outside"),
        ] as [([String], [String: String], String)] {
            let (choices, _, errors) = await choices(smtp + ["--smtp-user", "me"] + arguments, environment)
            guard case .smtp(let configuration) = choices?.settings.mail else {
                Issue.record("\(errors)")
                continue
            }
            #expect(configuration.user == "me")
            #expect(configuration.password.map { String(decoding: $0.bytes, as: UTF8.self) } == password)
        }
        guard case .folder("there", let from) = await choices(["--mail-folder", "there"]).choices?.settings.mail else {
            Issue.record("no folder")
            return
        }
        #expect("\(from)" == "countersign@localhost")
    }

    @Test(
        "Contradictory mail settings are refused",
        arguments: [
            (["--smtp-url", "smtp://mail.example"], "smtp-url needs a sender"),
            (["--smtp-url", "http://mail.example", "--mail-from", "a@b"], "smtp-url must have the form smtp://"),
            (["--smtp-url", "smtp://mail.example", "--mail-from", "nobody"], "mail-from must be a mail address"),
            (
                ["--smtp-url", "smtp://mail.example", "--mail-from", "a@b", "--smtp-user", "me"],
                "smtp-user and its password must be set together"
            ),
            (
                ["--smtp-url", "smtp://mail.example", "--mail-folder", "x"],
                "set either smtp-url or mail-folder, not both"
            ),
            (["--smtp-user", "me"], "smtp-user and smtp-password-file need smtp-url"),
            (
                [
                    "--smtp-url", "smtp://h", "--mail-from", "a@b", "--smtp-user", "u", "--smtp-password-file",
                    "/nowhere",
                ],
                "smtp-password-file: "
            ),
        ])
    func brokenMail(arguments: [String], problem: String) async {
        let (_, status, errors) = await choices(arguments)
        #expect(status == 2)
        #expect(errors.contains(problem), "\(errors)")
    }
}
