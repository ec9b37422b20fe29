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

    func findings(on tenant: TenantConfiguration, _ scope: HealthScope, now: Timestamp) async -> [HealthFinding] {
        var examinations = [names(scope.names, of: tenant.tenant, now: now)]
        if case .all = scope {
            examinations =
                [keys(of: tenant.tenant.id), certificates(of: tenant, now: now), providers(of: tenant, now: now)]
                + examinations
        }
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
            return DoctorRules.keys(KeyFacts(stored, installation.keys).withoutReasons)
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

    /// One after the other, so that no tenant takes all threads.
    private func names(_ names: [String], of tenant: Tenant, now: Timestamp) -> Examination {
        Examination([.dns], "names") {
            let begun = timer.uptime
            var findings: [DoctorFinding] = []
            for name in names {
                guard timer.uptime - begun < Self.limit * 0.6 else {
                    findings.append(Self.late(name))
                    continue
                }
                findings += await self.name(name, isServed: tenant.hosts.contains(name), now: now)
            }
            return findings
        }
    }

    private static func late(_ name: String) -> DoctorFinding {
        .warning(.dns, name, "not looked up for lack of time", advice: "look again in a minute")
    }

    /// - Parameter isServed: False for a name that the tenant only claims. Of such a name only public addresses are told:
    ///   others would tell of the network of the server.
    private func name(_ host: String, isServed: Bool, now: Timestamp) async -> [DoctorFinding] {
        let authority = Tenant.name(ofAuthority: host)
        let name = authority.hasPrefix("[") ? String(authority.dropFirst().dropLast()) : authority
        // With a full stop at its end, no domain of the machine is tried behind the name.
        let looked = isServed ? name : "\(name)."
        guard let found = try? await threads.run({ DoctorFacts.addresses(of: looked) }) else {
            return [Self.late(host)]
        }
        let policy = settings.outgoingPolicy
        let addresses = (try? found.get()) ?? []
        let allowed = addresses.filter { IPAddress($0).map { policy.allows($0, isSecure: true) } ?? false }
        guard !allowed.isEmpty else {
            guard isServed else {
                return [
                    .fault(
                        .dns, host, "no public address is known for the name",
                        advice: "publish the record that its page names")
                ]
            }
            guard !addresses.isEmpty else { return [DoctorRules.dns(host, found)] }
            return [
                .warning(
                    .dns, host, "the name leads to a private address, which this server does not contact",
                    advice: "tell the operator of the server")
            ]
        }
        let lookup = DoctorRules.dns(host, .success(allowed))
        guard isServed else { return [lookup] }
        let facts = await issuerFacts(of: host)
        return [lookup] + DoctorRules.issuer(host, facts, presented: nil, isServerHere: true, now: now)
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

extension KeyFacts {
    /// Without what was wrong with the master key, which is the operator's.
    fileprivate var withoutReasons: KeyFacts {
        let text = "a key cannot be opened"
        let keys = keys.map { Key(algorithm: $0.algorithm, status: $0.status, problem: $0.problem.map { _ in text }) }
        return KeyFacts(tenant: tenant, keys: keys, webPush: webPush?.mapError { _ in Problem(text: text) })
    }
}

extension DoctorFinding {
    /// For administrators of the tenant, who have no commands of the server.
    fileprivate var ofTenant: CredentialFinding {
        let advice =
            switch check {
            case .dns: self.advice ?? ""
            case .providers, .certificates:
                "compare the settings on the pages Push services and Mail; if they are right, tell the operator of the server"
            default: "tell the operator of the server"
            }
        switch state {
        case .ok: return .ok(subject, finding)
        case .fault: return .fault(subject, finding, advice: advice)
        case .warning, .skipped: return .warning(subject, finding, advice: advice)
        }
    }
}
