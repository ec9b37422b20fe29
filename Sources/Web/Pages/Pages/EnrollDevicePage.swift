package import OAuthWire

/// Adds a phone that will be asked for approvals: its app scans the QR code.
package struct EnrollDevicePage: Page {
    /// Where the picture of the code comes from.
    package enum Code: Sendable, Equatable {
        /// An image on this server.
        case image(PageURL)
        /// The code's modules, row by row, true for a dark one, without the quiet zone.
        case modules([[Bool]])
    }

    /// Continues once the phone is enrolled.
    package var form: PageForm
    package var code: Code
    /// What the code says: an `otpauth` URI.
    package var uri: String
    package var problem: LocalizedText?
    /// Whose login waits for it; nil where there is none.
    package var account: AccountInUse?

    package init(
        form: PageForm, code: Code, uri: String, problem: LocalizedText? = nil, account: AccountInUse? = nil
    ) {
        self.form = form
        self.code = code
        self.uri = uri
        self.problem = problem
        self.account = account
    }

    package var title: LocalizedText { LocalizedText(en: "Add your phone", fr: "Ajoutez votre téléphone") }
    package var formsLeadAway: Bool { true }

    package var problems: [Problem] { Components.problems(problem) }

    package var content: HTML {
        HTML {
            Components.lead(
                LocalizedText(
                    en: "Your phone protects this account: it will ask you before something is done in your name.",
                    fr: "Votre téléphone protège ce compte : rien ne sera fait en votre nom sans qu’il vous le demande."
                ))
            Tag.ol(.classes("steps")) {
                Tag.li {
                    LocalizedText(
                        en: "Open the approval app on your phone.",
                        fr: "Ouvrez l’application d’approbation sur votre téléphone.")
                }
                Tag.li {
                    LocalizedText(en: "Scan this code with it.", fr: "Scannez ce code avec elle.")
                }
            }
            Tag.div(.classes("code")) { picture }
            if let link = PageURL(uri, schemes: ["otpauth"]), !link.isWeb {
                Components.aside(
                    after: LocalizedText(en: "Reading this on the phone?", fr: "Vous lisez ceci sur le téléphone ?"),
                    LocalizedText(en: "Open the app", fr: "Ouvrir l’application"), link)
            }
            Tag.details {
                Tag.summary {
                    LocalizedText(en: "I cannot scan the code", fr: "Je ne peux pas scanner le code")
                }
                Tag.p {
                    LocalizedText(en: "Copy this text into the app:", fr: "Copiez ce texte dans l’application :")
                }
                Tag.p { Tag.code { Node.text(uri) } }
            }
            Components.form(form) {
                Components.submit(LocalizedText(en: "I have scanned it", fr: "J’ai scanné le code"))
            }
            Components.account(account)
        }
    }

    private static let description = LocalizedText(
        en: "QR code to scan with the app", fr: "Code QR à scanner avec l’application")

    private var picture: Node {
        switch code {
        case .image(let url): Tag.img(.src(url), .alt(Self.description), .width(240), .height(240))
        case .modules(let rows): Self.drawing(rows)
        }
    }

    /// Black on white in both colour modes, as scanners want it, with a quiet zone of four modules
    /// (ISO/IEC 18004 6.3.8).
    private static func drawing(_ rows: [[Bool]]) -> Node {
        let quiet = 4
        let side = max(rows.count, rows.map(\.count).max() ?? 0) + 2 * quiet
        var runs: [Attribute.SquarePath] = []
        for (row, modules) in rows.enumerated() {
            var column = 0
            while column < modules.count {
                let length = modules[column...].prefix { $0 }.count
                if length > 0 {
                    runs.append(Attribute.SquarePath(column: column + quiet, row: row + quiet, length: length))
                }
                column += max(length, 1)
            }
        }
        return Tag.svg(
            .role(.img), .label(description), .viewBox(side: side), .width(240), .height(240), .crispEdges
        ) {
            Tag.rect(.width(side), .height(side), .fill(.white))
            Tag.path(.outline(runs), .fill(.black))
        }
    }
}
