import HTTPModel
package import SMTPTransport

/// Defaults of a development server, for the server and for commands that work with its settings.
extension ServerSettings {
    /// True if only this machine can connect.
    package var isLoopback: Bool { address.hasPrefix("127.") || address == "::1" }

    /// True if the server may have a development tenant. In a network it has a well-known user, so it must be wanted.
    package var allowsDevelopmentTenant: Bool { development && (isLoopback || developmentHost != nil) }

    /// Sender of mails that are written to a folder, unless one is set.
    package static var developmentSender: MailAddress { MailAddress(localPart: "countersign") }

    /// These settings, or those of a development server if the data folder has its tenant, or gets one at the next start:
    /// it writes mails to a folder within the data folder, and may contact its own machine.
    /// - Throws: If `development.json` cannot be read.
    package func resolved(for installation: Installation) async throws -> ServerSettings {
        guard allowsDevelopmentTenant, try await DevelopmentConfiguration.isWanted(by: installation) else {
            return self
        }
        var resolved = self
        if case .nowhere = mail { resolved.mail = .folder(dataFolder + "/mail", from: Self.developmentSender) }
        if isLoopback { resolved.outgoingNetworks = outgoingNetworks ?? OutgoingPolicy.loopback }
        return resolved
    }
}
