import AuthorizationCore
import Configuration
import CountersignServer
import HTTPModel
import Primitives
import Terminal

/// Commands for one kind of object: list, show, create, update and delete. They read and print the documents of the
/// Management API.
struct ObjectCommands: Sendable {
    /// The installation and tenant that a command works on, and its actor.
    struct Target: Sendable {
        let installation: Installation
        let tenant: Tenant
        let context: AdministrativeContext

        init(_ installation: Installation, _ invocation: Invocation) async throws {
            self.installation = installation
            tenant = try await installation.tenant(invocation)
            context = AdministrativeContext(tenant: tenant.id, actor: .commandLine(invocation), now: SystemClock().now)
        }
    }

    /// Objects, possibly only the first of `total`.
    struct Listing: Sendable {
        let objects: [JSONObject]
        let total: Int

        init(_ objects: [JSONObject], total: Int? = nil) {
            self.objects = objects
            self.total = total ?? objects.count
        }

        /// The first `limit` objects.
        func cut(to limit: Int) -> Listing { Listing(Array(objects.prefix(limit)), total: total) }
    }

    /// Information that `show` adds to an object's document.
    struct Detail: Sendable {
        /// Name of the member in the output of `--json`.
        let name: String
        let json: JSONValue
        /// Lines in the output for people.
        let lines: [String]
        /// Member of the document that the output for people omits.
        var replaces: String?
    }

    /// A ready document, and the work that it needs besides.
    struct Template: Sendable {
        let option: Option<Bool>
        let document: JSONObject
        let prepare: @Sendable (ManagedTenant, Invocation) async throws -> Void
    }

    let name: String
    let kind: ObjectKind
    let summary: String
    var discussion = ""
    /// An id for examples, quoted for the shell.
    let example: String
    let createExamples: Command.Examples
    let updateExamples: Command.Examples
    /// Headings of the list, with members of the documents.
    let columns: KeyValuePairs<String, String>
    /// Members with their own option.
    let members: [DocumentOptions.Member]
    /// The objects' path in the Management API: `/clients`.
    let path: String
    /// Member with the list in an answer with totals.
    let collection: String
    /// Lists at most the given number of objects. Nil reads the pages of `path`.
    var list: (@Sendable (ManagedTenant, Int) async throws -> Listing)?
    /// The id for a name as a person gives it.
    var id: @Sendable (ManagedTenant, String) async throws -> String = { $1 }
    /// A new document with its defaults.
    var complete: @Sendable (JSONObject) -> JSONObject = { $0 }
    /// The document that is shown, of one as the API answers it.
    var whole: @Sendable (ManagedTenant, JSONObject) async throws -> JSONObject = { $1 }
    var details: @Sendable (ManagedTenant, JSONObject) async throws -> [Detail] = { _, _ in [] }
    var further: [Command] = []
    /// A document that `create` can begin with.
    var template: Template?
    /// Members that the documents may have for Auth0's tools.
    var withoutEffect: Auth0Members?

    var command: Command {
        Command(
            name, summary, discussion: discussion,
            examples: [createCommand, updateCommand].flatMap(\.examples) + further.flatMap { $0.examples.prefix(1) },
            subcommands: [listCommand, showCommand, createCommand, updateCommand, deleteCommand] + further
        ).hints(["add": "countersign \(name) create makes one", "remove": "countersign \(name) delete removes one"])
    }

    private var argument: Option<String> { .argument(name.uppercased(), .string, "The \(kind.words).") }

    private func show(_ target: ManagedTenant, _ invocation: Invocation) async throws -> JSONObject {
        try await target.get("\(path)/{id}", try await id(target, try invocation[argument]))
    }

    private var listCommand: Command {
        Self.work(
            "list", "Show all \(kind.words)s.", [Self.limit],
            examples: [
                "all of them": "countersign \(name) list",
                "the first ten, for a program": "countersign \(name) list --limit 10 --json",
            ]
        ) { target, invocation in
            let limit = try invocation[Self.limit] ?? .max
            let listing =
                if let list { try await list(target, limit) } else {
                    try await target.pages(path, key: collection, limit: limit)
                }
            var shown: [JSONObject] = []
            for object in listing.objects.prefix(limit) { shown.append(try await whole(target, object)) }
            try Self.print(Listing(shown, total: listing.total), columns: columns, invocation)
        }
    }

    private var showCommand: Command {
        Self.work(
            "show", "Show one \(kind.words).", [argument],
            examples: ["show one": "countersign \(name) show \(example)"]
        ) { target, invocation in
            let shown = try await whole(target, try await show(target, invocation))
            try Self.print(shown, details: try await details(target, shown), invocation)
        }
    }

    private var createCommand: Command {
        let document = DocumentOptions(members: members)
        let options = document.declarations + (template.map { [$0.option] } ?? [])
        return Self.work("create", "Create a new \(kind.words).", options, examples: createExamples) {
            target, invocation in
            let template = try template.flatMap { try invocation[$0.option] ? $0 : nil }
            let given = (template?.document ?? [:]).patched(with: try document.read(invocation))
            let made = try await target.send(.post, path, complete(given))
            try await template?.prepare(target, invocation)
            try Self.print(try await whole(target, made), invocation)
            warn(about: given, invocation)
        }
    }

    private var updateCommand: Command {
        let document = DocumentOptions(members: members)
        return Self.work(
            "update", "Change a \(kind.words). Given members are replaced, and null removes a member.",
            [argument] + document.declarations, examples: updateExamples
        ) { target, invocation in
            let patch = try document.read(invocation)
            guard !patch.isEmpty else {
                throw UsageError("nothing to change was given", hint: "for example --set name=Example")
            }
            let id = try await id(target, try invocation[argument])
            let changed = try await target.send(.patch, "\(path)/{id}", [id], patch)
            try Self.print(try await whole(target, changed), invocation)
            warn(about: patch, invocation)
        }
    }

    private func warn(about document: JSONObject, _ invocation: Invocation) {
        for warning in withoutEffect?.warnings(of: document) ?? [] { invocation.output.warning(Text(warning)) }
    }

    private var deleteCommand: Command {
        Self.work(
            "delete", "Delete a \(kind.words) permanently.", [argument, Self.yes],
            examples: [
                "after a question": "countersign \(name) delete \(example)",
                "without one, in a script": "countersign \(name) delete \(example) --yes",
            ]
        ) { target, invocation in
            let name = try invocation[argument]
            // Fails for an unknown object before it asks.
            _ = try await show(target, invocation)
            try await Self.confirmDeletion(of: "the \(kind.words) \(name)", invocation)
            try await target.send(.delete, "\(path)/{id}", [try await id(target, name)])
            try Self.printDeleted(name, invocation)
        }
    }

    /// A command on one tenant, here or at a server.
    static func work(
        _ name: String, _ summary: String, _ options: [any DeclaredOption], discussion: String = "",
        examples: Command.Examples, _ body: @escaping @Sendable (ManagedTenant, Invocation) async throws -> Void
    ) -> Command {
        .onTenant(
            name, summary, discussion: discussion, options: options + [json], examples: examples, body)
    }

    /// A command on one tenant of an installation.
    static func workHere(
        _ name: String, _ summary: String, _ options: [any DeclaredOption], discussion: String = "",
        examples: Command.Examples, _ body: @escaping @Sendable (Target, Invocation) async throws -> Void
    ) -> Command {
        .onDataFolder(
            name, summary, discussion: discussion,
            options: options + [Installation.tenantOption, json], examples: examples
        ) { installation, invocation in
            let target = try await Target(installation, invocation)
            do { try await body(target, invocation) } catch let failure as AdministrationFailure {
                throw CommandFailure(failure)
            }
            return 0
        }
    }
}

extension CommandFailure {
    /// Describes a refusal, with a hint.
    init(_ failure: AdministrationFailure) {
        switch failure {
        case .unknown(let kind): self.init("there is no such \(kind.words)", hint: "list shows those that there are")
        case .conflict(let kind, let property):
            self.init(
                "there is \(kind.oneInWords) with the same \(property) already", hint: "choose another \(property)")
        case .invalid(let problems):
            self.init(
                problems.map { $0.path.isEmpty ? $0.message : "\($0.path) \($0.message)" }.joined(separator: "; "),
                hint: problems.lazy.compactMap { Self.commands[$0.path] }.first)
        case .unsupported(let reason): self.init(reason)
        case .tooMany(let reason, _): self.init(reason)
        case .tooManyJobs(let limit): self.init("there are \(limit) unfinished jobs of this kind")
        case .beyondOwnScopes(let action, let missing): self.init("\(action) needs \(missing.joined(separator: ", "))")
        }
    }

    /// Hints for members that an update of the document cannot change.
    private static let commands = [
        "client_grants": "countersign client grant and ungrant change a client's grants",
        "unused_credentials": "countersign client credential add and remove change a client's credentials",
    ]
}
