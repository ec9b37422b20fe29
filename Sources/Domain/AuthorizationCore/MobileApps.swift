/// Apps of a client that a phone may open for links of this host (Auth0: `mobile`).
package struct MobileApps: Sendable, Equatable {
    package struct AppleApp: Sendable, Equatable {
        package let teamID: String
        package let bundleID: String

        package init(teamID: String, bundleID: String) {
            self.teamID = teamID
            self.bundleID = bundleID
        }

        /// Application identifier as Apple's association file has it.
        package var appID: String { "\(teamID).\(bundleID)" }
    }

    package struct AndroidApp: Sendable, Equatable {
        package let packageName: String
        /// SHA-256 of the certificates that the app may be signed with: pairs of upper-case hexadecimal digits with
        /// colons between them.
        package var fingerprints: [String]

        package init(packageName: String, fingerprints: [String]) {
            self.packageName = packageName
            self.fingerprints = fingerprints
        }
    }

    package let apple: AppleApp?
    package let android: AndroidApp?

    /// Nil if both are nil.
    package init?(apple: AppleApp?, android: AndroidApp?) {
        guard apple != nil || android != nil else { return nil }
        self.apple = apple
        self.android = android
    }
}

/// Apps of a tenant's first-party clients, each once and sorted by name. Third-party apps are excluded: an associated
/// app may catch every link of the host, before Android 15 even links of other apps. It is also offered the passwords
/// saved for the host.
package struct AssociatedApps: Sendable, Equatable {
    package let apple: [MobileApps.AppleApp]
    package let android: [MobileApps.AndroidApp]

    init(of clients: [Client]) {
        var apple: [String: MobileApps.AppleApp] = [:]
        var android: [String: Set<String>] = [:]
        for mobile in clients.filter(\.isFirstParty).compactMap(\.mobile) {
            if let app = mobile.apple { apple[app.appID] = app }
            if let app = mobile.android { android[app.packageName, default: []].formUnion(app.fingerprints) }
        }
        self.apple = apple.sorted { $0.key < $1.key }.map(\.value)
        self.android = android.sorted { $0.key < $1.key }.map { name, fingerprints in
            MobileApps.AndroidApp(packageName: name, fingerprints: fingerprints.sorted())
        }
    }
}
