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

    /// A body of the operations, each of which has some of the members.
    private struct TicketRequest {
        var user = UserID("")
        var email: String?
        var options = ManageTickets.Options()
    }

    private static let shared = Fields<TicketRequest> {
        Field(
            "result_url", .characters(1...2048), \.options.resultURL,
            "Where the browser goes afterwards: an allowed logout URL")
        Field(
            "ttl_sec", .checked(.integer(0...2_592_000)) { $0.intValue.flatMap { $0 > 0 ? $0 : nil } },
            \.options.lifetime, "Seconds that the link works; 0 is five days")
        Field("client_id", .id(), \.options.client, "A client; no other effect")
        Field("includeEmailInRedirect", .boolean, "Accepted without effect: the address is never included")
    }

    private static let password = Fields<TicketRequest> {
        Field("user_id", .id(), \.user)
        Field("email", .characters(3...254), \.email, "In place of user_id")
        Field("connection_id", .text(1...255), "With email; the database is meant")
        Field(
            "mark_email_as_verified", .flag, \.options.provesEmail,
            "The link confirms the user's address, because it is sent only there")
        shared
    }

    private static let identity = FieldType<UserIdentity>.checked(
        .object([
            .required("user_id", .text(1...255), "Without the part before the |"),
            .required("provider", .text(1...128)), Member("organization_id", .text(1...255), "Accepted without effect"),
        ])
    ) { identity in
        guard let provider = identity["provider"]?.stringValue, let id = identity["user_id"]?.stringValue else {
            return nil
        }
        return UserIdentity(provider: provider, userID: id)
    }

    private static let email = Fields<TicketRequest> {
        Field("user_id", .id(), \.user).required
        Field("identity", identity, \.options.identity, "The account that the user was made of, which has the address")
        shared
    }

    private static let mail = Fields<TicketRequest> {
        Field("user_id", .id(), \.user).required
        Field("client_id", .id(), \.options.client, "A client")
        Field("identity", identity, \.options.identity, "The account that the user was made of")
        Field("organization_id", .text(1...255), "Accepted without effect")
    }

    private static let made = Operation.Answer(
        201, "The link", .object([.required("ticket", .text())]),
        example: ["ticket": "https://tenant.example/u/reset-password?ticket=n2xq0DkTrCfMZ0OVnN3cJ2Jw5Cw1yR8p#"])

    var all: [ManagementRoute] {
        [
            ManagementRoute(
                .post, "/tickets/password-change", "create_password_change_ticket",
                "Make a link that sets a user's password, once", tag: Self.tag, scopes: [["create:user_tickets"]],
                body: Operation.Body(Self.password.shape, example: ["user_id": "auth0|65f0c1d2e3a4b5c6d7e8f901"]),
                answer: Self.made, refusals: [(404, "There is no such user")], passwordChange),
            ManagementRoute(
                .post, "/tickets/email-verification", "create_email_verification_ticket",
                "Make a link that proves a user's e-mail address, once", tag: Self.tag,
                scopes: [["create:user_tickets"]],
                body: Operation.Body(Self.email.shape, example: ["user_id": "auth0|65f0c1d2e3a4b5c6d7e8f901"]),
                answer: Self.made, refusals: [(404, "There is no such user")]
            ) { call in try await make(.email, call.read(Self.email, TicketRequest()), call) },
            ManagementRoute(
                .post, "/jobs/verification-email", "create_verification_email_job",
                "Send a user a link that proves their e-mail address, once", tag: Self.tag, scopes: [["update:users"]],
                body: Operation.Body(Self.mail.shape, example: ["user_id": "auth0|65f0c1d2e3a4b5c6d7e8f901"]),
                answer: Operation.Answer(
                    201, "What was done", Self.job,
                    example: [
                        "id": "job_sW4J0OcmNTTqGIrX", "type": "verification_email", "status": "completed",
                        "created_at": "2026-01-31T12:00:00.000Z",
                    ]), refusals: [(404, "There is no such user")], sendVerification),
        ]
    }

    @Sendable private func passwordChange(_ call: ManagementCall) async throws -> ManagementAnswer {
        var request = try call.read(Self.password, TicketRequest())
        if request.user.rawValue.isEmpty {
            guard let email = request.email else {
                throw ManagementFailure.invalidBody("Missing required property: user_id", at: "user_id")
            }
            request.user = try await tickets.user(email: email, of: call.tenant)
        }
        return try await make(.password, request, call)
    }

    @Sendable private func sendVerification(_ call: ManagementCall) async throws -> ManagementAnswer {
        var request = try call.read(Self.mail, TicketRequest())
        request.options.isMailed = true
        request.options.provesEmail = true
        _ = try await tickets.make(
            .email, for: request.user, request.options, tenant: call.configuration.tenant, for: call.context)
        let job: JSONObject = [
            "id": .string("job_" + Base64URL.encode(random.bytes(12))), "type": "verification_email",
            "status": "completed", "created_at": .string(call.now.iso8601),
        ]
        return .object(job, status: 201)
    }

    private func make(
        _ kind: UserTicket.Kind, _ request: TicketRequest, _ call: ManagementCall
    ) async throws -> ManagementAnswer {
        let made = try await tickets.make(
            kind, for: request.user, request.options, tenant: call.configuration.tenant, for: call.context)
        // Ends with `#`, because others append a fragment.
        return .value(["ticket": .string(made.link + "#")], status: 201)
    }
}
