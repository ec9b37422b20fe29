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
                "CLIENT": "client_id",
                "NAME": "name",
                "TYPE": "app_type",
                "GRANTS": "grant_types",
            ],
            operand: "CLIENT", members: DocumentOptions.members(Client.fields),
            list: { target, _ in
                ObjectCommands.Listing(
                    try await target.installation.clients.list(target.tenant.id).map {
                        ManagementAPI.document(of: $0, in: target.tenant)
                    })
            },
            show: { target, id in
                ManagementAPI.document(
                    of: try await target.installation.clients.client(ClientID(id), of: target.tenant.id),
                    in: target.tenant)
            },
            details: { target, id in
                let client = try await target.installation.clients.client(ClientID(id), of: target.tenant.id)
                return [.credentials(of: client)].compactMap(\.self)
            },
            create: { target, document in
                shown(try await target.installation.clients.create(document, for: target.context), target)
            },
            update: { target, id, patch in
                shown(try await target.installation.clients.update(ClientID(id), patch, for: target.context), target)
            },
            delete: { target, id in try await target.installation.clients.remove(ClientID(id), for: target.context) },
            further: [rotateSecret, .grantToClient, .ungrantClient, .clientGrants, .clientCredentials],
            withoutEffect: .clients
        ).command
    }

    private static func shown(_ made: ManageClients.WithSecret, _ target: ObjectCommands.Target) -> JSONObject {
        ManagementAPI.document(of: made.client, secret: made.secret, in: target.tenant)
    }

    private static var rotateSecret: Command {
        let id = Option<String>.argument("CLIENT", .string, "Id of the client.")
        return ObjectCommands.work(
            "rotate-secret", "Replace a client's secret. The old one stops working at once.", [id.declaration],
            examples: [
                Example("give it another secret", "countersign client rotate-secret 3vT0aMXjWkq2mZ9wqVbN1rYpLsKd8uXe")
            ]
        ) { target, invocation in
            let made = try await target.installation.clients.rotateSecret(
                of: ClientID(try invocation[id]), for: target.context)
            try ObjectCommands.print(shown(made, target), invocation)
        }
    }
}
