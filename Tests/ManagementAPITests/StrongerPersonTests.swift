import AuthorizationCore
import Configuration
import HTTPModel
import JSONSchema
import OAuthWire
import Primitives
import TestSupport
import Testing

/// Calls every operation that changes something with a token that has the scopes of that operation alone.
@Suite("Management API: nobody changes a user who may do more")
struct StrongerPersonTests {
    private typealias Person = StrongerPersonFixture.Person

    private struct Attempt: Sendable {
        let path: String
        var body: JSONValue?
        /// False for an operation that succeeds without a trace in the tables.
        var changes = true

        init(_ path: String, _ body: JSONValue? = nil, changes: Bool = true) {
            self.path = path
            self.body = body
            self.changes = changes
        }
    }

    /// The object that an operation changes.
    private enum Object: Sendable {
        /// A user: refused for one who may do more, with each of these.
        case user(@Sendable (Person, StrongerPersonFixture) -> [Attempt])
        /// A role: refused for one that permits more.
        case role(@Sendable (RoleID) -> [Attempt])
        /// Something by which one could act as any user: refused while any user may do more.
        case everybody(@Sendable (StrongerPersonFixture) -> [Attempt])
        /// The credentials and rights of clients, which `ElevationTests` has.
        case client
        /// Nothing that a user is, has or may do.
        case other
    }

    private struct Place {
        let id: String
        let method: HTTPMethod
        /// Scopes of the operation, and of every member of its body.
        let sets: [[String]]
    }

    private static func places() async throws -> [Place] {
        try await ManagementFixture.paths.filter { $0.name.hasPrefix("/api/v2/") }.flatMap { _, item in
            (item.objectValue ?? [:]).compactMap { method, operation -> Place? in
                guard method != "get", let id = operation["operationId"]?.stringValue else { return nil }
                let members = (operation["x-member-scopes"]?.arrayValue ?? []).compactMap {
                    $0["scopes"]?[0]?.stringsValue
                }.joined()
                let own = (operation["security"]?.arrayValue ?? []).compactMap { $0["bearer"]?.stringsValue }
                return Place(id: id, method: HTTPMethod(method.uppercased()), sets: own.map { $0 + members })
            }
        }
    }

    private static func place(_ id: String) async throws -> Place {
        try (try await places().first { $0.id == id }).orThrow("no operation \(id)")
    }

    // MARK: objects of all operations

    private static func user(_ attempts: @escaping @Sendable (Person) -> [Attempt]) -> Object {
        .user { person, _ in attempts(person) }
    }

    private static let patches: [JSONValue] = [
        ["password": "wide river under snow"], ["email": "eve@example.org"], ["email_verified": true],
        ["username": "eve"], ["phone_number": "+41791234567"], ["phone_verified": true], ["blocked": true],
        ["name": "Eve"], ["user_metadata": ["a": 1]], ["app_metadata": ["a": 1]], ["verify_email": true],
    ]
    private static let permission: JSONValue = [
        "permissions": [["resource_server_identifier": .string(Samples.api), "permission_name": "pay:send"]]
    ]
    private static let heldPermission: JSONValue = [
        "permissions": [["resource_server_identifier": .string(Samples.api), "permission_name": "pay:read"]]
    ]

    private static let users: [String: Object] = [
        "update_user": user { person in patches.map { Attempt(person.path, $0) } },
        "delete_user": user { [Attempt($0.path)] },
        "add_user_roles": user { [Attempt("\($0.path)/roles", ["roles": ["rol_other"]])] },
        "remove_user_roles": user { [Attempt("\($0.path)/roles", ["roles": ["rol_plain"]])] },
        "add_user_permissions": user { [Attempt("\($0.path)/permissions", permission)] },
        "remove_user_permissions": user { [Attempt("\($0.path)/permissions", heldPermission)] },
        "add_role_users": user { [Attempt("/roles/rol_other/users", ["users": [.string($0.id)]])] },
        "link_user_identity": user { [Attempt("\($0.path)/identities", ["provider": "work", "user_id": "eve"])] },
        "unlink_user_identity": user { [Attempt("\($0.path)/identities/work/\($0.account)")] },
        "delete_connection_user": .user {
            [Attempt("/connections/\($1.database)/users?email=\($0.name)%40example.org")]
        },
        "delete_user_blocks": user { [Attempt("/user-blocks/auth0%7C\($0.name)", changes: false)] },
        "delete_user_blocks_by_identifier": user {
            [Attempt("/user-blocks?identifier=\($0.name)%40example.org", changes: false)]
        },
    ]

    private static let tickets: [String: Object] = [
        "create_password_change_ticket": user {
            [
                Attempt("/tickets/password-change", ["user_id": .string($0.id)]),
                Attempt("/tickets/password-change", ["email": .string($0.email)]),
                Attempt("/tickets/password-change", ["user_id": .string($0.id), "send_mail": true]),
            ]
        },
        "create_email_verification_ticket": user {
            [Attempt("/tickets/email-verification", ["user_id": .string($0.id)])]
        },
        "create_verification_email_job": user { [Attempt("/jobs/verification-email", ["user_id": .string($0.id)])] },
        "create_guardian_enrollment_ticket": user {
            [
                Attempt(
                    "/guardian/enrollments/ticket", ["user_id": .string($0.id), "allow_multiple_enrollments": true])
            ]
        },
    ]

    private static let logins: [String: Object] = [
        "delete_user_sessions": user { [Attempt("\($0.path)/sessions")] },
        "revoke_user_access": user {
            [
                Attempt("\($0.path)/revoke-access", [:]),
                Attempt("\($0.path)/revoke-access", ["session_id": .string($0.session)]),
            ]
        },
        "delete_session": user { [Attempt("/sessions/\($0.session)")] },
        "revoke_session": user { [Attempt("/sessions/\($0.session)/revoke")] },
        "delete_user_refresh_tokens": user { [Attempt("\($0.path)/refresh-tokens")] },
        "update_refresh_token": user {
            [Attempt("/refresh-tokens/\($0.token)", ["refresh_token_metadata": ["a": "b"]])]
        },
        "delete_refresh_token": user { [Attempt("/refresh-tokens/\($0.token)")] },
        "revoke_refresh_tokens": user {
            [
                Attempt("/refresh-tokens/revoke", ["user_id": .string($0.id)]),
                Attempt("/refresh-tokens/revoke", ["ids": [.string($0.token)]]),
            ]
        },
        "delete_grant": user { [Attempt("/grants/\($0.grant)")] },
        "delete_user_grants": user { [Attempt("/grants?user_id=auth0%7C\($0.name)")] },
        "create_device_credential": user {
            [
                Attempt(
                    "/device-credentials",
                    [
                        "type": "public_key", "device_name": "Other", "device_id": "other", "value": "MIIB",
                        "user_id": .string($0.id),
                    ])
            ]
        },
        "delete_device_credential": user {
            [Attempt("/device-credentials/\($0.key)"), Attempt("/device-credentials/\($0.token)")]
        },
    ]

    private static let factors: [String: Object] = [
        "delete_user_authenticators": user { [Attempt("\($0.path)/authenticators")] },
        "delete_user_multifactor": user { [Attempt("\($0.path)/multifactor/google-authenticator")] },
        "regenerate_user_recovery_code": user { [Attempt("\($0.path)/recovery-code-regeneration")] },
        "create_authentication_method": user {
            [Attempt("\($0.path)/authentication-methods", ["type": "totp", "totp_secret": "JBSWY3DPEHPK3PXP"])]
        },
        "replace_authentication_methods": user { [Attempt("\($0.path)/authentication-methods", [])] },
        "delete_authentication_methods": user { [Attempt("\($0.path)/authentication-methods")] },
        "update_authentication_method": user {
            [Attempt("\($0.path)/authentication-methods/push%7C\($0.phone)", ["name": "Eve's"])]
        },
        "delete_authentication_method": user { person in
            ["totp%7C\(person.phone)", "recovery-code%7Cauth0%7C\(person.name)", "push%7C\(person.phone)"].map {
                Attempt("\(person.path)/authentication-methods/\($0)")
            }
        },
        "delete_guardian_enrollment": user { [Attempt("/guardian/enrollments/\($0.phone)")] },
    ]

    private static let roles: [String: Object] = [
        "update_role": .role { [Attempt("/roles/\($0)", ["description": "Other"])] },
        "delete_role": .role { [Attempt("/roles/\($0)")] },
        "add_role_permissions": .role { [Attempt("/roles/\($0)/permissions", permission)] },
        "remove_role_permissions": .role { [Attempt("/roles/\($0)/permissions", heldPermission)] },
    ]

    private static let mail: JSONObject = [
        "body": "{{ url }}", "from": "a@example.com", "subject": "x", "syntax": "liquid", "enabled": true,
    ]
    private static let provider: JSONValue = ["name": "resend", "credentials": ["api_key": "k"]]
    private static let upstream: JSONObject = [
        "options": ["issuer": "https://evil.example/", "client_id": "us", "client_secret": "s"]
    ]

    private static let app: JSONValue = ["app_name": "Evil", "google_app_link": "https://evil.example/app"]

    private static let oldServer: JSONValue = [
        "url": "https://evil.example/", "secret": "a secret of the endpoint, thirty-two bytes",
    ]

    private static let everybody: [String: Object] = [
        "create_connection": .everybody { _ in
            [Attempt("/connections", .object(upstream.patched(with: ["name": "evil", "strategy": "oidc"])))]
        },
        "update_connection": .everybody {
            [
                Attempt("/connections/\($0.connection)", .object(upstream)),
                Attempt("/connections/\($0.database)", ["options": ["old_server": oldServer]]),
            ]
        },
        // Its old server ends with it.
        "delete_connection": .everybody { [Attempt("/connections/\($0.database)")] },
        "create_email_provider": .everybody { _ in [Attempt("/emails/provider", provider)] },
        "update_email_provider": .everybody { _ in [Attempt("/emails/provider", ["enabled": false])] },
        "create_email_template": .everybody { _ in
            [Attempt("/email-templates", .object(mail.patched(with: ["template": "reset_email"])))]
        },
        "replace_email_template": .everybody { _ in
            [
                Attempt(
                    "/email-templates/enrollment_email",
                    .object(mail.patched(with: ["template": "enrollment_email"])))
            ]
        },
        "update_email_template": .everybody { _ in [Attempt("/email-templates/verify_email", ["subject": "y"])] },
        "create_custom_domain": .everybody { _ in
            [Attempt("/custom-domains", ["domain": "evil.example", "type": "self_managed_certs"])]
        },
        "update_tenant_settings": .everybody { _ in
            [
                Attempt("/tenants/settings", ["link_verified_emails": true]),
                Attempt("/tenants/settings", ["approval_app": app]),
            ]
        },
        "update_approval_app": .everybody { _ in [Attempt("/prompts/mfa-push", app)] },
    ]

    private static let clients = [
        "create_client", "update_client", "delete_client", "rotate_client_secret", "create_client_credential",
        "update_client_credential", "delete_client_credential", "create_client_grant", "update_client_grant",
        "delete_client_grant",
    ]

    private static let others = [
        "create_role", "create_user", "update_custom_domain", "verify_custom_domain",
        "delete_custom_domain",
        "set_guardian_factor", "select_push_provider", "set_guardian_policies", "create_resource_server",
        "update_resource_server", "delete_resource_server", "delete_email_provider",
        "update_connection_clients", "set_prompt_partials", "rotate_signing_keys", "revoke_signing_key",
        // It needs every scope, so nobody may do more than its caller, or changes nothing.
        "apply_tenant_configuration",
        // Only for users without a phone (InvitationTests).
        "invite_user_to_enroll",
        "delete_email_template", "delete_apns_provider", "delete_fcm_provider", "delete_fcmv1_provider",
        "delete_sns_provider", "replace_apns_provider", "replace_fcm_provider", "replace_fcmv1_provider",
        "replace_sns_provider",
        "update_apns_provider", "update_fcm_provider", "update_fcmv1_provider", "update_sns_provider",
        // A request goes to the caller alone, and a delivery to the same phone or address again.
        "create_approval", "retry_delivery", "ring_own_phones", "mail_oneself",
        // A job changes users afterwards, with its author's rights (UserJobTests). An export changes none.
        "import_users", "export_users",
    ]

    private static let objects = [users, tickets, logins, factors, roles, everybody].reduce(
        into: Dictionary(
            uniqueKeysWithValues: clients.map { ($0, Object.client) } + others.map { ($0, Object.other) })
    ) { all, more in all.merge(more) { $1 } }

    // MARK: the walk

    @Test("Every operation that changes something says whose it is")
    func classified() async throws {
        let found = Set(try await Self.places().map(\.id))
        #expect(found.subtracting(Self.objects.keys).sorted() == [], "say what these change")
        #expect(Set(Self.objects.keys).subtracting(found).sorted() == [], "these are no operations")
    }

    /// A token with the scopes of an operation alone.
    private func send(_ attempt: Attempt, _ place: Place, _ scopes: [String], _ fixture: StrongerPersonFixture)
        async throws -> HTTPAnswer
    {
        try await fixture.management.with(scopes: scopes).send(place.method, attempt.path, attempt.body)
    }

    private func expectRefused(
        _ attempt: Attempt, _ place: Place, _ scopes: [String], _ fixture: StrongerPersonFixture
    ) async throws {
        let before = try await fixture.management.server.dump()
        let refused = try await send(attempt, place, scopes, fixture)
        #expect(
            refused.status == 403 && refused.code == "insufficient_scope",
            "\(place.id) \(attempt.path) \(String(describing: attempt.body)): \(refused.status) \(refused.text)")
        #expect(try await fixture.management.server.dump() == before, "\(place.id)")
    }

    private func expectDone(
        _ attempt: Attempt, _ place: Place, _ scopes: [String], _ fixture: StrongerPersonFixture
    ) async throws {
        let before = try await fixture.management.server.dump()
        let done = try await send(attempt, place, scopes, fixture)
        #expect(
            (200..<300).contains(done.status),
            "\(place.id) \(attempt.path) \(String(describing: attempt.body)): \(done.status) \(done.text)")
        guard attempt.changes else { return }
        #expect(try await fixture.management.server.dump() != before, "\(place.id) \(attempt.path) changes nothing")
    }

    @Test(
        "An operation's own scopes change no user who may do more, in nothing, and every other user",
        arguments: [users, tickets, logins, factors].flatMap { $0.keys.sorted() })
    func changesOfUsers(id: String) async throws {
        guard case .user(let attempts) = Self.objects[id] else { throw Unexpected("\(id) is not of a user") }
        let fixture = try await StrongerPersonFixture()
        let place = try await Self.place(id)
        for scopes in place.sets {
            for index in attempts(fixture.ann, fixture).indices {
                let against = attempts(fixture.ann, fixture)[index]
                // The scope of one member alone.
                if id == "update_user", scopes.contains("update:users_app_metadata"), !scopes.contains("update:users") {
                    guard against.body?["app_metadata"] != nil else { continue }
                }
                let each = try await StrongerPersonFixture()
                try await expectRefused(attempts(each.ann, each)[index], place, scopes, each)
                try await expectDone(attempts(each.bob, each)[index], place, scopes, each)
            }
        }
    }

    @Test("An operation's own scopes change no role that permits more", arguments: roles.keys.sorted())
    func changesOfRoles(id: String) async throws {
        guard case .role(let attempts) = Self.objects[id] else { throw Unexpected("\(id) is not of a role") }
        for index in attempts(StrongerPersonFixture.chief).indices {
            let fixture = try await StrongerPersonFixture()
            let place = try await Self.place(id)
            for scopes in place.sets {
                try await expectRefused(attempts(StrongerPersonFixture.chief)[index], place, scopes, fixture)
                try await expectDone(attempts(StrongerPersonFixture.plain)[index], place, scopes, fixture)
            }
        }
    }

    @Test(
        "A change that lets one act as any user needs the scopes of all users, and no others without an administrator",
        arguments: everybody.keys.sorted(), [true, false])
    func changesForEverybody(id: String, hasAdministrator: Bool) async throws {
        guard case .everybody(let attempts) = Self.objects[id] else { throw Unexpected("\(id) is not of everybody") }
        let fixture = try await StrongerPersonFixture(
            scopes: hasAdministrator ? StrongerPersonFixture.ownScopes : [])
        let management = fixture.management
        if id == "update_email_provider" { _ = await management.post("/emails/provider", Self.provider) }
        if id == "delete_connection" {
            _ = await management.patch(
                "/connections/\(fixture.database)", ["options": ["old_server": Self.oldServer]])
        }
        if id == "update_email_template" {
            _ = await management.post(
                "/email-templates", .object(Self.mail.patched(with: ["template": "verify_email"])))
        }
        let place = try await Self.place(id)
        for attempt in attempts(fixture) {
            for (index, set) in place.sets.enumerated() {
                // The same change a second time finds nothing to change.
                var attempt = attempt
                if index > 0 { attempt.changes = false }
                let scopes =
                    set
                    + (id.hasSuffix("email_template")
                        ? ["create:user_tickets", "create:guardian_enrollment_tickets"] : [])
                if hasAdministrator {
                    try await expectRefused(attempt, place, scopes, fixture)
                } else {
                    try await expectDone(attempt, place, scopes, fixture)
                }
            }
        }
    }
}
