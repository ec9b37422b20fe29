import AuthorizationCore
import CountersignServer
import Flows
import Primitives
import Terminal

/// A tenant whose credentials a command checks, with the settings of `serve`.
struct CheckedTenant: Sendable {
    let installation: Installation
    let tenant: Tenant
    let settings: ServerSettings
    let invocation: Invocation
}

extension Command {
    /// A command that proves a tenant's credentials with the settings of `serve`, and prints the findings.
    static func credentialCheck(
        _ name: String, _ summary: String, discussion: String, options: [any DeclaredOption],
        examples: Command.Examples,
        _ check: @escaping @Sendable (CheckedTenant) async throws -> [CredentialFinding]
    ) -> Command {
        let settings = Setting.storage.settings + Setting.outgoing.settings
        return Command(
            name, summary,
            discussion: """
                \(discussion) Exits with 1 if credentials are refused. Give the settings for outgoing connections that \
                countersign serve has.
                """,
            options: [
                OptionGroup("Options", options + [Installation.tenantOption, ObjectCommands.json]),
                Setting.outgoing.options, ServerChoices.installationOptions,
            ],
            examples: examples
        ) { invocation in
            let choices = try ServerChoices(invocation, settings: settings).settings
            return try await withInstallation(invocation) { installation in
                let findings = try await check(
                    CheckedTenant(
                        installation: installation, tenant: try await installation.tenant(invocation),
                        settings: try await choices.resolved(for: installation), invocation: invocation))
                try invocation.show(.array(findings.map(\.json)), .of(findings), asJSON: ObjectCommands.json)
                return findings.contains { $0.state == .fault } ? 1 : 0
            }
        }
    }
}

extension CredentialFinding {
    fileprivate var json: JSONValue {
        [
            "subject": .string(subject), "state": .string(state.rawValue), "finding": .string(text),
            "advice": advice.map(JSONValue.string) ?? .null,
        ]
    }
}

extension Table {
    fileprivate static func of(_ findings: [CredentialFinding]) -> Table {
        Table(
            ["SUBJECT", "STATE", "FINDING", "ADVICE"],
            rows: findings.map { finding in
                let style: Style =
                    switch finding.state {
                    case .ok: .green
                    case .warning: .yellow
                    case .fault: .red
                    }
                return [
                    Text(finding.subject), Text(finding.state.rawValue, style), Text(finding.text),
                    Text(finding.advice ?? ""),
                ]
            })
    }
}
