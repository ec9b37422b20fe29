import Administration
import AuthorizationCore
import Configuration
import GuardianWire
import JSONSchema
import Localization
import Primitives

/// Wire format of enrolled phones and other authentication methods.
enum AuthenticatorShapes {
    // MARK: enrolments

    private static let enrollmentMembers: [Member] = [
        .required("id", .text(), "dev_ and 16 characters"),
        .required("status", .choice(["confirmed", "pending"]), "pending if the phone lost its key"),
        Member("type", .text()), .required("user_id", .text()), .required("name", .text()),
        .required("identifier", .text(), "Identifier that the phone chose"), .required("enrolled_at", .date),
        Member("key_lost_at", .date, "Time at which the phone said that its key is gone; nothing is sent to it"),
        Member(
            "push_service", .choice(PushCredentials.Service.allCases.map(\.rawValue)),
            "Service that wakes the phone. Without one it shows requests while its app is open"),
        .required("last_seen", .date, "Time at which the phone last told how to reach it"),
        Member("push_ended_at", .date, "Time at which the push service refused the phone"),
        Member("push_ended_reason", .text()), Member("push_ended_service", .text(), "The push service that refused"),
    ]

    static let enrollment = Shape.object(enrollmentMembers)
    static let userEnrollment = Shape.object(enrollmentMembers + [.required("auth_method", .choice(["guardian"]))])

    static let enrollmentExample: JSONValue = [
        "id": "dev_sW4J0OcmNTTqGIrX", "status": "confirmed", "type": "push",
        "user_id": "auth0|65f0c1d2e3a4b5c6d7e8f901", "name": "Ann's phone",
        "identifier": "8E0B8A0C-2C59-4A3B-9D3C-7F0B5C1A2D3E", "enrolled_at": "2026-01-31T12:00:00.000Z",
        "push_service": "APNS", "last_seen": "2026-02-01T12:00:00.000Z",
    ]

    static func json(_ record: DeviceRecord) -> JSONObject {
        let device = record.device
        var object: JSONObject = [
            "id": .string(device.id.rawValue), "status": device.keyLostAt == nil ? "confirmed" : "pending",
            "type": "push", "user_id": .string(device.user.rawValue), "name": .string(device.name),
            "identifier": .string(device.identifier), "enrolled_at": .string(device.enrolledAt.iso8601),
        ]
        object["key_lost_at"] = device.keyLostAt.map { .string($0.iso8601) }
        object["push_service"] = device.push.map { .string($0.service.rawValue) }
        object["last_seen"] = .string(device.pushRegisteredAt.iso8601)
        object["push_ended_at"] = device.endedPush.map { .string($0.at.iso8601) }
        object["push_ended_reason"] = device.endedPush.map { .string($0.reason) }
        object["push_ended_service"] = device.endedPush.map { .string($0.service.rawValue) }
        return object
    }

    static func userEnrollment(_ record: DeviceRecord) -> JSONObject {
        json(record).patched(with: ["auth_method": "guardian"])
    }

    // MARK: authentication methods

    static let method = Shape.object([
        .required(
            "id", .text(),
            "The type, | and the id of the phone or authenticator app, or the passkey's in base64url; password| or recovery-code| "
                + "and the user's"),
        .required("type", .choice(["push", "totp", "passkey", "password", "recovery-code"])),
        .required("confirmed", .boolean), Member("name", .text()),
        Member("created_at", .date, "Absent for recovery codes"), Member("enrolled_at", .date),
        Member("last_auth_at", .date, "Last use of a passkey"),
        Member("codes_left", .integer(), "Number of unused recovery codes"),
    ])

    static let methodExample: JSONValue = [
        "id": "push|dev_sW4J0OcmNTTqGIrX", "type": "push", "confirmed": true, "name": "Ann's phone",
        "created_at": "2026-01-31T12:00:00.000Z", "enrolled_at": "2026-01-31T12:00:00.000Z",
    ]

    private static let types = [
        "phone", "email", "totp", "webauthn-roaming", "webauthn-platform", "passkey", "push", "guardian", "password",
        "recovery-code", "email-verification",
    ]
    static let newMethod = Shape.object(
        [Member.required("type", .choice(types)).protecting(.identity)], isOpen: true)
    static let newMethods = Shape.list(newMethod, 0...50)
    static let createdMethod = Shape.object(
        [
            Member.required("type", .choice(types)).protecting(.identity),
            Member("totp_secret", .text(1...256), "In Base32, for type totp")
                .protecting(.identity, ["create:guardian_enrollment_tickets"]),
            Member("totp_algorithm", .choice(["sha1", "sha256", "sha512"]), "Default: sha1").protecting(.identity),
            Member("totp_digits", .integer(6...8), "Default: 6").protecting(.identity),
            Member("totp_period", .integer(TimedPassword.periodRange), "Seconds; default: 30").protecting(.identity),
            Member("name", name.shape).protecting(.person),
        ], isOpen: true)
    static let name = FieldType<String>.characters(1...128)

    // MARK: enrolment tickets

    struct EnrollmentTicket {
        var user = UserID("")
        var factor: String?
        var options = ManageTickets.Options()
    }

    /// Auth0's guide writes booleans as texts.
    private static let flag = FieldType<Bool>.checked(.either([.boolean, .choice(["true", "false"])])) {
        $0.boolValue ?? ($0 == "true")
    }

    static let enrollmentTicket = Fields<EnrollmentTicket> {
        Field("user_id", protects: .nothing, .id(), \.user).required
        Field(
            "email", protects: .covered(.identity), .emailAddress, \.options.email,
            "For the mail, in place of the user's; required if the user has none, or one that is not verified")
        Field(
            "send_mail", protects: .nothing, flag, \.options.isMailed,
            "Send the link by mail; the response contains it in any case")
        Field(
            "email_locale", protects: .nothing,
            .checked(.text(1...35)) { $0.stringValue.map { .preferred(uiLocales: $0, acceptLanguage: nil) } },
            \.options.language, "The mail's language")
        Field(
            "factor", protects: .nothing,
            .checked(
                .choice(["push-notification", "phone", "email", "otp", "webauthn-roaming", "webauthn-platform"]),
                \.stringValue), \.factor,
            "push-notification (default) or otp, which is the same, because every enrolled phone generates "
                + "one-time passwords; this server has no other factors")
        Field(
            "ttl_sec", protects: .nothing,
            .checked(.integer(1...ManageTickets.lifetimeRange.upperBound), \.intValue), \.options.lifetime,
            "Seconds that the link works; default: the setting enrollment_ticket_lifetime. Not a member of Auth0's API")
        Field(
            "allow_multiple_enrollments", protects: .covered(.identity), flag, \.options.allowsMore,
            "Required for a user who has a phone. Without it the link adds a first phone and no other")
    }

    static let madeEnrollmentTicket = Shape.object([
        .required("ticket_id", .text()), .required("ticket_url", .text(), "Link to a page that shows the code"),
        .required("enrollment_uri", .text(), "Text of the code, `otpauth://…`"),
        .required("approver_url", .text(), "Link to the web app, which any phone's camera can read"),
        .required("tenant", .text(), "Id of the tenant"), .required("expires_at", .date),
        Member("mailed_to", .text(), "If the link was mailed"),
    ])
}

enum AuthenticationMethodID {
    case push(DeviceID)
    case oneTimePasswords(DeviceID)
    case authenticator(AuthenticatorID)
    case passkey([UInt8])
    case password
    case recoveryCodes

    init?(_ text: String, of user: UserID) {
        if text == Self.password(of: user) {
            self = .password
        } else if text == Self.recoveryCodes(of: user) {
            self = .recoveryCodes
        } else if text.hasPrefix("push|") {
            self = .push(DeviceID(String(text.dropFirst("push|".count))))
        } else if text.hasPrefix("totp|" + Identifiers.authenticatorPrefix) {
            self = .authenticator(AuthenticatorID(String(text.dropFirst("totp|".count))))
        } else if text.hasPrefix("totp|") {
            self = .oneTimePasswords(DeviceID(String(text.dropFirst("totp|".count))))
        } else if text.hasPrefix("passkey|"), let id = Base64URL.decode(String(text.dropFirst("passkey|".count))) {
            self = .passkey(id)
        } else {
            return nil
        }
    }

    static func password(of user: UserID) -> String { "password|\(user)" }
    static func recoveryCodes(of user: UserID) -> String { "recovery-code|\(user)" }
}
