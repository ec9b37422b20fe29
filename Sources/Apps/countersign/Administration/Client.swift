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
            example: "3vT0aMXjWkq2mZ9wqVbN1rYpLsKd8uXe",
            createExamples: [
                "an agent that asks for approvals":
                    #"countersign client create --name Agent --set 'grant_types=["urn:openid:params:grant-type:ciba"]'"#,
                "an app on phones, which has no secret": "countersign client create --name App --app-type native "
                    + #"--set 'callbacks=["com.example.app://callback"]'"#,
            ],
            updateExamples: [
                "ask users through e-mail, too": "countersign client update 3vT0aMXjWkq2mZ9wqVbN1rYpLsKd8uXe "
                    + #"--set 'async_approval_notification_channels=["guardian-push","email"]'"#
            ],
            columns: ["CLIENT": "client_id", "NAME": "name", "TYPE": "app_type", "GRANTS": "grant_types"],
            members: DocumentOptions.members(Client.fields),
            list: { target, _ in
                ObjectCommands.Listing(
                    try await target.clients.list(target.tenant.id).map {
                        ManagementAPI.document(of: $0, in: target.tenant)
                    })
            },
            show: { target, id in
                ManagementAPI.document(of: try await target.client(ClientID(id)), in: target.tenant)
            },
            details: { target, id in
                [.credentials(of: try await target.client(ClientID(id)))].compactMap(\.self)
            },
            create: { target, document in
                target.document(of: try await target.clients.create(document, for: target.context))
            },
            update: { target, id, patch in
                target.document(of: try await target.clients.update(ClientID(id), patch, for: target.context))
            },
            delete: { target, id in try await target.clients.remove(ClientID(id), for: target.context) },
            further: [rotateSecret, .grantToClient, .ungrantClient, .clientGrants, .clientCredentials],
            withoutEffect: .clients
        ).command
    }

    private static var rotateSecret: Command {
        let id = Option<String>.argument("CLIENT", .string, "Id of the client.")
        return ObjectCommands.work(
            "rotate-secret", "Replace a client's secret. The old one stops working at once.", [id],
            examples: ["give it another secret": "countersign client rotate-secret 3vT0aMXjWkq2mZ9wqVbN1rYpLsKd8uXe"]
        ) { target, invocation in
            let made = try await target.clients.rotateSecret(of: ClientID(try invocation[id]), for: target.context)
            try ObjectCommands.print(target.document(of: made), invocation)
        }
    }
}

extension ObjectCommands.Target {
    var clients: ManageClients { installation.clients }

    func client(_ id: ClientID) async throws -> Client { try await clients.client(id, of: tenant.id) }

    fileprivate func document(of made: ManageClients.WithSecret) -> JSONObject {
        ManagementAPI.document(of: made.client, secret: made.secret, in: tenant)
    }
}
