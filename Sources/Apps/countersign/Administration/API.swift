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
            example: "https://api.example.com/",
            createExamples: [
                "create an API with a scope":
                    #"countersign api create --identifier https://stock.example.com/ --set 'scopes=[{"value":"read"}]'"#
            ],
            updateExamples: [
                "let an API accept payments as authorization details":
                    #"countersign api update https://api.example.com/ --set 'authorization_details=[{"type":"payment"}]'"#
            ],
            columns: ["API": "identifier", "NAME": "name", "ALGORITHM": "signing_alg", "LIFETIME": "token_lifetime"],
            members: DocumentOptions.members(ResourceServer.fields),
            list: { target, _ in
                ObjectCommands.Listing(try await target.apis.list(target.tenant).map(target.document))
            },
            show: { target, name in
                try target.document(of: try await target.apis.resourceServer(name, of: target.tenant))
            },
            create: { target, given in
                try target.document(of: try await target.apis.create(given, of: target.tenant, for: target.context))
            },
            update: { target, name, patch in
                try target.document(
                    of: try await target.apis.update(name, patch, of: target.tenant, for: target.context))
            },
            delete: { target, name in
                _ = try await target.apis.remove(name, of: target.tenant, for: target.context)
            }, withoutEffect: .resourceServers
        ).command
    }
}

extension ObjectCommands.Target {
    fileprivate var apis: ManageResourceServers { installation.resourceServers }

    fileprivate func document(of api: ResourceServer) throws -> JSONObject {
        ManagementAPI.document(of: api, id: apis.id(of: api, in: tenant.id))
    }
}
