import Administration
import AuthorizationCore
import CountersignServer
import Primitives
import Terminal

extension Command {
    /// Types for programs, from the schemas of a tenant's APIs.
    static var types: Command {
        let typeScript = Option<Bool>.flag("typescript", "Print a module of TypeScript.")
        let python = Option<Bool>.flag("python", "Print a module of Python, with a TypedDict for each object.")
        let api = Option<String?>.optional(
            "api", .string.placeholder("IDENTIFIER"), defaultText: "all", "Identifier of the API.")
        return onDataFolder(
            "types", "Print types of a programming language for the authorization details that a tenant's APIs accept.",
            discussion: """
                The same schemas always give the same text. Rules that a type cannot say, such as a pattern, are left to \
                the server. AuthorizationDetail is the union of all types.
                """,
            options: [typeScript, python, api, Installation.tenantOption],
            examples: [
                "for TypeScript": "countersign types --typescript >details.ts",
                "for Python, of one API": "countersign types --python --api https://api.example.com/ >details.py",
            ]
        ) { installation, invocation in
            guard try invocation[typeScript] != invocation[python] else {
                throw UsageError("give either --typescript or --python")
            }
            let tenant = try await installation.tenant(invocation)
            let name = try invocation[api]
            let all = try await installation.resourceServers.list(tenant)
            let apis = all.filter { name == nil || $0.identifier == name }.sorted { $0.identifier < $1.identifier }
            guard !apis.isEmpty else {
                throw CommandFailure(
                    "the tenant \(tenant.id) has no API \(name ?? "")",
                    hint: "countersign api list shows those that there are")
            }
            var module = TypeModule()
            for api in apis {
                for type in api.authorizationDetailsTypes.sorted(by: { $0.type < $1.type }) {
                    module.add(type.type, schema: type.schemaSource)
                }
            }
            invocation.output.raw(try invocation[python] ? module.python : module.typeScript)
            return 0
        }
    }
}
