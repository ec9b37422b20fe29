import Administration
import AuthorizationCore
import Configuration
import CountersignServer
import JOSE
import Primitives
import Terminal

extension Command {
    static var keys: Command {
        Command(
            "keys", "List, rotate and revoke a tenant's signing keys without downtime.",
            discussion: """
                For each algorithm, a tenant has a current key, which signs, and a next key, which is already \
                published. A previous key stays published until every token that it signed has expired, 31 days after \
                its last signature. An algorithm can have \(ManageSigningKeys.previousLimit) previous keys.
                """,
            examples: [rotateKeys, revokeKey].flatMap { $0.examples.prefix(1) },
            subcommands: [listKeys, showKey, rotateKeys, revokeKey]
        ).alias("key").hints([
            "create": "countersign keys rotate creates the next keys",
            "update": "keys do not change; countersign keys rotate switches to the next ones",
            "delete": revoking, "remove": revoking,
        ])
    }

    private static let revoking = "countersign keys revoke withdraws a key, and its signatures no longer verify"

    private static func keyCommand(
        _ name: String, _ summary: String, _ options: [any DeclaredOption], examples: Command.Examples,
        _ work: @escaping @Sendable (ManageSigningKeys, AdministrativeContext, Invocation) async throws -> [SigningKey]
    ) -> Command {
        onDataFolder(
            name, summary, options: options + [Installation.tenantOption, jsonArray],
            examples: examples
        ) { installation, invocation in
            let tenant = try await installation.tenant(invocation)
            let context = AdministrativeContext(
                tenant: tenant.id, actor: .commandLine(invocation), now: SystemClock().now)
            let keys: [SigningKey]
            do { keys = try await work(installation.signingKeys, context, invocation) } catch let failure
                as ManageSigningKeys.Failure
            {
                throw CommandFailure(failure.text(tenant: tenant), hint: "countersign keys list shows the keys")
            }
            try invocation.show(.array(keys.map(\.json)), .of(keys), asJSON: jsonArray)
            return 0
        }
    }

    private static var listKeys: Command {
        keyCommand(
            "list", "Show all keys, including revoked ones.", [],
            examples: ["list the keys of a tenant": "countersign keys list --tenant shop"]
        ) { keys, context, _ in try await keys.list(context.tenant) }
    }

    private static var showKey: Command {
        let id = Option<String>.argument("KID", .string, "Id of the key, as in a token's header.")
        return keyCommand(
            "show", "Show one key.", [id],
            examples: ["check if a token's key still signs": "countersign keys show oF6p-nCF8v1_eqO0Ck-3Yg"]
        ) { keys, context, invocation in
            let id = try invocation[id]
            let found = try await keys.list(context.tenant).filter { $0.id.rawValue == id }
            guard !found.isEmpty else { throw ManageSigningKeys.Failure.unknownKey }
            return found
        }
    }

    private static var rotateKeys: Command {
        let algorithm = Option<String?>.optional(
            "algorithm", .choice(signingAlgorithms.map(\.rawValue)), defaultText: "all of the tenant",
            "Algorithm whose keys to rotate.")
        return keyCommand(
            "rotate", "Start to sign with the next keys, and publish new next keys. Prints the keys that sign now.",
            [algorithm],
            examples: [
                "rotate all keys": "countersign keys rotate",
                "rotate the keys of one algorithm": "countersign keys rotate --algorithm RS256",
            ]
        ) { keys, context, invocation in
            try await keys.rotate(try invocation[algorithm].flatMap(JWSAlgorithm.init(rawValue:)), for: context)
        }
    }

    private static var revokeKey: Command {
        let id = Option<String>.argument("KID", .string, "Id of the key, as in a token's header.")
        return keyCommand(
            "revoke", "Stop publishing a key: its signatures no longer verify. The next key takes its place.",
            [id],
            examples: ["withdraw a key that may have leaked": "countersign keys revoke oF6p-nCF8v1_eqO0Ck-3Yg"]
        ) { keys, context, invocation in
            [try await keys.revoke(SigningKeyID(try invocation[id]), for: context)]
        }
    }
}

extension ManageSigningKeys.Failure {
    fileprivate func text(tenant: Tenant) -> String {
        switch self {
        case .unknownTenant: "there is no tenant \(tenant.id)"
        case .unknownKey: "the tenant \(tenant.id) has no such key"
        case .unusedAlgorithm(let algorithm): "the tenant \(tenant.id) has no keys of \(algorithm.rawValue)"
        case .alreadyRevoked: "the key is already revoked"
        case .isCurrent: "the key is the current one"
        case .tooManyPrevious(let algorithm, let end):
            "\(ManageSigningKeys.previousLimit) previous keys of \(algorithm.rawValue) are already published, the "
                + "first one until \(end.iso8601); revoke one, or wait"
        }
    }
}

extension SigningKey {
    fileprivate var json: JSONValue {
        [
            "kid": .string(id.rawValue), "alg": .string(algorithm.rawValue), "status": .string(status.rawValue),
            "created_at": .string(createdAt.iso8601), "changed_at": .string(changedAt.iso8601),
        ]
    }
}

extension Table {
    fileprivate static func of(_ keys: [SigningKey]) -> Table {
        Table(
            ["KID", "ALGORITHM", "STATUS", "CREATED", "CHANGED"],
            rows: keys.map { key in
                [
                    Text(key.id.rawValue), Text(key.algorithm.rawValue),
                    key.isIntact
                        ? Text(key.status.rawValue, key.status == .current ? .green : nil) : Text("changed", .red),
                    Text(key.createdAt.iso8601),
                    Text(key.changedAt.iso8601),
                ]
            })
    }
}
