import Glibc
import Primitives
import Terminal

extension Command {
    /// The whole command, as `--help` shows it.
    static var countersign: Command {
        Command(
            "countersign", "A self-hosted authorization server: an agent asks, a person countersigns.",
            version: "countersign \(Release.version)",
            examples: [
                Example("a development server, with lines to paste", "countersign serve"),
                Example("make the server be what a file says", "countersign apply configuration.json"),
            ],
            subcommands: [
                .serve, .apply, .tenants, .users, .clients, .apis, .roles, .device, .keys, .consents, .log, .backup,
                .restore, .keyExchange, .ask, .login, .completions(of: "countersign") { .countersign },
            ])
    }
}

/// The environment this process was started with.
func processEnvironment() -> [String: String] {
    var variables: [String: String] = [:]
    var entry = environ
    while let text = entry.pointee {
        let parts = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
        entry += 1
    }
    return variables
}
