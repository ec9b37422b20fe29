import APIDescription
import Administration
import AuthorizationCore
import Configuration
import HTTPModel
import JSONSchema
import Localization
import Primitives
import Routing

/// `/guardian/enrollments/invitations`: links by mail for people who have no phone, each person once.
struct InvitationRoutes: Sendable {
    private static let group = RouteGroup("Guardian", scopes: "guardian_enrollments")

    let invitations: InvitePhones

    private struct Invitation {
        var user = UserID("")
        var isTrial = false
        var options = ManageTickets.Options()
    }

    private static let body = Fields<Invitation> {
        Field("user_id", protects: .nothing, .id(), \.user).required
        Field("dry_run", protects: .nothing, .flag, \.isTrial, "Only tell the outcome")
        Field(
            "email_locale", protects: .nothing,
            .checked(.text(1...35)) { $0.stringValue.map { .preferred(uiLocales: $0, acceptLanguage: nil) } },
            \.options.language, "The mail's language")
        Field(
            "ttl_sec", protects: .nothing,
            .checked(.integer(1...ManageTickets.lifetimeRange.upperBound), \.intValue), \.options.lifetime,
            "Seconds that the link works; default: the setting enrollment_ticket_lifetime")
    }

    var all: [ManagementRoute] {
        let outcome = Shape.object([
            .required("outcome", .choice(InvitePhones.Outcome.allCases.map(\.rawValue)))
        ])
        return [
            ManagementRoute(
                .post, "/guardian/enrollments/invitations", "invite_user_to_enroll",
                "Mail a user without a phone a link that adds a first one, unless a link that works is unused",
                in: Self.group,
                details: """
                    A user who is `blocked`, has a phone (`has_phone`) or an \
                    authenticator app (`has_authenticator`), has an unused link (`open_invitation`) or no \
                    verified address (`no_verified_address`) gets no mail, so the operation may be repeated.
                    """,
                scopes: [["create:guardian_enrollment_tickets", "read:users"]],
                body: Operation.Body(Self.body.shape, example: ["user_id": "auth0|65f0c1e2d3b4a5968778695a"]),
                answer: Operation.Answer(
                    200, "`invited`, or the reason why not", outcome, example: ["outcome": "invited"]),
                refusals: [(404, "There is no such user")], work: .new, invite)
        ]
    }

    @Sendable private func invite(_ call: ManagementCall) async throws -> ManagementAnswer {
        let request = try call.read(Self.body, Invitation())
        let outcome =
            request.isTrial
            ? try await invitations.outcome(for: request.user, of: call.tenant, now: call.now)
            : try await invitations.invite(
                request.user, request.options, tenant: call.configuration.tenant, configuration: call.configuration,
                for: call.context)
        guard let outcome else { throw AdministrationFailure.unknown(.user) }
        return .object(["outcome": .string(outcome.rawValue)])
    }
}
