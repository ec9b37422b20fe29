import AuthorizationCore
import JSONSchema
import Localization
import ManagementAPI
import OAuthWire
import Pages
import Primitives

/// Phones, passkeys and recovery codes of a user.
enum UserFactors {
    private static var texts: Localized<Texts.Dashboard.Users.Factors> { localized.dashboard.users.factors }
    /// Deliveries that are looked through for the newest to each phone.
    private static let recent = 100

    static func blocks(_ visit: DashboardVisit) async throws -> [DashboardBlock] {
        let user = visit.path.object ?? ""
        let phones = try await visit.ifAllowed("list_user_enrollments", [user])
        let answer = try await visit.ifAllowed("list_authentication_methods", [user], query: [("take", "100")])
        let methods = answer?["authenticators"]?.arrayValue
        guard phones != nil || methods != nil else { return [] }
        var blocks: [DashboardBlock] = [.heading(texts.title)]
        if let phones = phones?.arrayValue {
            let pushes = try await newestPushes(to: user, visit)
            blocks.append(
                .table(
                    columns: [
                        .ours(texts.device), .ours(texts.state), .ours(texts.lastSeen), .ours(texts.push),
                        .ours(texts.added), .ours(localized.dashboard.frame.change),
                    ], rows: phones.map { row($0, pushes, methods ?? [], visit) },
                    empty: [.text(.ours(texts.noPhones))]))
        }
        if let methods { blocks += authenticators(methods, visit) + passkeys(methods, visit) }
        let kinds = Set((methods ?? []).compactMap { $0["type"]?.stringValue })
        let hasPhone = phones?.arrayValue?.isEmpty == false
        let offered =
            [UserActions.enroll] + (hasPhone || kinds.contains("totp") ? [UserActions.newCode] : [])
            + (hasPhone || !kinds.isDisjoint(with: ["passkey", "totp", "recovery-code"])
                ? [UserActions.resetFactors] : [])
        return blocks + visit.links(offered)
    }

    // MARK: phones

    private static func row(
        _ phone: JSONValue, _ pushes: [String: JSONValue], _ methods: [JSONValue], _ visit: DashboardVisit
    ) -> [[DashboardBlock.Inline]] {
        let id = phone["id"]?.stringValue ?? ""
        let makesPasswords = methods.contains { $0["id"]?.stringValue == "totp|\(id)" }
        let isLost = phone["key_lost_at"] != nil
        return [
            [.strong(.theirs(phone["name"]?.stringValue ?? "")), .id(id)],
            [isLost ? .state(.ours(texts.keyLost), .bad) : .state(.ours(texts.enrolled), .good)],
            DashboardBlock.Inline.value(phone["last_seen"]),
            isLost ? [] : push(phone, pushes[id]),
            DashboardBlock.Inline.value(phone["enrolled_at"]),
            visit.link(UserActions.removePhone, "push|\(id)")
                + (makesPasswords ? visit.link(UserActions.removePasswords, "totp|\(id)") : []),
        ]
    }

    /// Answers "does this phone ring?", and if it does not, says why.
    private static func push(_ phone: JSONValue, _ newest: JSONValue?) -> [DashboardBlock.Inline] {
        func said(_ sentence: Localized<@Sendable (String) -> String>, _ detail: String) -> Words {
            .shown(LocalizedText { sentence[$0](detail) })
        }
        if let reason = phone["push_ended_reason"]?.stringValue {
            let when = DashboardBlock.Inline.value(phone["push_ended_at"])
            return [.state(said(texts.ended, reason), .bad)] + when
        }
        guard let service = phone["push_service"]?.stringValue else {
            return [.state(.ours(texts.noPush), .waiting)]
        }
        guard let newest else { return [.code(service), .state(.ours(texts.notTried), .quiet)] }
        let state: DashboardBlock.Inline =
            switch (newest["state"]?.stringValue, newest["last_error"]?.stringValue) {
            case ("sent", _): .state(said(texts.works, service), .good)
            case ("skipped", _): .state(said(texts.skipped, service), .bad)
            case ("waiting", nil): .state(.ours(texts.notTried), .waiting)
            case (_, let error): .state(said(texts.failed, error ?? service), .bad)
            }
        return [state] + DashboardBlock.Inline.value(newest["ended_at"] ?? newest["created_at"])
    }

    /// The newest delivery by a push service to each phone.
    private static func newestPushes(to user: String, _ visit: DashboardVisit) async throws -> [String: JSONValue] {
        let query = [("user_id", user), ("take", String(recent))]
        let answer = try await visit.ifAllowed("list_deliveries", query: query)
        let pushes = (answer?["deliveries"]?.arrayValue ?? []).filter { delivery in
            ["apns", "fcm", "web_pushes"].contains(delivery["queue"]?.stringValue)
        }
        return Dictionary(pushes.map { ($0["device_id"]?.stringValue ?? "", $0) }) { newer, _ in newer }
    }

    // MARK: authenticator apps, passkeys and codes

    private static func authenticators(_ methods: [JSONValue], _ visit: DashboardVisit) -> [DashboardBlock] {
        let found = methods.filter {
            $0["id"]?.stringValue?.hasPrefix("totp|\(Identifiers.authenticatorPrefix)") == true
        }
        guard !found.isEmpty else { return [] }
        return [
            .table(
                columns: [.ours(texts.authenticators), .ours(texts.added), .ours(localized.dashboard.frame.change)],
                rows: found.map { app in
                    let name = app["name"]?.stringValue
                    return [
                        [.strong(name.map { .theirs($0) } ?? .ours(texts.authenticator))],
                        DashboardBlock.Inline.value(app["created_at"]),
                        visit.link(UserActions.removeApp, app["id"]?.stringValue ?? ""),
                    ]
                }, empty: [])
        ]
    }

    private static func passkeys(_ methods: [JSONValue], _ visit: DashboardVisit) -> [DashboardBlock] {
        let found = methods.filter { $0["type"] == "passkey" }
        let left = methods.first { $0["type"] == "recovery-code" }?["codes_left"]?.intValue ?? 0
        return [
            .table(
                columns: [
                    .ours(texts.passkeys), .ours(texts.lastUse), .ours(texts.added),
                    .ours(localized.dashboard.frame.change),
                ],
                rows: found.map { key in
                    [
                        [.strong(.theirs(key["name"]?.stringValue ?? ""))],
                        DashboardBlock.Inline.value(key["last_auth_at"]),
                        DashboardBlock.Inline.value(key["created_at"]),
                        visit.link(UserActions.removePasskey, key["id"]?.stringValue ?? ""),
                    ]
                }, empty: [.text(.ours(texts.noPasskeys))]),
            .facts([
                DashboardBlock.Fact(.ours(texts.recovery), [.words(.ours(LocalizedText { texts.codesLeft[$0](left) }))])
            ]),
        ]
    }
}
