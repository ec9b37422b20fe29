import AuthorizationCore
import Configuration
import CurlTransport
import Flows
import Glibc
import HTTPModel
import MicroHTTPServer
import OAuthWire
import OpenSSLCrypto
import Primitives
import Threads
import X509

extension Doctor {
    /// Maximum time of one exchange with a server.
    private static let exchangeLimit = Duration.seconds(10)

    /// Characters of a foreign issuer that a finding repeats.
    private static let issuerLength = 300

    /// - Parameter snapshot: Nil without the right master key.
    func networkExaminations(
        _ patient: Patient, _ snapshot: SharedSnapshot?, isServerHere: Bool, within limit: Duration
    ) -> [Examination] {
        let time = min(limit * 0.8, Self.exchangeLimit)
        var examinations: [Examination] = []
        do {
            let client = try CurlTransport(issuerTransport(time))
            // Resolvers and probes block their threads.
            let threads = Workers(threads: 16, queueLimit: 100_000)
            for host in patient.tenants.flatMap(\.tenant.hosts) {
                examinations.append(
                    Examination(check: .issuers, subject: host) {
                        await self.host(
                            host, isServerHere: isServerHere, client: client, threads: threads, within: time)
                    })
            }
        } catch {
            examinations.append(
                Examination(check: .issuers, subject: "network") {
                    [.fault(.issuers, "network", error.text, advice: "check --trusted-authorities")]
                })
        }
        if let snapshot {
            examinations.append(mailServerExamination(patient, snapshot))
            examinations += providerExaminations(patient, snapshot)
        }
        return examinations
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
        _ host: String, isServerHere: Bool, client: CurlTransport, threads: Workers, within time: Duration
    ) async -> [DoctorFinding] {
        let authority = Tenant.name(ofAuthority: host)
        let name = authority.hasPrefix("[") ? String(authority.dropFirst().dropLast()) : authority
        let addresses =
            (try? await threads.run { DoctorFacts.addresses(of: name) })
            ?? .failure(LookupFailure(reason: "no thread is left"))
        let lookup = DoctorRules.dns(host, addresses)
        guard lookup.state == .ok else {
            return [lookup, .skipped(.issuers, host, "its name has no address")]
        }
        let url = EndpointPath.openIDConfiguration.url(below: "https://\(host)/")
        async let certificates = try? threads.run { try CertificateProbe.certificates(of: url, within: time) }
        let facts: IssuerFacts
        do {
            let response = try await client.send(ClientRequest(method: .get, url: url, timeout: time))
            witness.note(response, from: host)
            let metadata = try? JSONReader.parse(response.body)
            facts = .answered(
                status: response.status,
                issuer: (metadata?["issuer"]?.stringValue).map { String($0.prefix(Self.issuerLength)) })
        } catch {
            facts = .unreachable(error)
        }
        let presented = await certificates?.compactMap { Certificate(pem: $0) }
        return [lookup]
            + DoctorRules.issuer(
                host, facts, presented: presented, isServerHere: isServerHere, now: clock.now)
    }

    private func mailServerExamination(_ patient: Patient, _ snapshot: SharedSnapshot) -> Examination {
        Examination(check: .providers, subject: "mail server") {
            let wanted = Set(patient.tenants.map(\.tenant.id))
            // The check of the configuration names a snapshot that cannot be made.
            let tenants = (try? await snapshot.value.configuration.tenants) ?? []
            let mailed = tenants.filter { tenant in
                wanted.contains(tenant.tenant.id) && tenant.mail.relay == nil
                    && tenant.clients.contains { $0.notificationChannels?.contains(.email) == true }
            }
            return [DoctorFinding(await settings.checkMailServer(for: mailed.map(\.tenant.id)))]
        }
    }

    /// One examination for each tenant, so that a slow answer hides no other tenant's findings.
    private func providerExaminations(_ patient: Patient, _ snapshot: SharedSnapshot) -> [Examination] {
        let checks = Result { try makeCredentialChecks(settings, witness) }
        return patient.tenants.map(\.tenant.id).map { id in
            Examination(check: .providers, subject: id.rawValue) {
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

/// The files with certificates that the settings name.
extension Doctor {
    func certificateFileFindings() -> [DoctorFinding] {
        let now = clock.now
        var findings: [DoctorFinding] = []
        switch settings.tls {
        case .off: findings.append(.ok(.certificates, "tls", "a proxy on this machine presents the certificate"))
        case .local:
            let folder = settings.dataFolder + "/tls"
            for file in [Installation.authorityFile(folder: settings.dataFolder), folder + "/server.pem"] {
                findings += judged(file, now: now, advice: "start countersign serve, which makes it")
            }
        case .files(let certificate, let key):
            findings += judged(certificate, now: now, advice: "correct tls-certificate", key: key)
        }
        for file in [settings.trustedAuthorities, settings.clientAuthorities].compactMap(\.self) {
            findings += judged(file, now: now, advice: "correct trusted-authorities or mtls-ca")
        }
        return findings
    }

    private func judged(
        _ file: String, now: Timestamp, advice: String, key: String? = nil
    ) -> [DoctorFinding] {
        let text: String
        do { text = try Installation.text(of: file) } catch {
            if let advice = self.advice(after: error) {
                return [.skipped(.certificates, file, "\(error)", advice: advice)]
            }
            return [.fault(.certificates, file, "\(error)", advice: advice)]
        }
        let chain = Certificate.chain(pem: text) ?? []
        var findings = DoctorRules.certificates(chain, of: file, in: .certificates, now: now)
        if let key {
            do {
                let keyText = try Installation.text(of: key)
                if try !CertificatePair.matches(certificatePEM: Array(text.utf8), keyPEM: SecretBytes(utf8: keyText)) {
                    findings.append(
                        .fault(
                            .certificates, key, "the key does not belong to the certificate in \(file)",
                            advice: "name the certificate and the key of the same request"))
                }
            } catch {
                findings.append(
                    .fault(
                        .certificates, key, "cannot be used: \(error)",
                        advice: "it must be a private key in PEM without a password"))
            }
        }
        guard findings.isEmpty, let end = chain.map(\.notAfter).min() else { return findings }
        return [.ok(.certificates, file, "valid until \(end.iso8601)")]
    }
}
