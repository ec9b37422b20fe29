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
        for algorithm in algorithms {
            let statuses = facts.keys.filter { $0.algorithm == algorithm }.map(\.status)
            if !statuses.contains(.current) {
                findings.append(
                    .fault(
                        .keys, facts.tenant,
                        "there is no current key of \(algorithm.rawValue), so nothing is signed with it",
                        advice:
                            "run: countersign keys rotate --tenant \(facts.tenant) --algorithm \(algorithm.rawValue)"))
            } else if !statuses.contains(.next) {
                findings.append(
                    .warning(
                        .keys, facts.tenant,
                        "there is no next key of \(algorithm.rawValue), so a rotation surprises clients",
                        advice:
                            "run: countersign keys rotate --tenant \(facts.tenant) --algorithm \(algorithm.rawValue)"))
            }
        }
        if algorithms.isEmpty {
            findings.append(
                .fault(
                    .keys, facts.tenant, "the tenant has no signing key",
                    advice: "restart the server, and apply the tenant's configuration again"))
        }
        switch facts.webPush {
        case .success: break
        case .failure(let problem):
            findings.append(
                .fault(
                    .keys, facts.tenant, problem.text,
                    advice: "look for the right master key; if it is lost, countersign key-exchange --empty-unreadable "
                        + "replaces the key, and browsers subscribe again"))
        case nil:
            findings.append(
                .warning(
                    .keys, facts.tenant, "there is no key for Web Push, so browsers get no pushes",
                    advice: "restart the server, which makes the key"))
        }
        guard findings.isEmpty else { return findings }
        let names = algorithms.map(\.rawValue).joined(separator: ", ")
        return [.ok(.keys, facts.tenant, "current and next keys of \(names), and the key for Web Push, open")]
    }

    /// Validity left at which a renewal is late: 21 days, or a third of a lifetime that is shorter than 63 days.
    static func renewalMargin(of certificate: Certificate) -> Duration {
        min(.seconds(21 * 86_400), (certificate.notAfter - certificate.notBefore) / 3)
    }

    /// Judges the validity of a server's certificates.
    /// - Parameters:
    ///   - subject: The file or host that they come from.
    ///   - hosts: Names that the first one must have.
    /// - Returns: Faults and warnings. Empty means that nothing is wrong.
    static func certificates(
        _ chain: [Certificate], of subject: String, in check: DoctorCheck, for hosts: [String] = [], now: Timestamp
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
                        advice: "renew it, and find out why it was not renewed by itself"))
            } else if end - now < renewalMargin(of: certificate) {
                findings.append(
                    .warning(
                        check, subject, "\(name) expires in \((end - now).inWords), on \(end.iso8601)",
                        advice: "renew it, and find out why it was not renewed by itself"))
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

    static func dns(_ host: String, _ addresses: Result<[String], LookupFailure>) -> DoctorFinding {
        switch addresses {
        case .success(let addresses): .ok(.dns, host, addresses.joined(separator: ", "))
        case .failure(let failure):
            .fault(
                .dns, host, "the name has no address: \(failure.reason)",
                advice: "publish an A or AAAA record for it, or remove the host from the tenant")
        }
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
                        ? "check the proxy, the firewall and the port. A router may not lead this machine to its own public "
                            + "address: check from another machine then, and use --offline here"
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
