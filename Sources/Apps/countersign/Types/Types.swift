import Primitives
import Terminal

extension Command {
    /// Types for programs, from the schemas of a tenant's APIs.
    static var types: Command {
        let typeScript = Option<Bool>.flag("typescript", "Print a module of TypeScript.")
        let python = Option<Bool>.flag("python", "Print a module of Python, with a TypedDict for each object.")
        let api = Option<String?>.optional(
            "api", .string.placeholder("IDENTIFIER"), defaultText: "all", "Identifier of the API.")
        return onTenant(
            "types", "Print types of a programming language for the authorization details that a tenant's APIs accept.",
            discussion: """
                The same schemas always give the same text. Rules that a type cannot say, such as a pattern, are left to \
                the server. AuthorizationDetail is the union of all types.
                """,
            options: [typeScript, python, api],
            examples: [
                "for TypeScript": "countersign types --typescript >details.ts",
                "for Python, of one API": "countersign types --python --api https://api.example.com/ >details.py",
            ]
        ) { target, invocation in
            guard try invocation[typeScript] != invocation[python] else {
                throw UsageError("give either --typescript or --python")
            }
            let name = try invocation[api]
            let all = try await target.pages("/resource-servers", key: "resource_servers").objects
            let apis = all.map { (identifier: $0["identifier"]?.stringValue ?? "", document: $0) }
                .filter { name == nil || $0.identifier == name }.sorted { $0.identifier < $1.identifier }
            guard !apis.isEmpty else {
                throw CommandFailure(
                    "the tenant \(target.name) has no API \(name ?? "")",
                    hint: "countersign api list shows those that there are")
            }
            var module = TypeModule()
            for api in apis {
                let types = api.document["authorization_details"]?.arrayValue ?? []
                for (type, schema) in types.map({ ($0["type"]?.stringValue ?? "", $0["schema"]) })
                    .sorted(by: { $0.0 < $1.0 })
                {
                    module.add(type, schema: schema)
                }
            }
            invocation.output.raw(try invocation[python] ? module.python : module.typeScript)
        }
    }
}
