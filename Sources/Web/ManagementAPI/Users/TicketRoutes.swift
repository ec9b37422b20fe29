import APIDescription
import Administration
import AuthorizationCore
import Configuration
import HTTPModel
import JSONSchema
import OAuthWire
import Primitives
import Routing

/// `/tickets`: links that operators pass on to users.
struct TicketRoutes: Sendable {
    private static let group = RouteGroup("Tickets", scopes: "user_tickets")

    let tickets: ManageTickets
    let random: any RandomSource

    private static let job = Shape.object([
        .required("id", .text(), "job_ and 16 characters"), .required("type", .choice(["verification_email"])),
        .required("status", .choice(["completed"]), "The mail is queued; the job has no later status"),
        .required("created_at", .date),
    ])

    /// A body of the operations, each of which has some of the members.
    private struct TicketRequest {
        var user = UserID("")
        var email: EmailAddress?
        var options = ManageTickets.Options()
    }

    private static let shared = Fields<TicketRequest> {
        Field(
            "result_url", protects: .nothing, .characters(1...2048), \.options.resultURL,
            "Redirect of the browser afterwards: an allowed logout URL")
        Field(
            "ttl_sec", protects: .nothing,
            .checked(.integer(0...2_592_000)) { $0.intValue.flatMap { $0 > 0 ? $0 : nil } },
            \.options.lifetime, "Seconds that the link works; 0 is five days")
        Field("client_id", protects: .nothing, .id(), \.options.client, "A client; no other effect")
        Field("includeEmailInRedirect", protects: .nothing, .boolean, "The address is never included").withoutEffect
        Field("organization_id", protects: .nothing, .text(1...255), "There are no organizations").withoutEffect
    }

    private static let password = Fields<TicketRequest> {
        Field("user_id", protects: .covered(.identity), .id(), \.user)
        Field("email", protects: .covered(.identity), .emailAddress, \.email, "In place of user_id")
        Field("connection_id", protects: .nothing, .text(1...255), "With email").withoutEffect
        Field("identity", protects: .nothing, .anyObject, "Accounts of the user have one password").withoutEffect
        Field(
            "mark_email_as_verified", protects: .covered(.identity), .flag, \.options.provesEmail,
            "The link confirms the user's address, because it is sent only there")
        Field(
            "send_mail", protects: .nothing, .flag, \.options.isMailed,
            "Send the link to the user's address, too; not a member of Auth0's API")
        shared
    }

    private static let identity = FieldType<UserIdentity>.checked(
        .object([
            Member.required("user_id", .text(1...255), "Without the part before the |").protecting(.identity),
            Member.required("provider", .text(1...128)).protecting(.identity),
            Member("organization_id", .text(1...255), "There are no organizations").withoutEffect,
        ])
    ) { identity in
        guard let provider = identity["provider"]?.stringValue, let id = identity["user_id"]?.stringValue else {
            return nil
        }
        return UserIdentity(provider: provider, userID: id)
    }

    private static let email = Fields<TicketRequest> {
        Field("user_id", protects: .covered(.identity), .id(), \.user).required
        Field(
            "identity", protects: .covered(.identity), identity, \.options.identity,
            "The user's first account, which has the address")
        shared
    }

    private static let mail = Fields<TicketRequest> {
        Field("user_id", protects: .covered(.identity), .id(), \.user).required
        Field("client_id", protects: .nothing, .id(), \.options.client, "A client")
        Field("identity", protects: .covered(.identity), identity, \.options.identity, "The user's first account")
        Field("organization_id", protects: .nothing, .text(1...255), "There are no organizations").withoutEffect
    }

    private static let made = Operation.Answer(
        201, "The link", .object([.required("ticket", .text())]),
        example: [
            "ticket": .string("https://tenant.example\(HostedPath.resetPassword.rawValue)?ticket=n2xq0DkTrCfM#")
        ])

    var all: [ManagementRoute] {
        [
            ManagementRoute(
                .post, "/tickets/password-change", "create_password_change_ticket",
                "Create a single-use link to set a user's password", in: Self.group,
                body: Operation.Body(Self.password.shape, example: ["user_id": "auth0|65f0c1d2e3a4b5c6d7e8f901"]),
                answer: Self.made, refusals: [(404, "There is no such user")], work: .new, passwordChange),
            ManagementRoute(
                .post, "/tickets/email-verification", "create_email_verification_ticket",
                "Create a single-use link that verifies a user's e-mail address", in: Self.group,
                body: Operation.Body(Self.email.shape, example: ["user_id": "auth0|65f0c1d2e3a4b5c6d7e8f901"]),
                answer: Self.made, refusals: [(404, "There is no such user")], work: .new
            ) { call in try await make(.email, call.read(Self.email, TicketRequest()), call) },
            ManagementRoute(
                .post, "/jobs/verification-email", "create_verification_email_job",
                "Send a single-use link that verifies a user's e-mail address", in: Self.group,
                scopes: [["update:users"]],
                body: Operation.Body(Self.mail.shape, example: ["user_id": "auth0|65f0c1d2e3a4b5c6d7e8f901"]),
                answer: Operation.Answer(
                    201, "The finished job", Self.job,
                    example: [
                        "id": "job_sW4J0OcmNTTqGIrX", "type": "verification_email", "status": "completed",
                        "created_at": "2026-01-31T12:00:00.000Z",
                    ]), refusals: [(404, "There is no such user")], work: .new, sendVerification),
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
            .email, for: request.user, request.options, tenant: call.configuration.tenant,
            configuration: call.configuration, for: call.context)
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
            kind, for: request.user, request.options, tenant: call.configuration.tenant,
            configuration: call.configuration, for: call.context)
        // Ends with `#`, because others append a fragment.
        return .value(["ticket": .string(made.link + "#")], status: 201)
    }
}
