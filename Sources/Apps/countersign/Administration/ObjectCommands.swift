import Administration
import AuthorizationCore
import CountersignServer
import Primitives
import Terminal

/// The commands that look after one kind of object: list, show, create, update and delete, all of them in terms of the
/// documents that the Management API takes and gives.
struct ObjectCommands: Sendable {
    struct Column: Sendable {
        let heading: String
        /// A member of the document.
        let member: String
    }

    /// Whose objects, and in whose name.
    struct Scene: Sendable {
        let installation: Installation
        let tenant: Tenant
        let errand: Errand
    }

    let name: String
    let kind: ObjectKind
    let summary: String
    var discussion = ""
    let examples: [Command.Example]
    let columns: [Column]
    /// How the object is named as an operand, such as `ROLE`.
    let operand: String
    /// Members that can be given by an option of their own, beside `--set` and `--file`.
    let members: [(name: String, help: String)]
    let list: @Sendable (Scene) async throws -> [JSONObject]
    let show: @Sendable (Scene, String) async throws -> JSONObject
    let create: @Sendable (Scene, JSONObject) async throws -> JSONObject
    let update: @Sendable (Scene, String, JSONObject) async throws -> JSONObject
    let delete: @Sendable (Scene, String) async throws -> Void
    /// Further commands of the group.
    var further: [Command] = []

    var command: Command {
        Command(
            name, summary, discussion: discussion, examples: examples,
            subcommands: [listCommand, showCommand, createCommand, updateCommand, deleteCommand] + further)
    }

    private static let json = Option<Bool>.flag("json", "Print JSON.")

    private var id: Option<String> { .argument(operand, .string, "Which \(kind.words).") }

    private var listCommand: Command {
        Self.work("list", "Show all of them.", []) { scene, invocation in
            try Self.print(
                try await list(scene), columns: columns.map { ($0.heading, $0.member) }, invocation)
        }
    }

    private var showCommand: Command {
        Self.work("show", "Show all of one.", [id.declaration]) { scene, invocation in
            try Self.print(try await show(scene, try invocation[id]), invocation)
        }
    }

    private var createCommand: Command {
        let document = DocumentOptions(members: members)
        return Self.work("create", "Make one.", document.declarations) { scene, invocation in
            try Self.print(try await create(scene, try document.read(invocation)), invocation)
        }
    }

    private var updateCommand: Command {
        let document = DocumentOptions(members: members)
        return Self.work(
            "update", "Change one: what is named is replaced, null takes it away.",
            [id.declaration] + document.declarations
        ) { scene, invocation in
            let patch = try document.read(invocation)
            guard !patch.isEmpty else {
                throw UsageError("nothing to change was given", hint: "for example --set name=Example")
            }
            try Self.print(try await update(scene, try invocation[id], patch), invocation)
        }
    }

    private var deleteCommand: Command {
        Self.work("delete", "Remove one.", [id.declaration]) { scene, invocation in
            let id = try invocation[id]
            try await delete(scene, id)
            if try invocation[Self.json] {
                invocation.output.json(["deleted": .string(id)])
            } else {
                invocation.output.line("deleted \(id)")
            }
        }
    }

    /// A command on one tenant of an installation.
    static func work(
        _ name: String, _ summary: String, _ options: [OptionDeclaration], examples: [Command.Example] = [],
        _ body: @escaping @Sendable (Scene, Invocation) async throws -> Void
    ) -> Command {
        Command(
            name, summary,
            options: [
                OptionGroup("Options", options + [Installation.tenantOption.declaration, json.declaration]),
                ServerChoices.installationOptions,
            ], examples: examples
        ) { invocation in
            try await withInstallation(invocation) { installation in
                let tenant = try await installation.tenant(invocation)
                let errand = Errand(tenant: tenant.id, actor: .commandLine(invocation), now: SystemClock().now)
                do {
                    try await body(Scene(installation: installation, tenant: tenant, errand: errand), invocation)
                } catch let failure as AdministrationFailure {
                    throw CommandFailure(failure)
                }
                return 0
            }
        }
    }

    static func print(_ object: JSONObject, _ invocation: Invocation) throws {
        if try invocation[json] {
            invocation.output.json(.object(object))
        } else {
            invocation.output.fields(object.map { (name: $0.name, value: Text(text($0.value))) })
        }
    }

    static func print(
        _ objects: [JSONObject], columns: [(heading: String, member: String)], _ invocation: Invocation
    ) throws {
        if try invocation[json] {
            invocation.output.json(.array(objects.map(JSONValue.object)))
        } else {
            invocation.output.table(
                Table(
                    columns.map { Table.Column(Text($0.heading)) },
                    rows: objects.map { object in columns.map { Text(text(object[$0.member])) } }))
        }
    }

    /// A value as people read it: texts without quotes, lists with commas.
    static func text(_ value: JSONValue?) -> String {
        switch value {
        case nil, .null: ""
        case .string(let text): text
        case .array(let list) where list.allSatisfy({ $0.stringValue != nil }):
            list.compactMap(\.stringValue).joined(separator: ", ")
        case .some(let other): JSONWriter.string(other)
        }
    }
}

extension CommandFailure {
    /// What administration refused, with what to do about it.
    init(_ failure: AdministrationFailure) {
        switch failure {
        case .unknown(let kind): self.init("there is no such \(kind.words)", hint: "list shows those that there are")
        case .conflict(let kind, let property):
            self.init("there is a \(kind.words) with the same \(property) already", hint: "choose another \(property)")
        case .invalid(let problems):
            self.init(
                problems.map { $0.path.isEmpty ? $0.message : "\($0.path) \($0.message)" }.joined(separator: "\n"))
        case .unsupported(let reason): self.init(reason)
        }
    }
}
