import Testing

@Suite("The doors to users' data are known")
struct UserDoorTests {
    /// Files that reach the store's writes of users without the check of the administrator's rights: the check itself, and
    /// files of the operator, who needs no rights.
    private static let unchecked: Set = [
        "Domain/Configuration/Change/AdministeredUser.swift", "Domain/Configuration/Change/UserChange.swift",
        "Domain/Configuration/File/ApplyConfiguration.swift", "Domain/Configuration/File/ChangeWriter.swift",
        "Domain/Configuration/Store/ConfigurationStore.swift", "Domain/Configuration/Store/UserTransaction.swift",
    ]

    @Test("Managers change users through `UserChange`, whose users the administrator may change")
    func listed() throws {
        let reaching = try Repository.files(in: "Sources", ending: ".swift")
            .filter { !$0.hasPrefix("Sources/Adapters/") }
            .filter { path in
                let text = try Repository.text(path)
                return ["UserTransaction", "store.change {", "store.change({"].contains(where: text.contains)
            }
        #expect(Set(reaching.map { String($0.dropFirst("Sources/".count)) }) == Self.unchecked)
    }
}
