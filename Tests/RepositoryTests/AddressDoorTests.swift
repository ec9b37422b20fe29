import Testing

@Suite("The doors of e-mail addresses are known")
struct AddressDoorTests {
    /// Files at which an address enters, with the suite that tries good, folded and refused addresses there. A new door gets
    /// a row and its texts there.
    private static let doors: [String: String] = [
        "Domain/Flows/Login/Password/SignUp.swift": "FlowsTests/EmailDoorTests",
        "Domain/AuthorizationCore/LoginName.swift": "FlowsTests/EmailDoorTests",
        "Domain/Flows/Login/Password/RecoverPassword.swift": "FlowsTests/EmailDoorTests",
        "Domain/Flows/Login/Upstream/UpstreamProfile.swift": "FlowsTests/EmailDoorTests",
        "Domain/Flows/Login/Moving/OldUser.swift": "FlowsTests/EmailDoorTests",
        "Domain/Flows/Backchannel/Start/UserReference+LoginHint.swift": "FlowsTests/EmailDoorTests",
        "Domain/Configuration/Documents/User+Fields.swift": "FlowsTests/EmailDoorTests",
        "Domain/Configuration/Snapshot/EmailProvider+Relay.swift": "FlowsTests/EmailDoorTests",
        "Domain/Flows/Mail/MailRenderer.swift": "FlowsTests/EmailDoorTests",
        "Domain/Flows/Mail/NoteBounce.swift": "FlowsTests/BounceTests",
        "Domain/Administration/Users/ManageUsers+Writing.swift": "ManagementAPITests/UserTests",
        "Domain/Administration/Users/ManageUserBlocks.swift": "ManagementAPITests/UserTests",
        "Domain/Administration/UserSearch/UserQuery.swift": "ManagementAPITests/UserTests",
        "Web/ManagementAPI/Users/UserRoutes.swift": "ManagementAPITests/UserTests",
        "Web/ManagementAPI/Users/TicketRoutes.swift": "ManagementAPITests/UserTests",
        "Web/ManagementAPI/Users/AuthenticatorShapes.swift": "ManagementAPITests/UserTests",
        "Web/ManagementAPI/Connections/ConnectionRoutes.swift": "ManagementAPITests/ConnectionTests",
        "Apps/countersign/Administration/Admin.swift": "CountersignServerTests/AdministratorTests",
        "Apps/countersign/Remote/ManagedTenant.swift": "CountersignServerTests/AdministrationCommandTests",
        "Apps/countersign/Installation+User.swift": "CountersignServerTests/AdministrationCommandTests",
        "Apps/countersign/ServerChoices+Mail.swift": "CountersignServerTests/SettingsTests",
    ]

    /// Files that read an address again which entered elsewhere: a row, a sealed mail, and a constant.
    private static let rereaders: Set = [
        "Adapters/Persistence/User+Row.swift", "Adapters/Persistence/Store+Password.swift",
        "Adapters/Persistence/Store+EmailTicket.swift", "Domain/Flows/Delivery/MailCourier.swift",
        "Domain/Flows/Mail/MailPreview.swift",
    ]

    @Test("Each file that reads an e-mail address is a door whose test exists, or reads one again")
    func listed() throws {
        let reading = try Repository.files(in: "Sources", ending: ".swift").filter { path in
            let text = try Repository.text(path)
            return ["EmailAddress(parsing:", "EmailAddress.init(parsing:", " .emailAddress,"].contains(
                where: text.contains)
        }
        let known = Set(Self.doors.keys).union(Self.rereaders)
        #expect(Set(reading.map { String($0.dropFirst("Sources/".count)) }) == known)
        for suite in Set(Self.doors.values) {
            #expect(hasTests(try Repository.text("Tests/\(suite).swift")), "\(suite)")
        }
    }

    @Test("No user, ticket or port has an address as a text")
    func typed() throws {
        for folder in ["Domain", "Adapters/Persistence", "Web/ManagementAPI"] {
            for path in try Repository.files(in: "Sources/\(folder)", ending: ".swift") {
                let text = try Repository.text(path)
                for line in text.split(separator: "\n")
                where ["email: String", "email: Substring"].contains(where: line.contains) {
                    Issue.record("\(path): \(line); use EmailAddress")
                }
            }
        }
    }
}
