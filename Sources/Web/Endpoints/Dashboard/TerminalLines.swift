import AuthorizationCore
import HTTPModel
import ManagementAPI
import Localization
import OAuthWire
import Pages
import Primitives

/// A change as the commands that do the same: curl, and a file for `countersign apply` if it knows the object.
struct TerminalLines: Sendable {
    private let visit: DashboardVisit

    init(_ visit: DashboardVisit) { self.visit = visit }

    func blocks(_ request: ManagementRequest, _ action: DashboardAction, _ body: JSONObject) -> [DashboardBlock] {
        var blocks: [DashboardBlock] = []
        if let curl = curl(request) { blocks.append(.code(curl, label: localized.dashboard.frame.asCurl)) }
        if let apply = apply(body, action) { blocks.append(.code(apply, label: localized.dashboard.frame.asApply)) }
        return blocks.isEmpty ? [] : [.disclosure(localized.dashboard.frame.fromTerminal, blocks)]
    }

    /// Nil for an operation that does not exist.
    private func curl(_ request: ManagementRequest) -> String? {
        guard let (method, target) = visit.calls.target(of: request) else { return nil }
        var lines = [
            "curl -X \(method.rawValue) \(Self.quoted(visit.request.tenant.issuer + target.dropFirst()))",
            "-H \"Authorization: Bearer $TOKEN\"",
        ]
        if let body = request.body {
            lines += ["-H 'Content-Type: application/json'", "-d \(Self.data(body))"]
        }
        return lines.joined(separator: " \\\n  ")
    }

    /// The body as one word of a shell, which puts in the secrets from variables.
    private static func data(_ body: JSONValue) -> String {
        var variables: Set<String> = []
        let named = SecretMembers.replacing(in: body) { member in
            let variable = "$" + SecretMembers.variable(member)
            variables.insert(variable)
            return .string(variable)
        }
        return variables.sorted().reduce(quoted(JSONWriter.string(named))) {
            $0.replacing("\"\($1)\"", with: "\"'\"\($1)\"'\"")
        }
    }

    /// A text as one word of a shell (POSIX XCU 2.2.2).
    static func quoted(_ text: String) -> String { "'\(text.replacing("'", with: "'\\''"))'" }

    /// Nil if the change is none of an object in the file.
    private func apply(_ body: JSONObject, _ action: DashboardAction) -> String? {
        guard let place = DashboardSections.filePlace(of: visit.path), place.operations.contains(action.operation),
            !body.isEmpty, action.form == nil
        else { return nil }
        var object = action.fixed(visit)
        if let id = visit.path.object, id != DashboardPath.new, let key = place.key { object[key] = .string(id) }
        for (name, value) in body { object[name] = value }
        let named = SecretMembers.replacing(in: .object(object)) { ["env": .string(SecretMembers.variable($0))] }
        let member: JSONValue = place.key == nil ? named : [named]
        let tenant: JSONObject = ["id": .string(visit.request.tenant.id.rawValue), place.member: member]
        let file: JSONValue = ["tenants": [.object(tenant)]]
        return "countersign apply - <<'EOF'\n\(JSONWriter.lines(file).joined(separator: "\n"))\nEOF"
    }
}
