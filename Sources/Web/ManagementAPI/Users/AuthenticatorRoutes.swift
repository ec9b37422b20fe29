import APIDescription
import Administration
import AuthorizationCore
import Configuration
import Flows
import GuardianWire
import HTTPModel
import JSONSchema
import OAuthWire
import Primitives
import Routing

/// Authentication methods of users: enrolled phones, their one-time passwords, and the password.
struct AuthenticatorRoutes: Sendable {
    private static let group = RouteGroup("Authenticators", scopes: "authentication_methods")
    private static let guardian = RouteGroup("Guardian", scopes: "guardian_enrollments")

    let users: ManageUsers
    let devices: ManageDevices
    let tickets: ManageTickets
    let recoveryCodes: ManageRecoveryCodes

    var all: [ManagementRoute] { userRoutes + methodRoutes + guardianRoutes }

    // MARK: users' phones

    private var userRoutes: [ManagementRoute] {
        [
            ManagementRoute(
                .get, "/users/{id}/enrollments", "list_user_enrollments", "List the phones that a user enrolled",
                in: Self.group, scopes: [["read:users"]],
                answer: Operation.Answer(200, "The enrolments", .list(AuthenticatorShapes.userEnrollment))
            ) { call in
                let found = try await devices.devices(of: UserID(call.id()), in: call.tenant)
                return .value(.array(found.map { .object(AuthenticatorShapes.userEnrollment($0)) }))
            },
            ManagementRoute(
                .delete, "/users/{id}/authenticators", "delete_user_authenticators",
                "Remove all phones, passkeys and authenticator apps of a user", in: Self.group,
                scopes: [["delete:guardian_enrollments"]],
                answer: Operation.Answer(204, "Done"), removeAll),
            ManagementRoute(
                .delete, "/users/{id}/multifactor/{provider}", "delete_user_multifactor",
                "Remove a user's authenticator apps and the phones' one-time passwords (google-authenticator)",
                in: Self.group, scopes: [["update:users"]], answer: Operation.Answer(204, "Done"), removeProvider),
            ManagementRoute(
                .post, "/users/{id}/recovery-code-regeneration", "regenerate_user_recovery_code",
                "Replace a user's recovery codes by a new one, which takes the phone's place at one login",
                in: Self.group,
                details: "A code is worth as much as a phone, so it needs the scope for tickets of phones, too.",
                scopes: [["update:users", "create:guardian_enrollment_tickets"]],
                answer: Operation.Answer(
                    200, "The code, which is not shown again", .object([.required("recovery_code", .text())]),
                    example: ["recovery_code": "MFRG-G43F-MZXW-6YTB"])
            ) { call -> ManagementAnswer in
                let code = try await recoveryCodes.renew(of: UserID(call.id()), for: call.context)
                return .value(["recovery_code": .string(code.shown)])
            },
        ]
    }

    @Sendable private func removeAll(_ call: ManagementCall) async throws {
        try await devices.removeAll(of: UserID(call.id()), for: call.context)
    }

    @Sendable private func removeProvider(_ call: ManagementCall) async throws {
        switch call.id("provider") {
        case "google-authenticator":
            try await devices.removeOneTimePasswords(of: UserID(call.id()), for: call.context)
        case "duo": throw AdministrationFailure.unsupported("This server has no Duo")
        default: throw ManagementFailure.invalidPath("must be google-authenticator or duo", at: "provider")
        }
    }

    // MARK: authentication methods

    private var methodRoutes: [ManagementRoute] {
        let path = "/users/{id}/authentication-methods"
        let shown = Operation.Answer(
            200, "The method", AuthenticatorShapes.method, example: AuthenticatorShapes.methodExample)
        return [
            ManagementRoute(
                .get, path, "list_authentication_methods", "List a user's authentication methods", in: Self.group,
                parameters: Paging.parameters,
                answer: Operation.Answer(
                    200, "The methods", Listing.shape("authenticators", of: AuthenticatorShapes.method))
            ) { call in
                let methods = try await methods(call)
                return .list(
                    Listing("authenticators", of: methods, call.paging, key: { $0["id"]?.stringValue ?? "" }, { $0 }))
            },
            ManagementRoute(
                .post, path, "create_authentication_method",
                "Give a user an authenticator app whose secret is known",
                in: Self.group,
                details:
                    "Only for totp. A phone's keys never leave it, so only the phone can enrol itself, with a ticket.",
                body: Operation.Body(
                    AuthenticatorShapes.createdMethod,
                    example: ["type": "totp", "totp_secret": "JBSWY3DPEHPK3PXP", "name": "Ann's authenticator"]),
                answer: Operation.Answer(
                    201, "The method", AuthenticatorShapes.method,
                    example: [
                        "id": "totp|totp_sW4J0OcmNTTqGIrX", "type": "totp", "confirmed": true,
                        "name": "Ann's authenticator", "created_at": "2026-01-31T12:00:00.000Z",
                        "enrolled_at": "2026-01-31T12:00:00.000Z",
                    ]), create),
            ManagementRoute(
                .put, path, "replace_authentication_methods",
                "Remove all phones, passkeys and authenticator apps. The list must be empty", in: Self.group,
                body: Operation.Body(AuthenticatorShapes.newMethods, example: []),
                answer: Operation.Answer(200, "The remaining methods", .list(AuthenticatorShapes.method)), replace),
            ManagementRoute(
                .delete, path, "delete_authentication_methods",
                "Remove all phones, passkeys and authenticator apps of a user",
                in: Self.group, answer: Operation.Answer(204, "Done"), removeAll),
            ManagementRoute(
                .get, path + "/{method_id}", "get_authentication_method", "Show one of a user's methods",
                in: Self.group, answer: shown
            ) { call in .object(try await method(call)) },
            ManagementRoute(
                .patch, path + "/{method_id}", "update_authentication_method", "Rename a phone", in: Self.group,
                body: Operation.Body(
                    .object([
                        Member.required("name", AuthenticatorShapes.name.shape).protecting(.person),
                        Member("preferred_authentication_method", .text(1...64)).withoutEffect,
                    ]), example: ["name": "Ann's new phone"]), answer: shown, rename),
            ManagementRoute(
                .delete, path + "/{method_id}", "delete_authentication_method",
                "Remove a phone, (totp|…) only its one-time passwords, an authenticator app, a passkey, or all recovery codes",
                in: Self.group,
                answer: Operation.Answer(204, "Done"), remove),
        ]
    }

    private func methods(_ call: ManagementCall) async throws -> [JSONObject] {
        let user = UserID(call.id())
        var methods: [JSONObject] = []
        if let date = try await devices.passwordDate(of: user, in: call.tenant) {
            methods.append([
                "id": .string(AuthenticationMethodID.password(of: user)), "type": "password", "confirmed": true,
                "created_at": .string(date.iso8601),
            ])
        }
        for record in try await devices.devices(of: user, in: call.tenant) {
            let types = ["push"] + (record.hasOneTimePasswords ? ["totp"] : [])
            methods += types.map { type in
                let device = record.device
                let enrolledAt = JSONValue.string(device.enrolledAt.iso8601)
                return [
                    "id": .string("\(type)|\(device.id)"), "type": .string(type),
                    "confirmed": .bool(type != "push" || device.keyLostAt == nil),
                    "name": .string(device.name), "created_at": enrolledAt, "enrolled_at": enrolledAt,
                ]
            }
        }
        methods += try await devices.authenticators(of: user, in: call.tenant).map(Self.json)
        methods += try await devices.passkeys(of: user, in: call.tenant).map { owned in
            let createdAt = JSONValue.string(owned.createdAt.iso8601)
            var method: JSONObject = [
                "id": .string("passkey|\(Base64URL.encode(owned.passkey.id))"), "type": "passkey", "confirmed": true,
                "name": .string(owned.name), "created_at": createdAt, "enrolled_at": createdAt,
            ]
            method["last_auth_at"] = owned.lastUsedAt.map { .string($0.iso8601) }
            return method
        }
        let left = try await recoveryCodes.left(of: user, in: call.tenant)
        if left > 0 {
            methods.append([
                "id": .string(AuthenticationMethodID.recoveryCodes(of: user)), "type": "recovery-code",
                "confirmed": true, "codes_left": .number(JSONNumber(left)),
            ])
        }
        return methods
    }

    private static func json(_ app: Authenticator) -> JSONObject {
        let createdAt = JSONValue.string(app.createdAt.iso8601)
        var method: JSONObject = [
            "id": .string("totp|\(app.id)"), "type": "totp", "confirmed": true, "created_at": createdAt,
            "enrolled_at": createdAt,
        ]
        method["name"] = app.name.map { .string($0) }
        return method
    }

    private func method(_ call: ManagementCall) async throws -> JSONObject {
        let found = try await methods(call).first { $0["id"]?.stringValue == call.id("method_id") }
        guard let found else { throw AdministrationFailure.unknown(.authenticationMethod) }
        return found
    }

    @Sendable private func create(_ call: ManagementCall) async throws -> ManagementAnswer {
        let user = UserID(call.id())
        _ = try await devices.devices(of: user, in: call.tenant)
        guard call.document["type"] == "totp" else { throw Self.onlyPhones }
        let document = call.document
        guard let secret = document["totp_secret"]?.stringValue else {
            throw AdministrationFailure.invalid("totp_secret", "is required for an authenticator app")
        }
        let name = try call.member("name", AuthenticatorShapes.name)
        if let name, !Authenticator.isName(name) {
            throw AdministrationFailure.invalid("name", "must have no control characters")
        }
        let password: TimedPassword
        do throws(TimedPassword.Problem) {
            password = try TimedPassword(
                base32: secret,
                algorithm: document["totp_algorithm"]?.stringValue.flatMap(HashAlgorithm.init) ?? .sha1,
                digits: document["totp_digits"]?.intValue ?? 6, period: document["totp_period"]?.intValue ?? 30)
        } catch {
            throw AdministrationFailure.invalid("totp_secret", error.message)
        }
        let authenticator = ForeignAuthenticator(password, named: name)
        return .object(
            Self.json(try await devices.add(authenticator, to: user, for: call.context)), status: 201)
    }

    @Sendable private func replace(_ call: ManagementCall) async throws -> ManagementAnswer {
        _ = try await devices.devices(of: UserID(call.id()), in: call.tenant)
        guard call.body.arrayValue?.isEmpty == true else { throw Self.onlyPhones }
        try await devices.removeAll(of: UserID(call.id()), for: call.context)
        return .value(.array(try await methods(call).map { .object($0) }))
    }

    private static let onlyPhones = AdministrationFailure.unsupported(
        "Only a phone can enrol itself: make a ticket with /guardian/enrollments/ticket")

    private static let passwordStays = AdministrationFailure.unsupported(
        "A password can only be replaced: change the user")

    @Sendable private func rename(_ call: ManagementCall) async throws -> ManagementAnswer {
        _ = try await method(call)
        let user = UserID(call.id())
        switch AuthenticationMethodID(call.id("method_id"), of: user) {
        case .push(let device), .oneTimePasswords(let device):
            _ = try await devices.rename(
                device, of: user, to: call.required("name", AuthenticatorShapes.name), for: call.context)
        case .passkey: throw AdministrationFailure.unsupported("A passkey keeps the name that its person gave it")
        case .authenticator: throw AdministrationFailure.unsupported("An authenticator app keeps its name")
        case .password, .recoveryCodes, nil:
            throw AdministrationFailure.unsupported("Passwords and recovery codes have no name")
        }
        return .object(try await method(call))
    }

    @Sendable private func remove(_ call: ManagementCall) async throws {
        let user = UserID(call.id())
        try await removing(.authenticationMethod) {
            _ = try await method(call)
            switch AuthenticationMethodID(call.id("method_id"), of: user) {
            case .push(let device): try await devices.remove(device, of: user, for: call.context)
            case .oneTimePasswords(let device):
                try await devices.removeOneTimePasswords(of: user, on: device, for: call.context)
            case .authenticator(let id):
                _ = try await devices.remove(authenticator: id, of: user, for: call.context)
            case .passkey(let id): _ = try await devices.remove(passkey: id, of: user, for: call.context)
            case .recoveryCodes: try await recoveryCodes.removeAll(of: user, for: call.context)
            case .password, nil: throw Self.passwordStays
            }
        }
    }

    // MARK: guardian

    private var guardianRoutes: [ManagementRoute] {
        [
            ManagementRoute(
                .get, "/guardian/enrollments/{id}", "get_guardian_enrollment", "Show an enrolled phone",
                in: Self.guardian,
                answer: Operation.Answer(
                    200, "The enrolment", AuthenticatorShapes.enrollment, example: AuthenticatorShapes.enrollmentExample
                )
            ) { call in
                .object(AuthenticatorShapes.json(try await devices.device(DeviceID(call.id()), in: call.tenant)))
            },
            ManagementRoute(
                .delete, "/guardian/enrollments/{id}", "delete_guardian_enrollment", "Remove an enrolled phone",
                in: Self.guardian, answer: Operation.Answer(204, "The enrolment is deleted")
            ) { call in
                try await devices.remove(DeviceID(call.id()), for: call.context)
            },
            ManagementRoute(
                .post, "/guardian/enrollments/ticket", "create_guardian_enrollment_ticket",
                "Create a link that adds one phone, valid for the setting enrollment_ticket_lifetime",
                in: Self.guardian, scopes: [["create:guardian_enrollment_tickets"]],
                body: Operation.Body(
                    AuthenticatorShapes.enrollmentTicket.shape,
                    example: ["user_id": "auth0|65f0c1d2e3a4b5c6d7e8f901", "send_mail": false]),
                answer: Operation.Answer(
                    200, "The link", AuthenticatorShapes.madeEnrollmentTicket,
                    example: [
                        "ticket_id": "n2xq0DkTrCfMZ0OVnN3cJ2Jw5Cw1yR8p",
                        "ticket_url": "https://tenant.example/guardian/enroll?ticket=n2xq0DkTrCfMZ0OVnN3cJ2Jw5Cw1yR8p",
                        "enrollment_uri": "otpauth://totp/Example:ann%40example.com?enrollment_tx_id=n2xq0DkTrCfM…",
                        "approver_url": "https://tenant.example/approver#n2xq0DkTrCfM…",
                        "tenant": "example", "expires_at": "2026-01-31T12:00:00.000Z",
                    ]), refusals: [(404, "There is no such user")], work: .new, createTicket),
        ]
    }

    @Sendable private func createTicket(_ call: ManagementCall) async throws -> ManagementAnswer {
        let request = try call.read(AuthenticatorShapes.enrollmentTicket, AuthenticatorShapes.EnrollmentTicket())
        guard ["push-notification", "otp", nil].contains(request.factor) else {
            throw AdministrationFailure.unsupported("Only push-notification and otp are factors of this server")
        }
        let made = try await tickets.make(
            .enrollment, for: request.user, request.options, tenant: call.configuration.tenant,
            configuration: call.configuration, for: call.context)
        let account = try await users.user(request.user, of: call.tenant).user.accountName
        let tenant = call.configuration.tenant
        let uri = EnrollmentURI(ticket: made.ticket, account: account, tenant: tenant)
        var json: JSONObject = [
            "ticket_id": .string(made.ticket), "ticket_url": .string(made.link), "enrollment_uri": .string(uri.text),
            "approver_url": .string(uri.link(toApprover: EndpointPath.approver.url(below: tenant.issuer))),
            "tenant": .string(tenant.id.rawValue), "expires_at": .string(made.expiresAt.iso8601),
        ]
        json["mailed_to"] = made.recipient.map { .string($0.description) }
        return .value(.object(json))
    }
}
