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
                    #"countersign api create --identifier https://stock.example.com/ --set 'scopes=[{"value":"read"}]'"#,
                "create the API for agents' tool calls and commands": "countersign api create --agent-tools",
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
            }, template: agentTools, withoutEffect: .resourceServers
        ).command
    }

    private static var agentTools: ObjectCommands.Template {
        ObjectCommands.Template(
            option: .flag(
                "agent-tools",
                "Create \(AgentTools.identifier), the API of agents, with the types tool_call, payment and command. Also "
                    + "raises the tenant's limits of authorization details if they are lower than a command needs."),
            document: AgentTools.document
        ) { target, invocation in
            guard let raised = AgentTools.raised(target.tenant.settings.authorizationDetailsLimits) else {
                return
            }
            let tenant = target.tenant.document.merged(with: [
                "settings": ["authorization_details_limits": .object(raised)]
            ])
            try await target.installation.store(tenant, invocation)
            invocation.output.note("Raised authorization_details_limits of the tenant \(target.tenant.id)")
        }
    }
}

extension ObjectCommands.Target {
    fileprivate var apis: ManageResourceServers { installation.resourceServers }

    fileprivate func document(of api: ResourceServer) throws -> JSONObject {
        ManagementAPI.document(of: api, id: apis.id(of: api, in: tenant.id))
    }
}
