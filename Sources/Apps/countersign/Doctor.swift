import CountersignServer
import Terminal

extension Command {
    static var doctor: Command {
        let tenant = Option<String?>.optional(
            "tenant", .string.placeholder("ID"), environment: "COUNTERSIGN_TENANT", defaultText: "all",
            "Tenant whose hosts, keys and credentials are checked.")
        let only = Option<[DoctorCheck]?>.optional(
            "only", .checks, defaultText: "all", "Names of the checks to run, separated by commas.")
        let offline = Option<Bool>.flag("offline", "Skip checks that need the network: dns, issuers and providers.")
        let timeout = Option<Duration>.defaulted(
            "timeout", .duration(.seconds(1) ... .seconds(600)), to: .seconds(20),
            "Maximum time of the checks. A check that has begun and is not finished then is a fault.")
        let json = Option<Bool>.flag(
            "json", "Print a JSON object: findings, and a summary with a number for each state.")
        return Command(
            "doctor", "Check that an installation works, and say what to do if it does not.",
            discussion: """
                It changes nothing and may run beside the server, with the same settings and as the same account. \
                Secrets are never printed.

                Checks: \(DoctorCheck.allCases.map(\.rawValue).joined(separator: ", ")).

                A disk with less than 10 % or 1 GB free is a warning, below 2 % or 100 MB a fault. A certificate is \
                late 21 days before its end, or in the last third of a lifetime shorter than 63 days. A clock that \
                differs by 30 seconds is a warning, by 300 a fault.

                With --only, faults of what the checks depend on are shown too, such as a missing database. A host, or \
                a tenant's credentials, for which no time is left is a warning.

                The exit status is 0 without faults, also if there are warnings; 1 with a fault, or if a wanted check \
                could not run; and 2 for a wrong command line.
                """,
            options: [
                OptionGroup("Options", [only, tenant, offline, timeout, json, ServerChoices.configurationFile])
            ] + Setting.groups.map(\.options),
            examples: [
                "check a server's installation": "countersign doctor --config /etc/countersign/countersign.json",
                "check certificates and clocks alone": "countersign doctor --only certificates,issuers,clock",
                "give a monitoring system the findings": "countersign doctor --json --timeout 30s",
            ]
        ) { invocation in
            let checks = try invocation[only].map(Set.init) ?? Set(DoctorCheck.allCases)
            var scope = Doctor.Scope()
            scope.checks = checks
            scope.tenant = try invocation[tenant]
            scope.isOffline = try invocation[offline]
            guard !scope.isOffline || !checks.allSatisfy(\.needsNetwork) else {
                throw UsageError("--offline skips all checks that --only names")
            }
            let findings = await findings(invocation, scope, within: try invocation[timeout])
            let output = invocation.output
            if try invocation[json] { output.json(findings.json) } else { show(findings, on: output) }
            return findings.state == .fault ? 1 : 0
        }
    }

    private static func findings(
        _ invocation: Invocation, _ scope: Doctor.Scope, within limit: Duration
    ) async -> [DoctorFinding] {
        let settings: ServerSettings
        do { settings = try ServerChoices(invocation, settings: Setting.all).settings } catch {
            let others = DoctorCheck.allCases.filter { $0 != .settings && scope.checks.contains($0) }
            return [
                .fault(
                    .settings, "settings", error.message,
                    advice: error.hint ?? "correct them; countersign serve --help lists the settings")
            ] + others.map { .blocked($0, "settings", "the settings cannot be used") }
        }
        let readable = DoctorFinding.ok(.settings, "settings", "they can be used")
        let doctor = Doctor(settings, scope)
        let output = invocation.output
        let examined: [DoctorFinding]
        // A monitoring system that keeps standard error should get nothing without a reason.
        if output.diagnostics.isTerminal {
            examined = await output.progress("Checking the installation") { progress in
                await doctor.examine(within: limit) { progress.update("Checking the installation: \($0) of \($1)") }
            }
        } else {
            examined = await doctor.examine(within: limit)
        }
        return (scope.checks.contains(.settings) ? [readable] : []) + examined
    }

    /// Prints a table, with the advice below its finding.
    private static func show(_ findings: [DoctorFinding], on output: Output) {
        let table = Table(
            ["STATE", "CHECK", "SUBJECT", "FINDING"],
            rows: findings.map { finding in
                [
                    Text(finding.state.rawValue, finding.state.style), Text(finding.check.rawValue),
                    Text(finding.subject), Text(finding.finding),
                ]
            })
        var lines = table.lines
        let heading = lines.removeFirst()
        output.line(heading)
        for (line, finding) in zip(lines, findings) {
            output.line(line)
            if let advice = finding.advice { output.line("\("         \(advice)", .dim)") }
        }
        let counts = DoctorFinding.State.allCases.filter { findings.count($0) > 0 }
            .map { "\(findings.count($0)) \($0.rawValue)" }
        output.line()
        output.line("\(findings.state.rawValue, findings.state.style): \(counts.joined(separator: ", "))")
    }
}

extension DoctorFinding.State {
    fileprivate var style: Style {
        switch self {
        case .ok: .green
        case .skipped: .dim
        case .warning: .yellow
        case .fault: .red
        }
    }
}

extension ValueKind where Value == [DoctorCheck] {
    fileprivate static var checks: ValueKind {
        let one = ValueKind<DoctorCheck>.choice()
        return ValueKind(
            placeholder: "NAME,…", choices: one.choices, spell: { $0.map(\.rawValue).joined(separator: ",") }
        ) { text throws(ValueProblem) in
            var checks: [DoctorCheck] = []
            for name in text.split(separator: ",", omittingEmptySubsequences: false) {
                checks.append(try one.parse(String(name)))
            }
            return checks
        }
    }
}
