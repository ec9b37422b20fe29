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
        case .sealedValues, .configuration, .keys, .certificates, .providers: true
        default: false
        }
    }

    /// True if the check reads the database.
    var needsDatabase: Bool {
        switch self {
        case .settings, .files, .disk, .server, .clock: false
        default: true
        }
    }

    /// Checks on which this one depends, so that their faults are told with it.
    var prerequisites: Set<DoctorCheck> {
        var prerequisites: Set<DoctorCheck> = [.settings]
        // The configuration tells that a tenant is unknown.
        if needsDatabase { prerequisites.formUnion([.database, .configuration]) }
        if needsMasterKey { prerequisites.insert(.masterKey) }
        if self == .issuers { prerequisites.insert(.dns) }
        return prerequisites
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
    /// True for a check that was skipped although it was wanted, because something that it needs failed.
    package let isBlocked: Bool

    private init(
        _ check: DoctorCheck, _ subject: String, _ state: State, _ finding: String, _ advice: String?,
        isBlocked: Bool = false
    ) {
        self.check = check
        self.subject = subject
        self.state = state
        self.finding = finding
        self.advice = advice
        self.isBlocked = isBlocked
    }

    package static func ok(_ check: DoctorCheck, _ subject: String, _ finding: String) -> DoctorFinding {
        DoctorFinding(check, subject, .ok, finding, nil)
    }

    package static func skipped(
        _ check: DoctorCheck, _ subject: String, _ reason: String, advice: String? = nil
    ) -> DoctorFinding {
        DoctorFinding(check, subject, .skipped, reason, advice)
    }

    /// Skipped against the operator's wish, which counts as a fault.
    package static func blocked(
        _ check: DoctorCheck, _ subject: String, _ reason: String, advice: String? = nil
    ) -> DoctorFinding {
        DoctorFinding(check, subject, .skipped, reason, advice, isBlocked: true)
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
    /// State of the whole: the worst of all, and `ok` without any. A blocked check counts as a fault, and other skipped
    /// ones do not count.
    package var state: DoctorFinding.State {
        contains { $0.state == .fault || $0.isBlocked } ? .fault : contains { $0.state == .warning } ? .warning : .ok
    }

    package func count(_ state: DoctorFinding.State) -> Int { count { $0.state == state } }

    package var json: JSONValue {
        var summary: JSONObject = ["state": .string(state.rawValue)]
        for state in DoctorFinding.State.allCases { summary[state.rawValue] = .number(JSONNumber(count(state))) }
        return ["findings": .array(map(\.json)), "summary": .object(summary)]
    }
}
