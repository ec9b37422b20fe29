import AuthorizationCore
import Configuration
import HTTPModel
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
            members: DocumentOptions.members(Client.fields), path: "/clients", collection: "clients",
            details: { target, client in
                [.credentials(try await target.credentials(of: client), of: client)].compactMap(\.self)
            },
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
            let made = try await target.send(.post, "/clients/{id}/rotate-secret", [try invocation[id]])
            try ObjectCommands.print(made, invocation)
        }
    }
}
