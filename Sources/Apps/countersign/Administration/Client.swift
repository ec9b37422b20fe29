import Administration
import AuthorizationCore
import Configuration
import CountersignServer
import ManagementAPI
import Primitives
import Terminal

extension Command {
    static var clients: Command {
        ObjectCommands(
            name: "client", kind: .client,
            summary: "Manage clients: applications that ask for approvals and log users in.",
            discussion: """
                A new secret is printed once and stored only as a hash. To authenticate a client by a key or \
                certificate instead, use countersign client credential add --use.
                """,
            examples: ObjectCommands.Examples(
                id: "3vT0aMXjWkq2mZ9wqVbN1rYpLsKd8uXe",
                create: [
                    Example(
                        "an agent that asks for approvals",
                        #"countersign client create --name Agent --set 'grant_types=["urn:openid:params:grant-type:ciba"]'"#
                    ),
                    Example(
                        "an app on phones, which has no secret",
                        "countersign client create --name App --app-type native "
                            + #"--set 'callbacks=["com.example.app://callback"]'"#),
                ],
                update: [
                    Example(
                        "ask users through e-mail, too",
                        "countersign client update 3vT0aMXjWkq2mZ9wqVbN1rYpLsKd8uXe "
                            + #"--set 'async_approval_notification_channels=["guardian-push","email"]'"#)
                ]),
            columns: [
                ObjectCommands.Column(heading: "CLIENT", member: "client_id"),
                ObjectCommands.Column(heading: "NAME", member: "name"),
                ObjectCommands.Column(heading: "TYPE", member: "app_type"),
                ObjectCommands.Column(heading: "GRANTS", member: "grant_types"),
            ],
            operand: "CLIENT", members: DocumentOptions.members(Client.fields),
            list: { scene, _ in
                ObjectCommands.Listing(
                    try await scene.installation.clients.list(scene.tenant.id).map {
                        ManagementAPI.document(of: $0, in: scene.tenant)
                    })
            },
            show: { scene, id in
                ManagementAPI.document(
                    of: try await scene.installation.clients.client(ClientID(id), of: scene.tenant.id),
                    in: scene.tenant)
            },
            details: { scene, id in
                let client = try await scene.installation.clients.client(ClientID(id), of: scene.tenant.id)
                return [.credentials(of: client)].compactMap(\.self)
            },
            create: { scene, document in
                shown(try await scene.installation.clients.create(document, for: scene.context), scene)
            },
            update: { scene, id, patch in
                shown(try await scene.installation.clients.update(ClientID(id), patch, for: scene.context), scene)
            },
            delete: { scene, id in try await scene.installation.clients.remove(ClientID(id), for: scene.context) },
            further: [rotateSecret, .grantToClient, .ungrantClient, .clientGrants, .clientCredentials]
        ).command
    }

    private static func shown(_ made: ManageClients.WithSecret, _ scene: ObjectCommands.Scene) -> JSONObject {
        ManagementAPI.document(of: made.client, secret: made.secret, in: scene.tenant)
    }

    private static var rotateSecret: Command {
        let id = Option<String>.argument("CLIENT", .string, "Id of the client.")
        return ObjectCommands.work(
            "rotate-secret", "Replace a client's secret. The old one stops working at once.", [id.declaration],
            examples: [
                Example("give it another secret", "countersign client rotate-secret 3vT0aMXjWkq2mZ9wqVbN1rYpLsKd8uXe")
            ]
        ) { scene, invocation in
            let made = try await scene.installation.clients.rotateSecret(
                of: ClientID(try invocation[id]), for: scene.context)
            try ObjectCommands.print(shown(made, scene), invocation)
        }
    }
}
