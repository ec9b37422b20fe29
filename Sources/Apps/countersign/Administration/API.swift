import Administration
import AuthorizationCore
import Configuration
import CountersignServer
import ManagementAPI
import Primitives
import Terminal

extension Command {
    static var apis: Command {
        ObjectCommands(
            name: "api", kind: .resourceServer,
            summary: "Manage APIs (resource servers), for which access tokens are issued.",
            examples: ObjectCommands.Examples(
                id: "https://api.example.com/",
                create: [
                    Example(
                        "create an API with a scope",
                        #"countersign api create --identifier https://stock.example.com/ --set 'scopes=[{"value":"read"}]'"#
                    )
                ],
                update: [
                    Example(
                        "let an API accept payments as authorization details",
                        #"countersign api update https://api.example.com/ --set 'authorization_details=[{"type":"payment"}]'"#
                    )
                ]),
            columns: [
                "API": "identifier",
                "NAME": "name",
                "ALGORITHM": "signing_alg",
                "LIFETIME": "token_lifetime",
            ],
            operand: "API", members: DocumentOptions.members(ResourceServer.fields),
            list: { target, _ in
                let apis = try await target.installation.resourceServers.list(target.tenant)
                return ObjectCommands.Listing(try apis.map { try document(of: $0, target) })
            },
            show: { target, name in
                try document(
                    of: try await target.installation.resourceServers.resourceServer(name, of: target.tenant), target)
            },
            create: { target, given in
                try document(
                    of: try await target.installation.resourceServers.create(
                        given, of: target.tenant, for: target.context),
                    target)
            },
            update: { target, name, patch in
                try document(
                    of: try await target.installation.resourceServers.update(
                        name, patch, of: target.tenant, for: target.context), target)
            },
            delete: { target, name in
                _ = try await target.installation.resourceServers.remove(name, of: target.tenant, for: target.context)
            }, withoutEffect: .resourceServers
        ).command
    }

    private static func document(of api: ResourceServer, _ target: ObjectCommands.Target) throws -> JSONObject {
        ManagementAPI.document(of: api, id: target.installation.resourceServers.id(of: api, in: target.tenant.id))
    }
}
