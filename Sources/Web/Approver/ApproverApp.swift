package import Pages
package import Primitives

/// The installable web app with which people approve. Its files are built into the program.
///
/// Addresses of files contain a hash of all files, so that files of two versions never meet in one browser.
package struct ApproverApp: Sendable {
    /// Start of all paths of the app, and the scope of its service worker.
    package static let path = "/approver"

    /// A hash of all files, in hexadecimal.
    package let version: String
    private let files: [String: ApproverFile]

    package init(hashing: any Hashing) {
        let loaded = ApproverFile.loaded
        var all: [UInt8] = []
        for file in loaded + [.shell, .worker] { all += Array(file.name.utf8) + [0] + file.bytes }
        version = Hex.encode(hashing.sha256(all).prefix(8))
        files = Dictionary(uniqueKeysWithValues: loaded.map { ($0.name, $0) })
    }

    /// Files that the shell and the worker load, in the order of their names.
    package var loaded: [ApproverFile] { ApproverFile.loaded }

    /// The file of a versioned address. Nil means that this version has none.
    package func file(_ name: String, of version: String) -> ApproverFile? {
        guard version == self.version else { return nil }
        if let file = files[name] { return file }
        guard let colour = Colour(hex: String(name.dropFirst(Self.palettePrefix.count).prefix(6))),
            name == Self.palette(colour)
        else { return nil }
        return ApproverFile(name, Array(Palette(colour).css.utf8))
    }

    private static let palettePrefix = "palette-"
    private static func palette(_ colour: Colour) -> String { "\(palettePrefix)\(colour.hex).css" }
    private func url(_ name: String) -> String { "\(Self.path)/\(version)/\(name)" }

    /// The document that loads the app. It brings the `settings` along, so that the app asks for nothing before it
    /// opens its channels.
    package func shell(of branding: Branding, settings: JSONValue) -> ApproverFile {
        let values = [
            "NAME": Self.escaped(branding.name), "COLOUR": branding.colour.hex, "VERSION": version,
            "RELEASE": Release.version, "SETTINGS": Self.escaped(JSONWriter.string(settings)),
        ]
        return ApproverFile(ApproverFile.shell.name, ApproverFile.shell.filled(values))
    }

    /// The service worker. It keeps the files for times without a network.
    package func worker(of branding: Branding) -> ApproverFile {
        let kept = loaded.map(\.name) + [Self.palette(branding.colour)]
        let values = ["VERSION": version, "FILES": kept.joined(separator: " ")]
        return ApproverFile(ApproverFile.worker.name, ApproverFile.worker.filled(values))
    }

    /// The web app's manifest (W3C Application Manifest).
    /// `fragment` is that of the address at which the installed app starts.
    package func manifest(of branding: Branding, startingAt fragment: String? = nil) -> JSONValue {
        func icon(_ size: Int, _ purpose: String) -> JSONValue {
            [
                "src": .string(url("icon-\(size).png")), "sizes": .string("\(size)x\(size)"), "type": "image/png",
                "purpose": .string(purpose),
            ]
        }
        return [
            "id": .string(Self.path), "name": .string(branding.name), "short_name": .string(branding.name),
            "start_url": .string(Self.path + (fragment.map { "#\($0)" } ?? "")), "scope": .string(Self.path),
            "display": "standalone",
            "background_color": "#f4f5f7", "theme_color": .string("#\(branding.colour.hex)"),
            "icons": [icon(192, "any"), icon(512, "any"), icon(512, "maskable")],
        ]
    }

    /// Content Security Policy Level 3: the app's own files, and pictures of clients. No text becomes a script (Trusted
    /// Types), but for the worker's address, which is a constant of its own policy.
    package static let policy = [
        "default-src 'none'", "script-src 'self'", "worker-src 'self'", "style-src 'self'", "img-src 'self' https:",
        "connect-src 'self'", "manifest-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'",
        "require-trusted-types-for 'script'", "trusted-types approver-worker",
    ].joined(separator: "; ")

    /// Text for HTML, also within quotes.
    private static func escaped(_ text: String) -> String {
        var output = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&", "<", ">", "\"", "'", "%": output += "&#\(scalar.value);"
            default: output.unicodeScalars.append(scalar)
            }
        }
        return output
    }
}
