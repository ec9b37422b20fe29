import CountersignServer
import Glibc
import HTTPModel
import Terminal

extension Command {
    static var serve: Command {
        let quiet = Option<Bool>.flag("quiet", short: "q", "Print nothing on standard output; the log stays.")
        let reference = Option<Bool>.flag(
            "print-configuration-reference", "Print all settings as Markdown (docs/configuration.md).")
        return Command(
            "serve", "Run the server until SIGTERM or SIGINT; a second one ends it at once.",
            discussion: """
                With nothing configured it makes a data folder, a certificate authority of its own and a development \
                tenant, and prints lines to paste. Production needs tenants from countersign apply, a certificate, \
                and a master key that is kept elsewhere than the data.

                Each setting can also be a key of the file that --config names, with _ for -. An option comes before \
                an environment variable, a variable before the file. The master key itself is taken from \
                \(masterKeyVariable).
                """,
            options: Setting.groups.map(\.options) + [
                OptionGroup(
                    "Command", [ServerChoices.configurationFile.declaration, quiet.declaration, reference.declaration])
            ],
            examples: [
                Example("a development server on another port", "countersign serve --port 9443"),
                Example(
                    "behind a proxy on the same machine",
                    "countersign serve --tls off --client-address-proxies 127.0.0.1 --log-format json"),
            ]
        ) { invocation in
            if try invocation[reference] {
                invocation.output.raw(ConfigurationReference.markdown)
                return 0
            }
            let choices = try ServerChoices(invocation, settings: Setting.all)
            return try await run(choices, output: try invocation[quiet] ? nil : invocation.output)
        }
    }

    /// `output` nil prints nothing.
    private static func run(_ choices: ServerChoices, output: Output?) async throws -> Int32 {
        // Before there are other threads.
        let signals = try TerminationSignal.stream()
        var choices = choices
        let log = Log(format: choices.settings.logFormat, level: choices.settings.logLevel, clock: SystemClock())
        defer { log.close() }
        let installation: Installation
        let server: Server
        do {
            installation = try await Installation(choices.settings, for: .serving)
        } catch {
            throw refusal(of: error)
        }
        OpenFiles.raiseLimit(for: choices.settings, log)
        do {
            if choices.development, choices.isLoopback, try await DevelopmentConfiguration.isWanted(by: installation) {
                choices.keepDevelopmentMail()
                choices.settings.outgoingNetworks = choices.settings.outgoingNetworks ?? OutgoingPolicy.loopback
            }
            server = try await Server(choices.settings, installation: installation, log: log)
        } catch {
            await installation.close()
            throw refusal(of: error)
        }
        do {
            // The server listens by now, so that the tenant's host can have the port the system chose.
            let development =
                choices.development && choices.isLoopback
                ? try await DevelopmentConfiguration.prepare(installation, port: server.port, now: SystemClock().now)
                : nil
            try await server.refreshConfiguration()
            if server.tenantCount == 0 {
                log.write(
                    .warning, "no_tenant",
                    [
                        "hint":
                            "every request is refused until there is a tenant: countersign apply FILE makes one, of "
                            + #"{"tenants":[{"id":"shop","name":"Example Shop","host":"id.shop.example"}]} for example"#
                    ])
            }
            if let output {
                StartMessage(server: server, development: development).print(on: output)
            }
        } catch {
            await server.stop()
            throw error
        }
        log.write(.info, "listening", ["address": choices.settings.address, "port": String(server.port)])

        var arriving = signals.makeAsyncIterator()
        let signal = await arriving.next()
        log.write(.info, "stopping", ["signal": signal?.name ?? "none"])
        Task {
            for await signal in signals { _exit(128 + signal.rawValue) }
        }
        do {
            try StopWatchdog.start(for: server, log)
        } catch {
            log.write(.error, "stop_limit is not watched", ["problem": "\(error)"])
        }
        let isWhole = await server.stop()
        log.write(.info, "stopped")
        return isWhole ? 0 : 1
    }

    /// What nobody but who chose the settings can mend has the status of a wrong option: starting again is of no use.
    private static func refusal(of error: any Error) -> any Error {
        switch error {
        case is CommandFailure, is UsageError: error
        case let error as FolderInUse: CommandFailure(error.description, hint: error.hint)
        case is SettingFailure, is MasterKeyFailure:
            UsageError("\(error)", hint: "countersign serve --help lists the settings")
        default: CommandFailure("\(error)", hint: "countersign serve --help lists the settings")
        }
    }
}
