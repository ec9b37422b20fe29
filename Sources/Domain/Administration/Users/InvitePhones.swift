package import AuthorizationCore
package import Configuration
package import Primitives

/// Mails people a link to enrol a first phone, each person once.
package struct InvitePhones: Sendable {
    /// The state of one person after a try.
    package enum Outcome: String, Sendable, CaseIterable {
        case invited
        case hasPhone = "has_phone"
        /// Such a person adds a phone on the account's pages, after a code. A link would lead past the app.
        case hasAuthenticator = "has_authenticator"
        /// An earlier link was not used yet, and works.
        case isInvited = "open_invitation"
        case isBlocked = "blocked"
        /// The holder of a link approves in the person's name, so it goes to a proved address alone.
        case hasNoAddress = "no_verified_address"
    }

    let store: any ConfigurationStore
    let tickets: ManageTickets

    /// The state that an invitation would lead to now. Nil for a user who is gone.
    package func outcome(for user: UserID, of tenant: TenantID, now: Timestamp) async throws -> Outcome? {
        try await store.read { reader in
            guard let (person, _) = try reader.user(user, in: tenant) else { return nil }
            if person.blocked { return .isBlocked }
            if try !reader.devices(of: user, in: tenant).isEmpty { return .hasPhone }
            if try !reader.authenticators(of: user, in: tenant).isEmpty { return .hasAuthenticator }
            if try reader.hasEnrollmentTicket(of: user, in: tenant, now: now) { return .isInvited }
            return person.email != nil && person.emailVerified ? .invited : .hasNoAddress
        }
    }

    /// Makes a link and queues its mail in one change, unless the person has a phone, an authenticator app or an unused link. `options` says how
    /// long it works, and the mail's language. `configuration` is the tenant's, whose budget of mails counts.
    package func invite(
        _ user: UserID, _ options: ManageTickets.Options, tenant: Tenant, configuration: TenantConfiguration,
        for context: AdministrativeContext
    ) async throws -> Outcome? {
        let outcome = try await outcome(for: user, of: tenant.id, now: context.now)
        guard outcome == .invited else { return outcome }
        var options = options
        options.isMailed = true
        options.isOnly = true
        do {
            _ = try await tickets.make(
                .enrollment, for: user, options, tenant: tenant, configuration: configuration, for: context)
            return .invited
        } catch AdministrationFailure.conflict {
            return .isInvited
        } catch AdministrationFailure.unknown {
            return nil
        }
    }
}

extension Managers {
    package var phoneInvitations: InvitePhones { InvitePhones(store: store, tickets: tickets) }
}
