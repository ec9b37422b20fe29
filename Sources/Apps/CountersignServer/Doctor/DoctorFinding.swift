import Flows
package import Primitives

/// Parts of an installation that a doctor checks, by their names in options and results.
package enum DoctorCheck: String, Sendable, CaseIterable {
    case settings, files, disk, server
    case masterKey = "master-key"
    case database
    case auditLog = "audit-log"
    case sealedValues = "sealed-values"
    case deliveries, configuration, keys, certificates, dns, issuers, providers, clock

    /// True if the check contacts other machines, or this one by its public names.
    package var needsNetwork: Bool {
        switch self {
        case .dns, .issuers, .providers: true
        default: false
        }
    }

    /// True if the check opens sealed values.
    var needsMasterKey: Bool {
        switch self {
        case .sealedValues, .configuration, .keys, .providers: true
        default: false
        }
    }

    /// True if the check reads the database.
    var needsDatabase: Bool {
        switch self {
        case .settings, .files, .disk, .server, .certificates, .clock: false
        default: true
        }
    }
}

/// One result of a check. Holds no secret.
package struct DoctorFinding: Sendable, Equatable {
    package enum State: String, Sendable, CaseIterable {
        case ok, skipped, warning, fault
    }

    package let check: DoctorCheck
    /// The checked thing, such as a file, a tenant's host or a queue.
    package let subject: String
    package let state: State
    package let finding: String
    /// Nil if nothing is to be done.
    package let advice: String?

    private init(_ check: DoctorCheck, _ subject: String, _ state: State, _ finding: String, _ advice: String?) {
        self.check = check
        self.subject = subject
        self.state = state
        self.finding = finding
        self.advice = advice
    }

    package static func ok(_ check: DoctorCheck, _ subject: String, _ finding: String) -> DoctorFinding {
        DoctorFinding(check, subject, .ok, finding, nil)
    }

    package static func skipped(
        _ check: DoctorCheck, _ subject: String, _ reason: String, advice: String? = nil
    ) -> DoctorFinding {
        DoctorFinding(check, subject, .skipped, reason, advice)
    }

    package static func warning(
        _ check: DoctorCheck, _ subject: String, _ finding: String, advice: String
    ) -> DoctorFinding {
        DoctorFinding(check, subject, .warning, finding, advice)
    }

    package static func fault(
        _ check: DoctorCheck, _ subject: String, _ finding: String, advice: String
    ) -> DoctorFinding {
        DoctorFinding(check, subject, .fault, finding, advice)
    }

    /// - Parameter tenant: Nil for a finding about the whole server.
    init(_ finding: CredentialFinding, tenant: String? = nil) {
        let state: State =
            switch finding.state {
            case .ok: .ok
            case .warning: .warning
            case .fault: .fault
            }
        let subject = tenant.map { "\($0): \(finding.subject)" } ?? finding.subject
        self.init(.providers, subject, state, finding.text, finding.advice)
    }

    package var json: JSONValue {
        [
            "name": .string(check.rawValue), "subject": .string(subject), "state": .string(state.rawValue),
            "finding": .string(finding), "advice": advice.map { .string($0) } ?? .null,
        ]
    }
}

extension [DoctorFinding] {
    /// State of the whole: the worst of all, and `ok` without any. Skipped checks do not count.
    package var state: DoctorFinding.State {
        contains { $0.state == .fault } ? .fault : contains { $0.state == .warning } ? .warning : .ok
    }

    package func count(_ state: DoctorFinding.State) -> Int { count { $0.state == state } }

    package var json: JSONValue {
        var summary: JSONObject = ["state": .string(state.rawValue)]
        for state in DoctorFinding.State.allCases { summary[state.rawValue] = .number(JSONNumber(count(state))) }
        return ["findings": .array(map(\.json)), "summary": .object(summary)]
    }
}
