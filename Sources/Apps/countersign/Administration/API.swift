import AuthorizationCore
import Configuration
import CountersignServer
import HTTPModel
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
            members: DocumentOptions.members(ResourceServer.fields), path: "/resource-servers",
            collection: "resource_servers", template: agentTools, withoutEffect: .resourceServers
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
            let limits = try await target.get("/tenants/settings")["authorization_details_limits"]?.objectValue ?? [:]
            guard let raised = AgentTools.raised(limits) else { return }
            try await target.send(.patch, "/tenants/settings", [], ["authorization_details_limits": .object(raised)])
            invocation.output.note("Raised authorization_details_limits of the tenant \(target.name)")
        }
    }
}
