import APIDescription
import AuthorizationCore
import Flows
import JSONSchema
import Localization
import ManagementAPI
import OAuthWire
import Pages
import Primitives

/// Every change of a user that a page offers.
enum UserActions {
    private static var texts: Localized<Texts.Dashboard.Users.Actions> { localized.dashboard.users.actions }

    static var all: [DashboardAction] {
        [create, edit, delete] + account + factors + access
    }

    /// The user of the page as a member of a body.
    private static let userID: @Sendable (DashboardVisit) -> JSONObject = {
        ["user_id": .string($0.path.object ?? "")]
    }
    private static let none: @Sendable (DashboardVisit) -> [String] = { _ in [] }
    private static let item: @Sendable (DashboardVisit) -> [String] = { [$0.item] }
    private static let userAndItem: @Sendable (DashboardVisit) -> [String] = { [$0.path.object ?? "", $0.item] }

    // MARK: the account

    private static let profile = [
        "email", "email_verified", "name", "given_name", "family_name", "nickname", "username", "phone_number",
        "locale", "picture", "user_metadata", "app_metadata",
    ]

    private static let newMembers =
        ["email", "name", "username", "password", "verify_email"]
        + profile.dropFirst(2).filter { !["name", "username"].contains($0) }

    static let create = DashboardAction(
        part: "new", title: texts.create, lead: texts.createLead, operation: "create_user",
        members: { _ in newMembers }, values: none,
        fixed: { _ in ["connection": .string(LoginConnection.defaultDatabaseName)] },
        outcome: .created("user_id"))
    static let edit = DashboardAction(
        part: "edit", title: texts.edit, operation: "update_user", current: "get_user", members: { _ in profile })
    static let delete = DashboardAction(
        part: "delete", title: texts.delete, lead: texts.deleteLead, operation: "delete_user", outcome: .list,
        isFinal: true)

    static let invite = passwordLink("invite", texts.invite, texts.inviteLead)
    static let reset = passwordLink("reset-password", texts.reset, texts.resetLead)

    private static func passwordLink(_ part: String, _ title: LocalizedText, _ lead: LocalizedText) -> DashboardAction {
        DashboardAction(
            part: part, title: title, lead: lead, operation: "create_password_change_ticket",
            members: { _ in ["send_mail"] }, values: none, fixed: userID,
            outcome: .shown { answer, visit in
                link(answer["ticket"]?.stringValue ?? "", visit)
            })
    }

    private static func blocking(
        _ part: String, _ title: LocalizedText, _ lead: LocalizedText?, _ isBlocked: Bool
    ) -> DashboardAction {
        DashboardAction(
            part: part, title: title, lead: lead, operation: "update_user", members: { _ in [] },
            fixed: { _ in ["blocked": .bool(isBlocked)] })
    }

    static let block = blocking("block", texts.block, texts.blockLead, true)
    static let unblock = blocking("unblock", texts.unblock, nil, false)
    static let lift = DashboardAction(
        part: "lift", title: texts.lift, lead: texts.liftLead, operation: "delete_user_blocks")
    static let confirm = DashboardAction(
        part: "verify-email", title: texts.confirm, lead: texts.confirmLead,
        operation: "create_verification_email_job", members: { _ in [] }, values: none, fixed: userID)

    private static var account: [DashboardAction] { [invite, reset, block, unblock, lift, confirm] }

    /// Shows a link, which the server does not show again.
    private static func link(_ url: String, _ visit: DashboardVisit) -> [DashboardBlock] {
        [.text(.ours(texts.linkShown)), .code(url, label: texts.link)]
    }

    // MARK: factors

    static let enroll = DashboardAction(
        part: "enroll", title: texts.enroll, lead: texts.enrollLead, operation: "create_guardian_enrollment_ticket",
        values: none, fixed: userID,
        form: .object([
            Member("send_mail", .boolean, "Mail the link to the user"),
            Member("allow_multiple_enrollments", .boolean, "True for a user who has a phone or an authenticator app"),
            Member("email", .text(1...254), "For the mail, if the user's address is not verified"),
        ]),
        outcome: .shown { answer, visit in
            let url = answer["ticket_url"]?.stringValue ?? ""
            let modules = visit.request.hosted.qrCode(url) ?? []
            return link(url, visit) + [.picture(EnrollDevicePage.Code(url, modules: modules), label: texts.scan)]
        })
    static let resetFactors = DashboardAction(
        part: "reset-factors", title: texts.resetFactors, lead: texts.resetFactorsLead,
        operation: "delete_user_authenticators", isFinal: true)
    static let removePhone = method("remove-phone", texts.removePhone)
    static let removePasskey = method("remove-passkey", texts.removePasskey)
    static let removePasswords = method("remove-passwords", texts.removePasswords)
    static let removeApp = method("remove-app", localized.account.phones.removeAuthenticator)
    static let newCode = DashboardAction(
        part: "new-code", title: texts.newCode, lead: texts.newCodeLead, operation: "regenerate_user_recovery_code",
        outcome: .shown { answer, _ in
            [.text(.ours(texts.codeShown)), .code(answer["recovery_code"]?.stringValue ?? "", label: texts.code)]
        })

    private static func method(_ part: String, _ title: LocalizedText) -> DashboardAction {
        DashboardAction(
            part: part, title: title, operation: "delete_authentication_method", values: userAndItem, isFinal: true)
    }

    private static var factors: [DashboardAction] {
        [enroll, resetFactors, removePhone, removePasskey, removePasswords, removeApp, newCode]
    }

    // MARK: access

    static let endSession = DashboardAction(
        part: "end-session", title: texts.endSession, operation: "delete_session", values: item)
    static let endSessions = DashboardAction(
        part: "end-sessions", title: texts.endSessions, lead: texts.endSessionsLead,
        operation: "delete_user_sessions")
    static let revokeConsent = DashboardAction(
        part: "revoke-consent", title: texts.revokeConsent, operation: "delete_grant", values: item)
    static let revokeToken = DashboardAction(
        part: "revoke-token", title: texts.revokeToken, operation: "delete_refresh_token", values: item)
    static let revokeTokens = DashboardAction(
        part: "revoke-tokens", title: texts.revokeTokens, operation: "delete_user_refresh_tokens")
    static let addRole = DashboardAction(
        part: "add-role", title: texts.addRole, lead: texts.rightsLead, operation: "add_user_roles",
        members: { _ in [] },
        fixed: { ["roles": [.string($0.item)]] })
    static let removeRole = DashboardAction(
        part: "remove-role", title: texts.removeRole, operation: "remove_user_roles", members: { _ in [] },
        fixed: { ["roles": [.string($0.item)]] })
    static let addPermission = DashboardAction(
        part: "add-permission", title: texts.addPermission, lead: texts.rightsLead,
        operation: "add_user_permissions",
        form: Permissions.form, compose: Permissions.body)
    static let removePermission = DashboardAction(
        part: "remove-permission", title: texts.removePermission, operation: "remove_user_permissions",
        members: { _ in [] },
        fixed: { Permissions.body(Permissions.permission(of: $0.item)) })

    private static var access: [DashboardAction] {
        [
            endSession, endSessions, revokeConsent, revokeToken, revokeTokens, addRole, removeRole, addPermission,
            removePermission,
        ]
    }
}

/// A permission in forms and addresses.
enum Permissions {
    private static let api = "resource_server_identifier"
    private static let name = "permission_name"

    static let form = Shape.object([
        .required(api, .text(1...600), "The identifier of the API"), .required(name, .text(1...280), "A scope of it"),
    ])

    static func body(_ permission: JSONObject) -> JSONObject { ["permissions": [.object(permission)]] }

    /// Scopes have no spaces (RFC 6749 clause 3.3), so the API follows the first one.
    static func item(of permission: JSONValue) -> String {
        "\(permission[name]?.stringValue ?? "") \(permission[api]?.stringValue ?? "")"
    }

    static func permission(of item: String) -> JSONObject {
        let parts = item.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        return [api: .string(String(parts.last ?? "")), name: .string(String(parts.first ?? ""))]
    }

    static func name(of permission: JSONValue) -> [DashboardBlock.Inline] {
        [.code(permission[name]?.stringValue ?? "")]
            + (permission["description"]?.stringValue.map { [.words(.theirs($0))] } ?? [])
    }

    static func api(of permission: JSONValue, _ visit: DashboardVisit) -> [DashboardBlock.Inline] {
        let id = permission[api]?.stringValue ?? ""
        return [visit.linked(.theirs(permission["resource_server_name"]?.stringValue ?? id), .apis, id)]
    }
}

extension DashboardVisit {
    /// True if the person's scopes allow the action, and the members that it sends.
    func isAllowed(_ action: DashboardAction) -> Bool {
        guard calls.allows(action.operation) else { return false }
        let withheld = calls.withheld(in: action.operation)
        return action.fixed(self).allSatisfy { !withheld.contains([$0.name]) }
    }

    /// Links to those of the actions that are allowed.
    func links(_ actions: [DashboardAction], primary: DashboardAction? = nil) -> [DashboardBlock] {
        let links = actions.filter(isAllowed).compactMap { action -> DashboardBlock.Link? in
            path.section.map {
                DashboardBlock.Link(
                    .ours(action.title), url($0, path.object, action.part), isPrimary: action.part == primary?.part)
            }
        }
        return links.isEmpty ? [] : [.links(links)]
    }

    /// The link to an action on one thing of the object.
    func link(_ action: DashboardAction, _ item: String) -> [DashboardBlock.Inline] {
        guard isAllowed(action), let section = path.section else { return [] }
        return [.link(.ours(action.title), url(section, path.object, "\(action.part):\(item)"))]
    }

    /// The link to the form of a new object.
    func starting(_ action: DashboardAction) -> [DashboardBlock] {
        guard isAllowed(action), let section = path.section else { return [] }
        return [.links([DashboardBlock.Link(.ours(action.title), url(section, DashboardPath.new), isPrimary: true)])]
    }

    /// The words as a link to an object, if the person may see its section.
    func linked(_ words: Words, _ section: DashboardPath.Section, _ object: String) -> DashboardBlock.Inline {
        DashboardSections.isShown(section, calls) ? .link(words, url(section, object)) : .words(words)
    }
}
