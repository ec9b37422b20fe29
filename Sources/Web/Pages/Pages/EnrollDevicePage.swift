package import Localization

/// Enrols a phone for approvals: its app scans the QR code.
package struct EnrollDevicePage: Page {
    /// Continues once the phone is enrolled.
    package var form: PageForm
    /// The code's modules, row by row, true for dark, without the quiet zone.
    package var modules: [[Bool]]
    /// The code's content, an `otpauth` URI.
    package var uri: String
    package var problem: LocalizedText?
    /// Account of the login that waits for the phone. Nil means that no login waits.
    package var account: AccountInUse?

    package init(
        form: PageForm, modules: [[Bool]], uri: String, problem: LocalizedText? = nil, account: AccountInUse? = nil
    ) {
        self.form = form
        self.modules = modules
        self.uri = uri
        self.problem = problem
        self.account = account
    }

    package var title: LocalizedText { localized.enrollment.title }
    package var formsLeadAway: Bool { true }

    package var problems: [Problem] { Components.problems(problem) }

    package var content: HTML {
        HTML {
            Components.lead(localized.enrollment.lead)
            Tag.ol(.classes("steps")) {
                Tag.li { localized.enrollment.open }
                Tag.li { localized.enrollment.scan }
            }
            Tag.div(.classes("code")) { drawing }
            if let link = PageURL(uri, schemes: ["otpauth"]), !link.isWeb {
                Components.aside(after: localized.enrollment.onPhone, localized.enrollment.openApp, link)
            }
            Tag.details {
                Tag.summary { localized.enrollment.cannotScan }
                Tag.p { localized.enrollment.copy }
                Tag.p { Tag.code { Node.text(uri) } }
            }
            Components.form(form) { Components.submit(localized.enrollment.scanned) }
            Components.account(account)
        }
    }

    /// Black on white in both colour modes, as scanners require, with a quiet zone of four modules (ISO/IEC 18004
    /// 6.3.8).
    private var drawing: Node {
        let quiet = 4
        let side = max(modules.count, modules.map(\.count).max() ?? 0) + 2 * quiet
        var runs: [Attribute.SquarePath] = []
        for (row, modules) in modules.enumerated() {
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
            .role(.img), .label(localized.enrollment.picture), .viewBox(side: side), .width(240), .height(240),
            .crispEdges
        ) {
            Tag.rect(.width(side), .height(side), .fill(.white))
            Tag.path(.outline(runs), .fill(.black))
        }
    }
}
