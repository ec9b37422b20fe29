package import AuthorizationCore
package import Configuration
package import Primitives

/// Applies a file of `countersign apply` for an administrator of a tenant: that tenant alone, and nothing of the server's.
package struct ApplyTenantFile: Sendable {
    /// Maximum of passwords in a file. Each one costs a hash.
    package static let passwordLimit = 100

    private static let purpose = "applying a file, which may change everything,"

    let configuration: ApplyConfiguration
    let settings: ManageTenantSettings

    /// Needs every scope of the API, because a file may give each of them. A dry run needs those that show what the file
    /// has, and compares secrets only for somebody who may change them. Secrets are in the document itself.
    package func apply(
        _ document: JSONObject, _ options: ApplyConfiguration.Options, for context: AdministrativeContext
    ) async throws -> ApplyConfiguration.Outcome {
        let all = Set(ResourceServer.managementScopes)
        if !options.dryRun { try context.requireOwn(all, to: Self.purpose) }
        var options = options
        options.comparesSecrets = context.isOperator || context.managementScopes.isSuperset(of: all)
        do {
            let file = try ConfigurationFile(parsing: JSONWriter.bytes(.object(document)), now: context.now) { source in
                if case .text(let text) = source { SecretBytes(utf8: text) } else { nil }
            }
            if file.tenants.contains(where: { !$0.users.isEmpty }) {
                try context.requireOwn(["read:users"], to: "comparing users of a file")
            }
            try await check(file, context)
            return try await configuration.apply(file, options, now: context.now) { _ in context }
        } catch let failure as ConfigurationFile.Failure {
            throw AdministrationFailure.invalid(
                failure.lines.map { DocumentProblem(path: $0.path, message: $0.message) })
        }
    }

    /// Version that the tenant's configuration has.
    package func version(of tenant: TenantID) async throws -> String { try await configuration.version(of: [tenant]) }

    /// Refuses what is the server's operator's: other tenants, hosts, and settings above the ceilings.
    private func check(_ file: ConfigurationFile, _ context: AdministrativeContext) async throws {
        guard let entry = file.tenants.first, file.tenants.count == 1, entry.tenant.id == context.tenant else {
            throw AdministrationFailure.invalid(
                "tenants",
                "must be the tenant \(context.tenant) alone, which the token is of; the server has the others")
        }
        guard entry.users.filter({ $0.password != nil || $0.initialPassword != nil }).count <= Self.passwordLimit else {
            throw AdministrationFailure.invalid(
                "\(entry.path).users", "may have at most \(Self.passwordLimit) passwords; apply parts of the users")
        }
        for (index, user) in entry.users.enumerated() {
            // A file gives one of them at most.
            guard let secret = user.password ?? user.initialPassword else { continue }
            let password = Password(String(decoding: secret.bytes, as: UTF8.self))
            if let problem = ManageUsers.problem(with: password, of: user.user, entry.tenant.settings) {
                let name = user.password == nil ? "initial_password" : "password"
                throw AdministrationFailure.invalid("\(entry.path).users[\(index)].\(name)", problem)
            }
        }
        let stored = try await settings.store.view(context.tenant) { try $0.tenant() }.orUnknown(.tenant)
        for (name, isSame) in [
            ("host", entry.tenant.host == stored.host), ("custom_domains", entry.tenant.hosts == stored.hosts),
        ] where !isSame {
            throw AdministrationFailure.invalid(
                "\(entry.path).\(name)", "must stay as it is; only the server's operator changes it by a file")
        }
        try settings.checkCeilings(
            entry.tenant.settings.document, over: stored.settings.document, at: "\(entry.path).settings.", context)
    }
}

extension Managers {
    package var tenantFiles: ApplyTenantFile {
        ApplyTenantFile(
            configuration: ApplyConfiguration(
                store: store, hashing: hashing, passwords: passwords, sealer: sealer, keys: keys, schemas: schemas),
            settings: tenantSettings)
    }
}
