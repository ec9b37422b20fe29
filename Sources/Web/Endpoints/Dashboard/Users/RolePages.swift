import APIDescription
import JSONSchema
import Localization
import ManagementAPI
import OAuthWire
import Pages
import Primitives

/// Permissions and members of a role, on its page.
enum RolePages {
    private static var texts: Localized<Texts.Dashboard.Users> { localized.dashboard.users }
    private static let pageSize = 50

    static func blocks(_ role: JSONObject, _ visit: DashboardVisit) async throws -> [DashboardBlock] {
        try await permissions(visit) + members(visit)
    }

    // MARK: permissions

    static let addPermission = DashboardAction(
        part: "add-permission", title: texts.actions.addPermission, lead: texts.actions.rightsLead,
        operation: "add_role_permissions",
        form: Permissions.form, compose: Permissions.body)
    static let removePermission = DashboardAction(
        part: "remove-permission", title: texts.actions.removePermission, operation: "remove_role_permissions",
        members: { _ in [] }, fixed: { Permissions.body(Permissions.permission(of: $0.item)) })

    private static func permissions(_ visit: DashboardVisit) async throws -> [DashboardBlock] {
        let role = visit.path.object ?? ""
        let answer = try await visit.ifAllowed("list_role_permissions", [role], query: page("permissions-from", visit))
        guard let answer else { return [] }
        let rows = (answer["permissions"]?.arrayValue ?? []).map { permission in
            [
                Permissions.name(of: permission), Permissions.api(of: permission, visit),
                visit.link(removePermission, Permissions.item(of: permission)),
            ]
        }
        return [
            .heading(texts.access.rolePermissions),
            .table(
                columns: [
                    .ours(texts.access.permission), .ours(texts.access.api), .ours(localized.dashboard.frame.change),
                ], rows: rows, empty: [.text(.ours(texts.access.noPermissions))]),
        ] + next("permissions-from", answer, visit) + visit.links([addPermission])
    }

    /// Both lists of the page have a parameter of their own.
    private static func page(_ parameter: String, _ visit: DashboardVisit) -> [(String, String)] {
        [("take", String(pageSize))] + (visit.given(parameter).map { [("from", $0)] } ?? [])
    }

    private static func next(_ parameter: String, _ answer: JSONValue, _ visit: DashboardVisit) -> [DashboardBlock] {
        guard let next = answer["next"]?.stringValue else { return [] }
        return [
            .links([
                DashboardBlock.Link(
                    .ours(localized.dashboard.frame.next), visit.url(visit.path, [(name: parameter, value: next)]))
            ])
        ]
    }

    // MARK: members

    static let addMembers = DashboardAction(
        part: "add-members", title: texts.actions.addMembers, lead: texts.actions.addMembersLead,
        operation: "add_role_users", members: { _ in ["users"] })
    static let removeMember = DashboardAction(
        part: "remove-member", title: texts.actions.removeMember, operation: "remove_user_roles", members: { _ in [] },
        values: { [$0.item] }, fixed: { ["roles": [.string($0.path.object ?? "")]] })

    static let actions = [addPermission, removePermission, addMembers, removeMember]

    private static func members(_ visit: DashboardVisit) async throws -> [DashboardBlock] {
        let role = visit.path.object ?? ""
        guard let answer = try await visit.ifAllowed("list_role_users", [role], query: page("from", visit)) else {
            return []
        }
        let rows = (answer["users"]?.arrayValue ?? []).map { user -> [[DashboardBlock.Inline]] in
            let id = user["user_id"]?.stringValue ?? ""
            return [
                [visit.linked(.theirs(UserList.name(of: user)), .users, id)],
                DashboardBlock.Inline.value(user["email"]), visit.link(removeMember, id),
            ]
        }
        return [
            .heading(texts.access.members),
            .table(
                columns: [
                    .ours(localized.dashboard.frame.name), .ours(texts.list.email),
                    .ours(localized.dashboard.frame.change),
                ], rows: rows, empty: [.text(.ours(texts.access.noMembers))]),
        ] + next("from", answer, visit) + visit.links([addMembers])
    }
}
