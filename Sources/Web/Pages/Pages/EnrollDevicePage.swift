package import Localization

/// Enrols a phone for approvals: any phone's camera opens the web app, and other apps scan a code of their own.
package struct EnrollDevicePage: Page {
    /// A QR code's content, and its modules: row by row, true for dark, without the quiet zone.
    package struct Code: Sendable {
        package let text: String
        package let modules: [[Bool]]

        package init(_ text: String, modules: [[Bool]]) {
            self.text = text
            self.modules = modules
        }
    }

    /// Continues once the phone is enrolled.
    package var form: PageForm
    /// The link that enrols the browser which opens it.
    package var approver: Code
    /// An `otpauth` URI for other apps.
    package var otherApp: Code
    package var problem: LocalizedText?
    /// Account of the login that waits for the phone. Nil means that no login waits.
    package var account: AccountInUse?

    package init(
        form: PageForm, approver: Code, otherApp: Code, problem: LocalizedText? = nil, account: AccountInUse? = nil
    ) {
        self.form = form
        self.approver = approver
        self.otherApp = otherApp
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
            Tag.div(.classes("code")) { approver.drawing(localized.enrollment.picture) }
            if let link = PageURL(approver.text), link.isWeb {
                Tag.p(.classes("aside")) {
                    localized.enrollment.onPhone
                    Node.text(" ")
                    // The page stays, because a login may wait in it.
                    Tag.a(.href(link), .inNewWindow) { localized.enrollment.openApprover }
                }
            }
            Tag.details {
                Tag.summary { localized.enrollment.cannotScan }
                Tag.p { localized.enrollment.copy }
                Tag.p { Tag.code { Node.text(approver.text) } }
            }
            Tag.details {
                Tag.summary { localized.enrollment.otherApp }
                Tag.p { localized.enrollment.scanOther }
                Tag.div(.classes("code")) { otherApp.drawing(localized.enrollment.pictureOther) }
                if let link = PageURL(otherApp.text, schemes: ["otpauth"]), !link.isWeb {
                    Components.aside(after: localized.enrollment.onPhone, localized.enrollment.openOther, link)
                }
                Tag.p { localized.enrollment.copyOther }
                Tag.p { Tag.code { Node.text(otherApp.text) } }
            }
            Components.form(form) { Components.submit(localized.enrollment.scanned) }
            Components.account(account)
        }
    }
}

extension EnrollDevicePage.Code {
    /// Black on white in both colour modes, as scanners require, with a quiet zone of four modules (ISO/IEC 18004
    /// 6.3.8).
    fileprivate func drawing(_ label: LocalizedText) -> Node {
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
            .role(.img), .label(label), .viewBox(side: side), .width(240), .height(240),
            .crispEdges
        ) {
            Tag.rect(.width(side), .height(side), .fill(.white))
            Tag.path(.outline(runs), .fill(.black))
        }
    }
}
