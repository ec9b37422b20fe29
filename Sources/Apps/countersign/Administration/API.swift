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
                        "make one with a scope",
                        #"countersign api create --identifier https://stock.example.com/ --set 'scopes=[{"value":"read"}]'"#
                    )
                ],
                update: [
                    Example(
                        "let it take payments as authorization details",
                        #"countersign api update https://api.example.com/ --set 'authorization_details=[{"type":"payment"}]'"#
                    )
                ]),
            columns: [
                ObjectCommands.Column(heading: "API", member: "identifier"),
                ObjectCommands.Column(heading: "NAME", member: "name"),
                ObjectCommands.Column(heading: "ALGORITHM", member: "signing_alg"),
                ObjectCommands.Column(heading: "LIFETIME", member: "token_lifetime"),
            ],
            operand: "API", members: DocumentOptions.members(ResourceServer.fields),
            list: { scene, _ in
                let apis = try await scene.installation.resourceServers.list(scene.tenant)
                return ObjectCommands.Listing(try apis.map { try document(of: $0, scene) })
            },
            show: { scene, name in
                try document(
                    of: try await scene.installation.resourceServers.resourceServer(name, of: scene.tenant), scene)
            },
            create: { scene, given in
                try document(
                    of: try await scene.installation.resourceServers.create(
                        given, of: scene.tenant, for: scene.context),
                    scene)
            },
            update: { scene, name, patch in
                try document(
                    of: try await scene.installation.resourceServers.update(
                        name, patch, of: scene.tenant, for: scene.context), scene)
            },
            delete: { scene, name in
                _ = try await scene.installation.resourceServers.remove(name, of: scene.tenant, for: scene.context)
            }
        ).command
    }

    private static func document(of api: ResourceServer, _ scene: ObjectCommands.Scene) throws -> JSONObject {
        ManagementAPI.document(of: api, id: scene.installation.resourceServers.id(of: api, in: scene.tenant.id))
    }
}
