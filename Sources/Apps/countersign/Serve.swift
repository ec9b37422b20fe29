import Configuration
import CountersignServer
import Glibc
import ManagementAPI
import Terminal

extension Command {
    static var serve: Command {
        let quiet = Option<Bool>.flag(
            "quiet", short: "q", "Print nothing on standard output. The log is still written to standard error.")
        let reference = Option<Bool>.flag(
            "print-configuration-reference", "Print docs/configuration.md, a reference of all settings in Markdown.")
        let tables = Option<Bool>.flag(
            "print-field-tables", "Print the generated tables of docs/apply.md and docs/auth0.md in Markdown.")
        return Command(
            "serve", "Run the server until SIGTERM or SIGINT. A second signal ends it at once.",
            discussion: """
                On an empty database, it creates a certificate authority and a development tenant, and prints commands \
                to try. A production server needs tenants, a certificate, and a master key that is stored apart from \
                the data. Create tenants with countersign apply.

                Each setting can also be a key of the file that --config names, with _ instead of -. Options override \
                environment variables, and variables override the file. \(masterKeyVariable) can contain the master \
                key itself.
                """,
            options: Setting.groups.map(\.options) + [
                OptionGroup("Command", [ServerChoices.configurationFile, quiet, reference, tables])
            ],
            examples: [
                "start a development server on another port": "countersign serve --port 9443",
                "let phones in the same network use a development server":
                    "countersign serve --address 0.0.0.0 --development-host laptop.local",
                "run behind a proxy on the same machine":
                    "countersign serve --tls off --client-address-proxies 127.0.0.1 --log-format json",
            ]
        ) { invocation in
            if try invocation[tables] {
                invocation.output.raw((FieldTables.all + [Auth0Family.table]).joined(separator: "\n"))
                return 0
            }
            if try invocation[reference] {
                invocation.output.raw(ConfigurationReference.markdown)
                return 0
            }
            let settings = try ServerChoices(invocation, settings: Setting.all).settings
            return try await run(settings, output: try invocation[quiet] ? nil : invocation.output)
        }
    }

    /// Nil for `output` prints nothing.
    private static func run(_ settings: ServerSettings, output: Output?) async throws -> Int32 {
        // Before there are other threads.
        let signals = try TerminationSignal.stream()
        let log = Log(format: settings.logFormat, level: settings.logLevel, clock: SystemClock())
        defer { log.close() }
        let installation: Installation
        let server: Server
        do { installation = try await Installation(settings, .creating, for: .serving) } catch {
            throw refusal(of: error)
        }
        OpenFiles.raiseLimit(for: settings, log)
        do {
            server = try await Server(
                settings.resolved(for: installation), installation: installation, log: log)
        } catch {
            await installation.close()
            throw refusal(of: error)
        }
        do {
            // The server has its port by now, so the tenant's host can have one that the system chose.
            let host = settings.developmentHost ?? DevelopmentConfiguration.localHost
            let development =
                settings.allowsDevelopmentTenant
                ? try await DevelopmentConfiguration.prepare(
                    installation, host: host, port: server.port, now: SystemClock().now) : nil
            // A phone in the network cannot be given the link by a command on it.
            let link =
                settings.developmentHost == nil
                ? nil : try await development?.enrollmentLink(installation, now: SystemClock().now)
            try await server.refreshConfiguration()
            try server.start()
            if server.tenantCount == 0 {
                log.write(
                    .warning, "no_tenant",
                    [
                        "hint":
                            "every request is refused until there is a tenant; create one with countersign apply "
                            + "FILE, for example "
                            + #"{"tenants":[{"id":"shop","name":"Example Shop","host":"id.shop.example"}]}"#
                    ])
            }
            if let output {
                try StartMessage(server: server, development: development, enrollmentLink: link).print(on: output)
            }
        } catch {
            await server.stop()
            throw error
        }
        let store = settings.storeFacts
        log.write(
            .info, "listening",
            [
                "address": settings.address, "port": String(server.port), "store": store.engine,
                "database": store.place,
            ])

        var arriving = signals.makeAsyncIterator()
        let signal = await arriving.next()
        log.write(.info, "stopping", ["signal": signal?.name ?? "none"])
        Task {
            for await signal in signals { _exit(128 + signal.rawValue) }
        }
        do {
            try StopWatchdog.start(for: server, log)
        } catch {
            log.write(.error, "stop_limit is not enforced", ["problem": "\(error)"])
        }
        let isWhole = await server.stop()
        log.write(.info, "stopped")
        return isWhole ? 0 : 1
    }

    /// Problems that only other settings can fix have the exit status of a wrong option, so that service managers do
    /// not restart the server.
    private static func refusal(of error: any Error) -> any Error {
        switch error {
        case is CommandFailure, is UsageError: error
        case let error as InstallationRefusal: CommandFailure(error.description, hint: error.hint)
        case let error as PortFailure: CommandFailure(error.description, hint: error.hint)
        case is SettingFailure, is MasterKeyFailure:
            UsageError("\(error)", hint: "countersign serve --help lists the settings")
        default: CommandFailure("\(error)")
        }
    }
}
