import Glibc
import Primitives
import Terminal

extension Command {
    static var countersign: Command {
        Command(
            "countersign", "A self-hosted authorization server: an agent asks, a person countersigns.",
            version: Release.title("countersign"),
            examples: [
                Example("start a development server and print commands to try", "countersign serve"),
                Example("apply a configuration file", "countersign apply configuration.json"),
                Example(
                    "list users of a server elsewhere",
                    "countersign --server https://id.shop.example --client ci user list"),
            ],
            subcommands: [
                .serve, .apply, .tenants, .admin, .users, .clients, .apis, .roles, .device, .push, .mail, .keys,
                .consents,
                .deliveries, .log, .receipt, .doctor, .healthcheck,
                .backup, .restore, .store, .export, .import, .keyExchange,
                .ask, .login, .gate, .types,
                .completions(of: "countersign") { .countersign },
            ]
        ).leading(ServerOptions.leading)
    }
}

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
