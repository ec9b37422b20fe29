import CountersignServer
import Primitives
import Terminal

/// Options by which a command works on a tenant of a running server instead of a data folder.
enum ServerOptions {
    private static let serverVariable = "COUNTERSIGN_SERVER"
    static let server = Option<String?>.optional(
        "server", .string.placeholder("URL"), environment: serverVariable,
        defaultText: "none, but the data folder",
        "Issuer URL of the tenant at a running server, to work on through its Management API.")
    static let secretVariable = "COUNTERSIGN_CLIENT_SECRET"
    private static let secretFile = Option<String?>.optional(
        "client-secret-file", .path, environment: "COUNTERSIGN_CLIENT_SECRET_FILE",
        "File with the client's secret. Or set \(secretVariable) to the secret itself.")
    private static let client = ConnectionOptions(client: "Id of a client with a grant for the Management API.")
    static let clientID = client.clientID
    static let clientKey = client.clientKey
    static let clientKeyID = client.clientKeyID
    static let authority = client.authority

    static let group = OptionGroup(
        "A server elsewhere", [server, clientID, secretFile, clientKey, clientKeyID, authority])

    static let leading = LeadingOptions(group, aliases: ["client": "client-id"]) { command, title in
        let names = command.declarations.map(\.name)
        let reason =
            if names.contains("expect-tree-head") {
                "the chain has the entries of all tenants, and a server that was changed would not say so: run it on the "
                    + "server's machine, or elsewhere on a backup, with the heads that you noted before"
            } else if names.contains("issuer") {
                "it is a client of a server already: name that with --issuer"
            } else if names.contains("data") {
                "it works on the data folder or all tenants of the server, which the Management API does not reach: run it "
                    + "on the server's machine"
            } else {
                "it works without a server"
            }
        return UsageError("\(title) does not take --server", hint: reason)
    }

    /// The URL of the server to work on. Nil means the data folder. The command line counts more than a variable.
    static func chosen(_ invocation: Invocation) throws(UsageError) -> String? {
        guard let url = try invocation[server] else { return nil }
        let homely = ServerChoices.installationOptions.declarations.first(where: invocation.isOnCommandLine)
        let isGiven = invocation.isOnCommandLine(server.declaration)
        if let homely {
            guard isGiven else { return nil }
            throw UsageError(
                "--server and \(homely.spelling) exclude each other", hint: "give one of them: elsewhere, or here")
        }
        if invocation.isOnCommandLine(Installation.tenantOption.declaration) {
            throw UsageError("--server and --tenant exclude each other", hint: "the server's host names the tenant")
        }
        return url
    }

    /// The server of the environment, for a command that works on a data folder although nobody named one.
    static func unused(_ invocation: Invocation) -> String? {
        guard let url = invocation.environment[serverVariable], !url.isEmpty,
            !ServerChoices.installationOptions.declarations.contains(where: invocation.isOnCommandLine)
        else { return nil }
        return url
    }

    /// The client's secret. Nil means a public client, which the server refuses.
    static func secret(_ invocation: Invocation) throws -> SecretBytes? {
        if let path = try invocation[secretFile] {
            var bytes = try readFile(path)
            while bytes.last == UInt8(ascii: "\n") || bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
            return SecretBytes(bytes)
        }
        guard let text = invocation.environment[secretVariable], !text.isEmpty else {
            throw UsageError(
                "the client's secret is missing",
                hint: "set \(secretVariable), or give --client-secret-file or --client-key")
        }
        return SecretBytes(utf8: text)
    }
}
