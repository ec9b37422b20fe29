import Administration
import AuthorizationCore
import CountersignServer
import ManagementAPI
import Primitives
import Terminal

extension Command {
    static var clients: Command {
        ObjectCommands(
            name: "client", kind: .client,
            summary: "Look after clients: applications that ask for approvals and log users in.",
            discussion: "A new secret is printed once, and kept nowhere but as a hash.",
            examples: [
                Example(
                    "an agent that asks for approvals",
                    "countersign client create --name Agent --set 'grant_types=[\"urn:openid:params:grant-type:ciba\"]'"
                ),
                Example("give it another secret", "countersign client rotate-secret 3vT0aMXjWkq2mZ9wqVbN1rYpLsKd8uXe"),
            ],
            columns: [
                ObjectCommands.Column(heading: "CLIENT", member: "client_id"),
                ObjectCommands.Column(heading: "NAME", member: "name"),
                ObjectCommands.Column(heading: "TYPE", member: "app_type"),
                ObjectCommands.Column(heading: "GRANTS", member: "grant_types"),
            ],
            operand: "CLIENT",
            members: [
                ("name", "What people call it."),
                ("app_type", "native, spa, regular_web or non_interactive."),
                ("token_endpoint_auth_method", "How it proves itself, such as client_secret_post or none."),
            ],
            list: { scene in
                try await scene.installation.clients.list(scene.tenant.id).map {
                    ManagementAPI.document(of: $0, in: scene.tenant)
                }
            },
            show: { scene, id in
                ManagementAPI.document(
                    of: try await scene.installation.clients.client(ClientID(id), of: scene.tenant.id),
                    in: scene.tenant)
            },
            create: { scene, document in
                shown(try await scene.installation.clients.create(document, for: scene.errand), scene)
            },
            update: { scene, id, patch in
                shown(try await scene.installation.clients.update(ClientID(id), patch, for: scene.errand), scene)
            },
            delete: { scene, id in try await scene.installation.clients.remove(ClientID(id), for: scene.errand) },
            further: [rotateSecret]
        ).command
    }

    private static func shown(_ made: ManageClients.WithSecret, _ scene: ObjectCommands.Scene) -> JSONObject {
        ManagementAPI.document(of: made.client, secret: made.secret, in: scene.tenant)
    }

    private static var rotateSecret: Command {
        let id = Option<String>.argument("CLIENT", .string, "Which client.")
        return ObjectCommands.work(
            "rotate-secret", "Give a client another secret: the old one is good no more.", [id.declaration]
        ) { scene, invocation in
            let made = try await scene.installation.clients.rotateSecret(
                of: ClientID(try invocation[id]), for: scene.errand)
            try ObjectCommands.print(shown(made, scene), invocation)
        }
    }
}
