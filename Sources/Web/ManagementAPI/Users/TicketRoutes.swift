import APIDescription
import Administration
import AuthorizationCore
import Configuration
import HTTPModel
import JSONSchema
import Primitives

/// `/tickets`: links that operators pass on to users.
struct TicketRoutes: Sendable {
    private static let tag = "Tickets"

    let tickets: ManageTickets
    let random: any RandomSource

    private static let job = Shape.object([
        .required("id", .text(), "job_ and 16 characters"), .required("type", .choice(["verification_email"])),
        .required("status", .choice(["completed"]), "The mail is on its way; there is nothing to come back for"),
        .required("created_at", .date),
    ])

    private static let shared = [
        Member("result_url", .text(1...2048), "Where the browser goes afterwards: an allowed logout URL"),
        Member("ttl_sec", .integer(0...2_592_000), "Seconds that the link works; 0 is five days"),
        Member("client_id", .text(1...255), "A client; no other effect"),
        Member("includeEmailInRedirect", .boolean, "Accepted without effect: the address is never included"),
    ]

    private static let password = Shape.object(
        [
            Member("user_id", .text(1...255)), Member("email", .text(3...254), "In place of user_id"),
            Member("connection_id", .text(1...255), "With email; the database is meant"),
            Member(
                "mark_email_as_verified", .boolean,
                "The link confirms the user's address, because it is sent only there"),
        ] + shared)

    private static let identity = Shape.object([
        .required("user_id", .text(1...255), "Without the part before the |"), .required("provider", .text(1...128)),
        Member("organization_id", .text(1...255), "Accepted without effect"),
    ])

    private static let email = Shape.object(
        [
            .required("user_id", .text(1...255)),
            Member("identity", identity, "The account that the user was made of, which has the address"),
        ] + shared)

    private static let made = Operation.Answer(
        201, "The link", .object([.required("ticket", .text())]),
        example: ["ticket": "https://tenant.example/u/reset-password?ticket=n2xq0DkTrCfMZ0OVnN3cJ2Jw5Cw1yR8p#"])

    var all: [ManagementRoute] {
        [
            ManagementRoute(
                .post, "/tickets/password-change", "create_password_change_ticket",
                "Make a link that sets a user's password, once", tag: Self.tag, scopes: [["create:user_tickets"]],
                body: Operation.Body(Self.password, example: ["user_id": "auth0|65f0c1d2e3a4b5c6d7e8f901"]),
                answer: Self.made, refusals: [(404, "There is no such user")], passwordChange),
            ManagementRoute(
                .post, "/tickets/email-verification", "create_email_verification_ticket",
                "Make a link that proves a user's e-mail address, once", tag: Self.tag,
                scopes: [["create:user_tickets"]],
                body: Operation.Body(Self.email, example: ["user_id": "auth0|65f0c1d2e3a4b5c6d7e8f901"]),
                answer: Self.made, refusals: [(404, "There is no such user")]
            ) { call in
                try await make(.email, for: UserID(call.document["user_id"]?.stringValue ?? ""), call)
            },
            ManagementRoute(
                .post, "/jobs/verification-email", "create_verification_email_job",
                "Send a user a link that proves their e-mail address, once", tag: Self.tag, scopes: [["update:users"]],
                body: Operation.Body(
                    .object([
                        .required("user_id", .text(1...255)), Member("client_id", .text(1...255), "A client"),
                        Member("identity", Self.identity, "The account that the user was made of"),
                        Member("organization_id", .text(1...255), "Accepted without effect"),
                    ]), example: ["user_id": "auth0|65f0c1d2e3a4b5c6d7e8f901"]),
                answer: Operation.Answer(
                    201, "What was done", Self.job,
                    example: [
                        "id": "job_sW4J0OcmNTTqGIrX", "type": "verification_email", "status": "completed",
                        "created_at": "2026-01-31T12:00:00.000Z",
                    ]), refusals: [(404, "There is no such user")], sendVerification),
        ]
    }

    @Sendable private func passwordChange(_ call: ManagementCall) async throws -> ManagementAnswer {
        let user: UserID
        if let id = call.document["user_id"]?.stringValue {
            user = UserID(id)
        } else if let email = call.document["email"]?.stringValue {
            user = try await tickets.user(email: email, of: call.tenant)
        } else {
            throw ManagementFailure.invalidBody("Missing required property: user_id", at: "user_id")
        }
        return try await make(.password, for: user, call)
    }

    @Sendable private func sendVerification(_ call: ManagementCall) async throws -> ManagementAnswer {
        var options = Self.options(call)
        options.isMailed = true
        options.provesEmail = true
        _ = try await tickets.make(
            .email, for: UserID(call.document["user_id"]?.stringValue ?? ""), options,
            tenant: call.configuration.tenant,
            for: call.context)
        let job: JSONObject = [
            "id": .string("job_" + Base64URL.encode(random.bytes(12))), "type": "verification_email",
            "status": "completed", "created_at": .string(call.now.iso8601),
        ]
        return .object(job, status: 201)
    }

    /// Client and identity of a ticket.
    private static func options(_ call: ManagementCall) -> ManageTickets.Options {
        var options = ManageTickets.Options()
        options.client = (call.document["client_id"]?.stringValue).map { ClientID($0) }
        if let identity = call.document["identity"] {
            options.identity = UserIdentity(
                provider: identity["provider"]?.stringValue ?? "", userID: identity["user_id"]?.stringValue ?? "")
        }
        return options
    }

    private func make(
        _ kind: UserTicket.Kind, for user: UserID, _ call: ManagementCall
    ) async throws -> ManagementAnswer {
        var options = Self.options(call)
        options.resultURL = call.document["result_url"]?.stringValue
        options.provesEmail = call.document["mark_email_as_verified"]?.boolValue ?? false
        if let lifetime = call.document["ttl_sec"]?.intValue, lifetime > 0 { options.lifetime = lifetime }
        let made = try await tickets.make(
            kind, for: user, options, tenant: call.configuration.tenant, for: call.context)
        // Ends with `#`, because others append a fragment.
        return .value(["ticket": .string(made.link + "#")], status: 201)
    }
}
