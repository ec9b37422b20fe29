import AuthorizationCore
import HTTPModel
import JOSE
import Primitives
import X509

/// Signing keys of a tenant.
struct KeyFacts: Sendable {
    struct Key: Sendable {
        let algorithm: JWSAlgorithm
        let status: SigningKey.Status
        /// Reason why the key cannot sign. Nil means that it can.
        var problem: String?
    }

    let tenant: String
    let keys: [Key]
    /// Nil means that the tenant has no key for Web Push.
    let webPush: Result<Void, Problem>?

    struct Problem: Error {
        let text: String
    }
}

/// Answer to a request for an issuer's metadata.
enum IssuerFacts: Sendable {
    case unreachable(HTTPClientError)
    /// `issuer` is the member of the answer. Nil means that the answer has none.
    case answered(status: Int, issuer: String?)

    /// Characters of a foreign issuer that a finding repeats.
    private static let issuerLength = 300

    init(_ answer: ClientResponse) {
        let issuer = (try? JSONReader.parse(answer.body))?["issuer"]?.stringValue
        self = .answered(status: answer.status, issuer: issuer.map { String($0.prefix(Self.issuerLength)) })
    }

    /// True if the host answered as its own issuer.
    func isIssuer(of host: String) -> Bool {
        guard case .answered(200, let issuer) = self else { return false }
        return issuer == "https://\(host)/"
    }
}

extension DoctorRules {
    static func keys(_ facts: KeyFacts) -> [DoctorFinding] {
        var findings = facts.keys.compactMap { key in
            key.problem.map {
                DoctorFinding.fault(
                    .keys, facts.tenant, $0,
                    advice: "look for the right master key; if it is lost, countersign keys revoke replaces the key")
            }
        }
        let algorithms = JWSAlgorithm.allCases.filter { algorithm in facts.keys.contains { $0.algorithm == algorithm } }
        findings += algorithms.compactMap { missingKey(of: $0, facts) }
        if algorithms.isEmpty {
            findings.append(
                .fault(
                    .keys, facts.tenant, "the tenant has no signing key",
                    advice: "restart the server, and apply the tenant's configuration again"))
        }
        if let finding = webPushKey(facts) { findings.append(finding) }
        guard findings.isEmpty else { return findings }
        let names = algorithms.map(\.rawValue).joined(separator: ", ")
        return [.ok(.keys, facts.tenant, "current and next keys of \(names), and the key for Web Push, open")]
    }

    /// Nil if the algorithm has a current and a next key.
    private static func missingKey(of algorithm: JWSAlgorithm, _ facts: KeyFacts) -> DoctorFinding? {
        let statuses = facts.keys.filter { $0.algorithm == algorithm }.map(\.status)
        let advice = "run: countersign keys rotate --tenant \(facts.tenant) --algorithm \(algorithm.rawValue)"
        if !statuses.contains(.current) {
            return .fault(
                .keys, facts.tenant, "there is no current key of \(algorithm.rawValue), so nothing is signed with it",
                advice: advice)
        }
        guard !statuses.contains(.next) else { return nil }
        return .warning(
            .keys, facts.tenant, "there is no next key of \(algorithm.rawValue), so a rotation surprises clients",
            advice: advice)
    }

    /// Nil if the key opens.
    private static func webPushKey(_ facts: KeyFacts) -> DoctorFinding? {
        switch facts.webPush {
        case .success: nil
        case .failure(let problem):
            .fault(
                .keys, facts.tenant, problem.text,
                advice: "look for the right master key; if it is lost, countersign key-exchange --empty-unreadable "
                    + "replaces the key, and browsers subscribe again")
        case nil:
            .warning(
                .keys, facts.tenant, "there is no key for Web Push, so browsers get no pushes",
                advice: "restart the server, which makes the key")
        }
    }

    /// Judges the validity of a server's certificates.
    /// - Parameters:
    ///   - subject: The file or host that they come from.
    ///   - hosts: Names that the first one must have.
    ///   - renewal: Advice for one that expired or is late.
    /// - Returns: Faults and warnings. Empty means that nothing is wrong.
    static func certificates(
        _ chain: [Certificate], of subject: String, in check: DoctorCheck, for hosts: [String] = [], now: Timestamp,
        renewal: String = "renew it, and find out why it was not renewed by itself"
    ) -> [DoctorFinding] {
        guard let own = chain.first else {
            return [
                .fault(
                    check, subject, "contains no readable certificate",
                    advice: "it must be PEM: the server's certificate, followed by its intermediates")
            ]
        }
        var findings: [DoctorFinding] = []
        for certificate in chain {
            let name = certificate == own ? "the certificate" : "an intermediate certificate"
            let end = certificate.notAfter
            if certificate.notBefore > now {
                findings.append(
                    .fault(
                        check, subject, "\(name) is valid only from \(certificate.notBefore.iso8601) on",
                        advice: "compare this machine's clock, or wait until then"))
            } else if end < now {
                findings.append(
                    .fault(
                        check, subject, "\(name) expired \((now - end).inWords) ago, on \(end.iso8601)",
                        advice: renewal))
            } else if certificate.isRenewalLate(at: now) {
                findings.append(
                    .warning(
                        check, subject, "\(name) expires in \((end - now).inWords), on \(end.iso8601)",
                        advice: renewal))
            }
        }
        let missing = hosts.filter { !own.names(host: $0) }
        if !missing.isEmpty {
            findings.append(
                .fault(
                    check, subject, "the certificate does not name \(missing.joined(separator: ", "))",
                    advice: "request one for all hosts of all tenants"))
        }
        return findings
    }

    /// Judges a certificate by which a tenant sends to Apple's push service.
    static func pushCertificate(_ certificate: Certificate, of subject: String, now: Timestamp) -> [DoctorFinding] {
        let findings = certificates(
            [certificate], of: subject, in: .certificates, now: now,
            renewal: "make a new certificate, or set a p8 key, which does not expire: countersign push set apns --help")
        return findings.isEmpty
            ? [.ok(.certificates, subject, "valid until \(certificate.notAfter.iso8601)")] : findings
    }

    static func dns(_ host: String, _ addresses: Result<[String], LookupFailure>) -> DoctorFinding {
        switch addresses {
        case .success(let addresses): .ok(.dns, host, addresses.joined(separator: ", "))
        case .failure(let failure):
            .fault(
                .dns, host, "the name has no address: \(failure.reason)",
                advice: "publish an A or AAAA record for it, or remove the host from the tenant")
        }
    }

    /// Fault of a server whose readiness probe says that its store fails. Nil for other answers, such as a proxy's.
    static func readiness(_ host: String, status: Int, body: JSONValue?) -> DoctorFinding? {
        guard status == 503, body?["status"] == "unavailable" else { return nil }
        return .fault(
            .issuers, host, "the server refuses every change, because its database cannot be read or written",
            advice: "look for failed lines with level error in its log; usual causes are a full disk and a read-only "
                + "file")
    }

    /// - Parameters:
    ///   - presented: The certificates that the server sent. Nil if they could not be read.
    ///   - isServerHere: True if a server runs on this data folder.
    static func issuer(
        _ host: String, _ facts: IssuerFacts, presented: [Certificate]?, isServerHere: Bool, now: Timestamp
    ) -> [DoctorFinding] {
        let expected = "https://\(host)/"
        let faults = presented.map {
            certificates($0, of: host, in: .issuers, for: [Tenant.name(ofAuthority: host)], now: now)
        }
        switch facts {
        case .unreachable(.untrusted(let reason)):
            if let faults, faults.state == .fault { return faults }
            return [
                .fault(
                    .issuers, host, reason,
                    advice:
                        "send the intermediate certificates with the server's; if a private authority signed it, name "
                        + "the authority with --trusted-authorities")
            ]
        case .unreachable(let error):
            return [
                .fault(
                    .issuers, host, "cannot be reached from here: \(error.text)",
                    advice: isServerHere
                        ? "check the proxy, the firewall and the port. A router may not lead this machine to its own "
                            + "public address: check from another machine then, and use --offline here"
                        : "start the server: none runs on this data folder")
            ]
        case .answered(200, expected):
            if let faults, !faults.isEmpty { return faults }
            let end = presented?.first.map { ", with a certificate until \($0.notAfter.iso8601)" } ?? ""
            return [.ok(.issuers, host, "answers as \(expected)\(end)")]
        case .answered(200, let issuer?):
            return [
                .fault(
                    .issuers, host, "another issuer answers: \(issuer)",
                    advice:
                        "let the proxy forward the Host field unchanged, and check that the name leads to this server")
            ]
        case .answered(let status, _):
            return [
                .fault(
                    .issuers, host, "the metadata's address answers with status \(status)",
                    advice: "check that the name leads to this server, and that the proxy forwards /.well-known/")
            ]
        }
    }
}
