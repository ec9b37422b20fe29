import AuthorizationCore
import Configuration
import CurlTransport
import Delivery
import Flows
import HTTPModel
import OAuthWire
import Persistence
import Primitives
import Threads
import X509

/// A doctor for one tenant inside its running server. Its findings go to the tenant's administrators, who name hosts: so
/// the policy for outgoing connections holds, and nothing is said of the machine and of other tenants.
struct ServerExaminer: TenantExaminer {
    /// Maximum time of all examinations.
    private static let limit = Duration.seconds(15)
    /// Maximum time of one exchange.
    private static let exchangeLimit = Duration.seconds(5)

    private let settings: ServerSettings
    private let installation: Installation
    private let timer: any AuthorizationCore.Timer
    private let mails: MailBudget
    private let push: MobilePushServices
    private let client: OutgoingTransport
    /// Resolvers block their threads, and abandoned ones keep them.
    private let threads = Workers(threads: 8, queueLimit: 100)

    init(
        _ settings: ServerSettings, _ installation: Installation, _ timer: any AuthorizationCore.Timer,
        _ mails: MailBudget
    ) throws {
        self.settings = settings
        self.installation = installation
        self.timer = timer
        self.mails = mails
        push = try settings.mobilePushServices()
        var outgoing = settings.outgoing
        if settings.tls == .local { outgoing.trust = .file(Installation.authorityFile(folder: settings.dataFolder)) }
        client = try OutgoingTransport(settings.outgoingPolicy, outgoing)
    }

    func findings(on tenant: TenantConfiguration, names: [String], now: Timestamp) async -> [HealthFinding] {
        let examinations =
            [keys(of: tenant.tenant.id), certificates(of: tenant, now: now), providers(of: tenant, now: now)]
            + names.map { name($0, isServed: tenant.tenant.hosts.contains($0), now: now) }
        let found = await examinations.findings(within: Self.limit, by: timer) { _ in }
        return found.map { HealthFinding($0.check.rawValue, $0.ofTenant) }
    }

    func ring(_ device: Device, of tenant: TenantConfiguration, now: Timestamp) async -> CredentialFinding? {
        await push.trial(to: device, of: tenant, now: now)
    }

    func mail(_ address: EmailAddress, of tenant: TenantConfiguration, now: Timestamp) async -> CredentialFinding {
        if let sent = await settings.sendTestMail(to: address, by: tenant.mail, now: now) { return sent }
        if let refusal = mails.take(address, of: tenant.tenant.id, now: now) {
            return .fault("mail to \(address)", refusal.reason, advice: "wait, or set up a mail server of your own")
        }
        return await settings.sendTestMail(to: address, now: now)
    }

    // MARK: examinations

    private func keys(of tenant: TenantID) -> Examination {
        Examination([.keys], tenant.rawValue) {
            let stored = try? await installation.store.objects([.tenant, .keys], of: tenant).first
            guard let stored = stored.flatMap({ try? StoredTenant($0) }) else {
                return [
                    .fault(.keys, tenant.rawValue, "the keys cannot be read", advice: "tell the operator of the server")
                ]
            }
            return DoctorRules.keys(KeyFacts(stored, installation.keys))
        }
    }

    private func certificates(of tenant: TenantConfiguration, now: Timestamp) -> Examination {
        Examination([.certificates], tenant.tenant.id.rawValue) {
            guard let apple = tenant.pushServices.apple, case .certificate(let identity) = apple.proof else {
                return []
            }
            return DoctorRules.pushCertificate(identity.certificate, of: "APNs \(apple.bundleID)", now: now)
        }
    }

    private func providers(of tenant: TenantConfiguration, now: Timestamp) -> Examination {
        Examination([.providers], "providers") {
            async let pushes = push.check(tenant, now: now)
            async let relay = settings.checkRelay(of: tenant.mail)
            return await (pushes + relay).map { DoctorFinding($0) }
        }
    }

    /// - Parameter isServed: False for a name that the tenant only claims.
    private func name(_ host: String, isServed: Bool, now: Timestamp) -> Examination {
        let checks: [DoctorCheck] = isServed ? [.dns, .issuers] : [.dns]
        return Examination(checks, host, within: Self.limit * 0.8) {
            let authority = Tenant.name(ofAuthority: host)
            let name = authority.hasPrefix("[") ? String(authority.dropFirst().dropLast()) : authority
            let found =
                (try? await threads.run { DoctorFacts.addresses(of: name) })
                ?? .failure(LookupFailure(reason: "no thread is left"))
            guard case .success(let addresses) = found else { return [DoctorRules.dns(host, found)] }
            let policy = settings.outgoingPolicy
            let allowed = addresses.filter { IPAddress($0).map { policy.allows($0, isSecure: true) } ?? false }
            guard !allowed.isEmpty else {
                return [
                    .warning(
                        .dns, host, "the name leads to a private address, which this server does not contact",
                        advice: "run countersign doctor on the server's machine, or publish a public address")
                ]
            }
            let lookup = DoctorRules.dns(host, .success(allowed))
            guard isServed else { return [lookup] }
            let facts = await issuerFacts(of: host)
            return [lookup] + DoctorRules.issuer(host, facts, presented: nil, isServerHere: true, now: now)
        }
    }

    private func issuerFacts(of host: String) async -> IssuerFacts {
        let url = EndpointPath.openIDConfiguration.url(below: "https://\(host)/")
        do throws(HTTPClientError) {
            let response = try await client.send(
                ClientRequest(method: .get, url: url, timeout: Self.exchangeLimit))
            return IssuerFacts(response)
        } catch {
            return .unreachable(error)
        }
    }
}

extension DoctorFinding {
    fileprivate var ofTenant: CredentialFinding {
        switch state {
        case .ok: .ok(subject, finding)
        case .fault: .fault(subject, finding, advice: advice ?? "")
        case .warning, .skipped: .warning(subject, finding, advice: advice ?? "")
        }
    }
}
