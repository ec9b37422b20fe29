import CountersignServer
import Glibc
import OAuthWire
import Primitives
import QRCodes
import Terminal

/// The message printed at the start: created files, commands to try, and the server's address.
struct StartMessage {
    let server: Server
    let development: DevelopmentConfiguration?
    /// Enrols a phone in the network. Nil if the server is for this machine alone.
    let enrollmentLink: String?

    private var settings: ServerSettings { server.settings }

    func print(on output: Output) throws {
        for made in server.installation.made { output.line("Created the \(made)") }
        let scheme = settings.tls == .off ? "http" : "https"
        let host = settings.address.contains(":") ? "[\(settings.address)]" : settings.address
        if let development {
            if development.isNew {
                output.line("Created the tenant \(DevelopmentConfiguration.tenant), for development")
            }
            output.lines(lines(development, scheme: scheme))
            if let enrollmentLink { try printPhone(enrollmentLink, on: output) }
        } else if server.tenantCount == 0 {
            output.line("No tenant is configured, so every request is refused. To create a tenant:")
            output.lines(
                [""] + PasteLines.firstTenant(data: settings.dataFolder).split(separator: "\n").map { Text($0) })
        }
        output.line()
        output.line("Countersign listens on \("\(scheme)://\(host):\(server.port)", .bold)")
    }

    /// The link and what the phone needs first, without which its browser refuses the link.
    private func printPhone(_ link: String, on output: Output) throws {
        output.line()
        output.line("\("Your phone, in the same network:", .bold)")
        if let authority = server.installation.authorityFile {
            output.line("  1. Install \(authority) on it as a trusted authority (docs/phone-in-your-network.md).")
        }
        output.line("  2. Open this link, which enrols one phone within a day, or scan its code:")
        output.line()
        output.raw(link)
        output.line()
        output.qrCode(try QRCode(link))
    }

    private func lines(_ development: DevelopmentConfiguration, scheme: String) -> [Text] {
        let authority = server.installation.authorityFile
        let paste = PasteLines(
            base: scheme + development.issuer.dropFirst("https".count), development: development, authority: authority,
            dataFolder: settings.dataFolder, port: server.port)
        var lines: [Text] = [
            "", "  issuer        \(development.issuer)", "  approver      \(development.approver)",
            "  dashboard     \(DashboardPath().url(below: development.issuer))",
            "  audience      \(DevelopmentConfiguration.audience)",
            "  client id     \(development.clientID)",
            "  client secret \(String(decoding: development.clientSecret.bytes, as: UTF8.self))",
            "  user          \(DevelopmentConfiguration.user) (Hanna Herwitz)",
        ]
        if let password = development.password {
            lines += [
                "  e-mail        \(DevelopmentConfiguration.email)",
                "  password      \(String(decoding: password.bytes, as: UTF8.self))",
                "  app client id \(DevelopmentConfiguration.appClientID)",
            ]
        }
        if let secret = development.operatorSecret {
            lines += [
                "  operator id   \(DevelopmentConfiguration.operatorClientID)",
                "  its secret    \(String(decoding: secret.bytes, as: UTF8.self))",
            ]
        }
        if let authority { lines.append("  CA            \(authority)") }
        lines += ["", "Commands to try in another terminal, in the same folder:"]
        for (purpose, command) in paste.all {
            lines += ["", Text("# \(purpose)", .dim)] + command.split(separator: "\n").map { Text($0) }
        }
        return lines
    }
}

/// Shell commands to paste, with all values quoted.
struct PasteLines {
    /// Base URL with a slash at its end.
    let base: String
    let development: DevelopmentConfiguration
    let authority: String?
    let dataFolder: String
    let port: UInt16

    private var curl: String { authority.map { "curl -sS --cacert \(quoted($0))" } ?? "curl -sS" }
    private var secret: String { String(decoding: development.clientSecret.bytes, as: UTF8.self) }

    private var credentials: String {
        "--data-urlencode \(quoted("client_id=\(development.clientID)")) "
            + "--data-urlencode \(quoted("client_secret=\(secret)"))"
    }

    var all: [(purpose: String, command: String)] {
        // The commands verify the issuer, which is https even if a proxy terminates TLS.
        let commands =
            authority == nil
            ? []
            : [
                ("in a second terminal: enrol a phone and show its requests", phone),
                ("ask for approval as an agent would, and wait for the answer", ask),
            ]
                + (development.password == nil
                    ? [] : [("log in with the browser, by e-mail address and password", logIn)])
        return [("show the server's metadata", "\(curl) \(base).well-known/openid-configuration")] + commands + [
            ("ask for approval with curl", start),
            ("poll for the answer", "\(curl) \(EndpointPath.token.url(below: base)) \(poll)"),
            (
                "wait for the answer, at most 30 seconds",
                "\(curl) -H 'Prefer: wait=30' \(EndpointPath.token.url(below: base)) \(poll)"
            ),
        ] + management
    }

    private var management: [(purpose: String, command: String)] {
        guard let secret = development.operatorSecret.map({ String(decoding: $0.bytes, as: UTF8.self) }) else {
            return []
        }
        let token = """
            TOKEN=$(\(curl) \(EndpointPath.token.url(below: base)) --data-urlencode grant_type=client_credentials \\
              --data-urlencode client_id=\(DevelopmentConfiguration.operatorClientID) \\
              --data-urlencode \(quoted("client_secret=\(secret)")) \\
              --data-urlencode \(quoted("audience=\(EndpointPath.management.url(below: development.issuer))/")) \\
              | sed -n 's/.*"access_token":"\\([^"]*\\)".*/\\1/p')
            """
        return [
            ("get a token for the Management API", token),
            (
                "list users with that token",
                "\(curl) -H \"Authorization: Bearer $TOKEN\" \(EndpointPath.management.url(below: base))/users"
            ),
        ]
    }

    private var data: String { Self.option(dataFolder) }

    private static func option(_ dataFolder: String) -> String {
        dataFolder == ServerSettings().dataFolder ? "" : " --data \(quoted(dataFolder))"
    }

    /// Creates a tenant on a server that has none.
    static func firstTenant(data: String) -> String {
        let tenant = #"{ "tenants": [ { "id": "shop", "name": "Example Shop", "host": "id.shop.example" } ] }"#
        return "\(program("countersign")) apply -\(option(data)) <<< \(quoted(tenant))"
    }

    /// The phone's keys are stored in the data folder, one file per port: a new data folder gets a new phone, and a
    /// phone identifies its server by the port.
    private var phone: String {
        let store = "\(dataFolder)/phone-\(port).json"
        let trust = authority.map { "GUARDIAN_CA=\(quoted($0)) " } ?? ""
        let ticket =
            "\(program("countersign")) device ticket\(data) --tenant \(DevelopmentConfiguration.tenant) "
            + "--user \(quoted(DevelopmentConfiguration.user.rawValue))"
        let enrol = "\n\(program("guardian")) enroll \"$(\(ticket))\""
        return "export \(trust)GUARDIAN_STORE=\(quoted(store))\(access(store, F_OK) == 0 ? "" : enrol)"
            + "\n\(program("guardian")) watch"
    }

    private var ask: String {
        "\(program("countersign")) ask\(data) --user \(quoted(DevelopmentConfiguration.user.rawValue)) "
            + "--message 'Confirm payment of 2500' --audience \(DevelopmentConfiguration.audience) \\\n"
            + "  --details - <<< \(quoted(Self.payment))"
    }

    /// A development server's issuer and authority are known from its data folder.
    private var logIn: String {
        "\(program("countersign")) login\(data) --client-id \(DevelopmentConfiguration.appClientID) "
            + "--audience \(DevelopmentConfiguration.audience) \\\n  --scope 'openid profile email offline_access' "
            + "--save tokens.json"
    }

    private var start: String {
        let hint: JSONValue = [
            "format": "iss_sub", "iss": .string(development.issuer),
            "sub": .string(DevelopmentConfiguration.user.rawValue),
        ]
        return """
            AUTH_REQ_ID=$(\(curl) \(base)bc-authorize \(credentials) \\
              --data-urlencode \(quoted("login_hint=\(JSONWriter.string(hint))")) \\
              --data-urlencode 'scope=openid' --data-urlencode 'audience=\(DevelopmentConfiguration.audience)' \\
              --data-urlencode 'binding_message=Confirm payment of 2500' \\
              --data-urlencode \(quoted("authorization_details=\(Self.payment)")) \\
              | tee /dev/stderr | sed -n 's/.*"auth_req_id":"\\([^"]*\\)".*/\\1/p')
            """
    }

    private var poll: String {
        "\(credentials) --data-urlencode \"auth_req_id=$AUTH_REQ_ID\" "
            + "--data-urlencode grant_type=urn:openid:params:grant-type:ciba"
    }

    private static let payment = JSONWriter.string([
        [
            "type": "money_transfer", "instructedAmount": ["amount": 2500, "currency": "USD"],
            "sourceAccount": "xxxxxxxxxxx1234", "destinationAccount": "xxxxxxxxxxx9876",
            "beneficiary": "Hanna Herwitz", "subject": "A Lannister Always Pays His Debts",
        ]
    ])
}

/// A program in the same folder as this one. If this one was found through the PATH, so is the other.
private func program(_ name: String) -> String {
    guard let own = CommandLine.arguments.first, let slash = own.lastIndex(of: "/") else { return name }
    return quoted(String(own[...slash]) + name)
}

/// Quotes a text as one shell word.
func quoted(_ text: String) -> String {
    let isPlain =
        !text.isEmpty
        && text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
                UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: "="), UInt8(ascii: ","):
                true
            default: false
            }
        }
    return isPlain ? text : "'\(text.replacing("'", with: #"'\''"#))'"
}
