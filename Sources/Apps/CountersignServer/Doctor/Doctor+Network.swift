import AuthorizationCore
import Configuration
import CurlTransport
import Flows
import HTTPModel
import OAuthWire
import Persistence
import Primitives
import Threads
import X509

extension Doctor {
    /// Maximum time of one exchange with a server.
    private static let exchangeLimit = Duration.seconds(10)
    /// Time that a host or a tenant has at least, however many there are.
    private static let leastTime = Duration.seconds(5)

    /// - Parameter snapshot: Nil without the right master key.
    func networkExaminations(
        _ opened: OpenedInstallation, _ snapshot: SharedSnapshot?, isServerHere: Bool, within limit: Duration
    ) -> [Examination] {
        // The first host of each tenant comes before the second of any, so that none takes all the time: the sort is
        // stable.
        let hosts = opened.tenants.flatMap { $0.tenant.hosts.enumerated() }.sorted { $0.offset < $1.offset }
        let turns = (hosts.count + opened.tenants.count) / Examination.width + 1
        let all = limit * 0.8
        let time = min(max(all / turns, Self.leastTime), all)
        var examinations: [Examination] = []
        if scope.checks.contains(.dns) || scope.checks.contains(.issuers) {
            examinations += hostExaminations(hosts.map(\.element), isServerHere: isServerHere, within: time)
        }
        if let snapshot, scope.checks.contains(.providers) {
            examinations.append(mailServerExamination(opened, snapshot, within: all))
            examinations += providerExaminations(opened, snapshot, within: time)
        }
        return examinations
    }

    private func hostExaminations(
        _ hosts: [String], isServerHere: Bool, within time: Duration
    ) -> [Examination] {
        let made = scope.checks.contains(.issuers) ? issuerClient(within: time) : nil
        var examinations: [Examination] = []
        if case .failure(let error) = made {
            examinations.append(
                Examination([.issuers], "network") {
                    [.fault(.issuers, "network", error.text, advice: "check --trusted-authorities")]
                })
        }
        let client = try? made?.get()
        // Resolvers and probes block their threads, and abandoned ones keep them.
        let threads = Workers(threads: 2 * Examination.width, queueLimit: 100_000)
        return examinations
            + hosts.map { host in
                Examination([.dns, .issuers], host, within: time) {
                    await self.host(host, isServerHere: isServerHere, client: client, threads: threads, within: time)
                }
            }
    }

    private func issuerClient(within time: Duration) -> Result<CurlTransport, HTTPClientError> {
        do throws(HTTPClientError) { return .success(try CurlTransport(issuerTransport(time))) } catch {
            return .failure(error)
        }
    }

    /// Settings for requests to the tenants' own hosts. The operator asks for them, so every address is allowed.
    private func issuerTransport(_ time: Duration) -> CurlTransport.Configuration {
        var configuration = settings.outgoing
        configuration.connectTimeout = min(configuration.connectTimeout, time)
        if settings.tls == .local {
            configuration.trust = .file(Installation.authorityFile(folder: settings.dataFolder))
        }
        return configuration
    }

    private func host(
        _ host: String, isServerHere: Bool, client: CurlTransport?, threads: Workers, within limit: Duration
    ) async -> [DoctorFinding] {
        let begun = timer.uptime
        let authority = Tenant.name(ofAuthority: host)
        let name = authority.hasPrefix("[") ? String(authority.dropFirst().dropLast()) : authority
        let addresses =
            (try? await threads.run { DoctorFacts.addresses(of: name) })
            ?? .failure(LookupFailure(reason: "no thread is left"))
        let lookup = DoctorRules.dns(host, addresses)
        guard lookup.state == .ok else {
            return [lookup, .blocked(.issuers, host, "its name has no address")]
        }
        guard let client else { return [lookup] }
        // Ends before the examination's limit, which would call the name's address late too.
        let left = (limit - (timer.uptime - begun)) * 0.9
        let time = min(max(left, .milliseconds(100)), Self.exchangeLimit)
        let url = EndpointPath.openIDConfiguration.url(below: "https://\(host)/")
        async let certificates = try? threads.run { try CertificateProbe.certificates(of: url, within: time) }
        let facts = await issuerFacts(of: host, url, client, within: time)
        let presented = await certificates?.compactMap { Certificate(pem: $0) }
        var findings = DoctorRules.issuer(
            host, facts, presented: presented, isServerHere: isServerHere, now: clock.now)
        if isServerHere, facts.isIssuer(of: host) {
            let rest = (limit - (timer.uptime - begun)) * 0.9
            findings += await readiness(of: host, client, within: min(rest, time))
        }
        return [lookup] + findings
    }

    private func issuerFacts(
        of host: String, _ url: String, _ client: CurlTransport, within time: Duration
    ) async -> IssuerFacts {
        do {
            let response = try await client.send(ClientRequest(method: .get, url: url, timeout: time))
            let facts = IssuerFacts(response)
            // The time of another server is not this installation's.
            if facts.isIssuer(of: host) { serverTimes.record(response, from: host, isFixed: false) }
            return facts
        } catch {
            return .unreachable(error)
        }
    }

    /// Empty unless the server says that its store fails.
    private func readiness(
        of host: String, _ client: CurlTransport, within time: Duration
    ) async -> [DoctorFinding] {
        let url = EndpointPath.readiness.url(below: "https://\(host)/")
        guard time > .zero,
            let response = try? await client.send(ClientRequest(method: .get, url: url, timeout: time))
        else { return [] }
        let body = try? JSONReader.parse(response.body)
        return [DoctorRules.readiness(host, status: response.status, body: body)].compactMap(\.self)
    }

    private func mailServerExamination(
        _ opened: OpenedInstallation, _ snapshot: SharedSnapshot, within time: Duration
    ) -> Examination {
        Examination([.providers], "mail server", within: time) {
            let wanted = Set(opened.tenants.map(\.tenant.id))
            // The tenants' own examinations name a snapshot that cannot be made.
            let all = (try? await snapshot.value.configuration.tenants) ?? []
            let tenants = all.filter { wanted.contains($0.tenant.id) && $0.mail.relay == nil }
            let asking = tenants.filter { tenant in
                tenant.clients.contains { $0.notificationChannels?.contains(.email) == true }
            }
            let users = (try? await opened.installation.store.tenantsWithPasswords(within: time)) ?? []
            return [
                DoctorFinding(
                    await opened.settings.checkMailServer(
                        for: asking.map(\.tenant.id), users: tenants.map(\.tenant.id).filter(users.contains)))
            ]
        }
    }

    /// One examination for each tenant, so that a slow answer hides no other tenant's findings.
    private func providerExaminations(
        _ opened: OpenedInstallation, _ snapshot: SharedSnapshot, within time: Duration
    ) -> [Examination] {
        let checks = Result { try makeCredentialChecks(opened.settings, serverTimes) }
        return opened.tenants.map(\.tenant.id).map { id in
            Examination([.providers], id.rawValue, within: time) {
                do {
                    guard let tenant = try await snapshot.value.configuration.tenant(id: id) else { return [] }
                    let findings = await Self.findings(of: try checks.get(), tenant, now: clock.now)
                        .map { DoctorFinding($0, tenant: id.rawValue) }
                    return findings.isEmpty
                        ? [.ok(.providers, id.rawValue, "has no credentials of a provider to check")] : findings
                } catch {
                    return [
                        .fault(
                            .providers, id.rawValue, "cannot be checked: \(error)",
                            advice: "correct the server's settings")
                    ]
                }
            }
        }
    }

    /// Runs the checks at the same time, so that a slow provider uses up no other's time.
    private static func findings(
        of checks: [CredentialCheck], _ tenant: TenantConfiguration, now: Timestamp
    ) async -> [CredentialFinding] {
        await withTaskGroup(of: (Int, [CredentialFinding]).self) { group in
            for (index, check) in checks.enumerated() {
                group.addTask { (index, await check.run(tenant, now)) }
            }
            return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.flatMap(\.1)
        }
    }
}
