import Administration
import AuthorizationCore
import Configuration
import HTTPModel
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
        _ work: @escaping @Sendable (ManagedTenant, Invocation) async throws -> [JSONObject]
    ) -> Command {
        onTenant(name, summary, options: options + [jsonArray], examples: examples) { target, invocation in
            let keys: [JSONObject]
            do { keys = try await work(target, invocation) } catch AdministrationFailure.unknown {
                throw CommandFailure(
                    "the tenant \(target.name) has no such key", hint: "countersign keys list shows the keys")
            }
            try invocation.show(.array(keys.map(\.shownKey)), .of(keys), asJSON: jsonArray)
        }
    }

    private static var listKeys: Command {
        keyCommand(
            "list", "Show all keys, including revoked ones.", [],
            examples: ["list the keys of a tenant": "countersign keys list --tenant shop"]
        ) { target, _ in try await target.all("/keys/signing") }
    }

    private static var showKey: Command {
        let id = Option<String>.argument("KID", .string, "Id of the key, as in a token's header.")
        return keyCommand(
            "show", "Show one key.", [id],
            examples: ["check if a token's key still signs": "countersign keys show oF6p-nCF8v1_eqO0Ck-3Yg"]
        ) { target, invocation in [try await target.get("/keys/signing/{kid}", try invocation[id])] }
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
        ) { target, invocation in
            let algorithm = try invocation[algorithm]
            try await target.send(
                .post, "/keys/signing/rotate", query: algorithm.map { ["algorithm": $0] } ?? [:])
            return try await target.all("/keys/signing").filter { key in
                key["current"] == true && (algorithm ?? key["alg"]?.stringValue) == key["alg"]?.stringValue
            }
        }
    }

    private static var revokeKey: Command {
        let id = Option<String>.argument("KID", .string, "Id of the key, as in a token's header.")
        return keyCommand(
            "revoke", "Stop publishing a key: its signatures no longer verify. The next key takes its place.",
            [id],
            examples: ["withdraw a key that may have leaked": "countersign keys revoke oF6p-nCF8v1_eqO0Ck-3Yg"]
        ) { target, invocation in
            let id = try invocation[id]
            guard try await target.get("/keys/signing/{kid}", id)["revoked"] != true else {
                throw CommandFailure("the key is already revoked", hint: "countersign keys list shows the keys")
            }
            try await target.send(.put, "/keys/signing/{kid}/revoke", [id], query: ["current": "true"])
            return [try await target.get("/keys/signing/{kid}", id)]
        }
    }
}

/// The Management API's document of a key.
extension JSONObject {
    fileprivate var shownKey: JSONValue {
        var shown = JSONObject()
        for name in ["kid", "alg", "status", "created_at", "changed_at"] { shown[name] = self[name] }
        return .object(shown)
    }
}

extension Table {
    fileprivate static func of(_ keys: [JSONObject]) -> Table {
        Table(
            ["KID", "ALGORITHM", "STATUS", "CREATED", "CHANGED"],
            rows: keys.map { key in
                func text(_ name: String) -> String { key[name]?.stringValue ?? "" }
                return [
                    Text(text("kid")), Text(text("alg")),
                    key["intact"] == false
                        ? Text("changed", .red) : Text(text("status"), key["current"] == true ? .green : nil),
                    Text(text("created_at")), Text(text("changed_at")),
                ]
            })
    }
}
