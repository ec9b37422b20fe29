import HTTPModel
import JSONSchema
import Localization
import ManagementAPI
import OAuthWire
import Pages
import Primitives

/// The page of one user: all that the person's scopes let them see of the account.
enum UserPage {
    private static var texts: Localized<Texts.Dashboard.Users> { localized.dashboard.users }

    @Sendable static func show(_ visit: DashboardVisit) async throws -> Response {
        let user = try await visit.answer("get_user", [visit.path.object ?? ""])
        var blocks = visit.doneNotice + actions(user, visit)
        blocks += [.heading(texts.page.profile), .facts(profile(user))]
        blocks += try await UserFactors.blocks(visit)
        blocks += try await UserAccess.blocks(visit)
        blocks += metadata(user)
        blocks += try await attempts(visit)
        blocks += try await UserTimeline.summary(visit)
        blocks += visit.links([UserActions.delete])
        return visit.show(localized.dashboard.sections.users, name: UserList.name(of: user), blocks)
    }

    private static func actions(_ user: JSONValue, _ visit: DashboardVisit) -> [DashboardBlock] {
        let hasPassword = user["identities"]?[0]?["provider"] == "auth0"
        let isNew = user["logins_count"] == 0
        let needsProof = user["email"] != nil && user["email_verified"] != true
        var offered = [UserActions.edit]
        if hasPassword { offered.append(isNew ? UserActions.invite : UserActions.reset) }
        if needsProof { offered.append(UserActions.confirm) }
        offered.append(user["blocked"] == true ? UserActions.unblock : UserActions.block)
        return visit.links(offered, primary: hasPassword && isNew ? UserActions.invite : nil)
    }

    private static func profile(_ user: JSONValue) -> [DashboardBlock.Fact] {
        func fact(_ label: LocalizedText, _ member: String) -> DashboardBlock.Fact? {
            guard let value = user[member] else { return nil }
            return DashboardBlock.Fact(.ours(label), DashboardBlock.Inline.value(value))
        }
        let connections = (user["identities"]?.arrayValue ?? []).compactMap { $0["connection"]?.stringValue }
        let address = user["last_ip"]?.stringValue.map { [DashboardBlock.Inline.code($0)] } ?? []
        let facts = [
            DashboardBlock.Fact(.ours(localized.dashboard.frame.id), [.id(user["user_id"]?.stringValue ?? "")]),
            DashboardBlock.Fact(.ours(texts.list.state), UserList.state(of: user)),
            fact(texts.list.email, "email"), fact(texts.page.username, "username"),
            fact(texts.page.phone, "phone_number"), fact(texts.page.language, "locale"),
            DashboardBlock.Fact(.ours(texts.page.connection), connections.map { .code($0) }),
            DashboardBlock.Fact(.ours(texts.list.lastLogin), UserList.lastLogin(of: user) + address),
            fact(texts.page.loginCount, "logins_count"), fact(texts.page.created, "created_at"),
        ]
        return facts.compactMap(\.self)
    }

    private static func metadata(_ user: JSONValue) -> [DashboardBlock] {
        let found = ["user_metadata", "app_metadata"].compactMap { name in
            user[name].map { value in
                DashboardBlock.code(JSONWriter.lines(value).joined(separator: "\n"), label: LocalizedText { _ in name })
            }
        }
        return [.heading(texts.page.metadata)] + (found.isEmpty ? [.text(.ours(texts.page.noMetadata))] : found)
    }

    private static func attempts(_ visit: DashboardVisit) async throws -> [DashboardBlock] {
        guard let answer = try await visit.ifAllowed("list_user_blocks", [visit.path.object ?? ""]) else { return [] }
        let facts = (answer["blocked_for"]?.arrayValue ?? []).map { block in
            let factor = block["factor"]?.stringValue ?? ""
            let address = block["ip"]?.stringValue
            return DashboardBlock.Fact(
                .theirs(block["identifier"]?.stringValue ?? ""),
                [
                    .state(
                        .shown(
                            LocalizedText {
                                texts.page.attempt[$0](factor, address ?? texts.page.everywhere[$0])
                            }), .bad)
                ])
        }
        let state: [DashboardBlock] =
            facts.isEmpty ? [.text(.ours(texts.page.noAttempts))] : [.facts(facts)] + visit.links([UserActions.lift])
        return [.heading(texts.page.attempts)] + state
    }
}
