package import Localization

/// Lists a person's passkeys, renames and removes them, and adds one by the page's script.
package struct PasskeysPage: Page {
    package struct Entry: Sendable {
        package let name: String
        package let logsIn: Bool
        /// The button ``FieldName/decision`` is ``FieldName/remove``, ``FieldName/rename`` or ``FieldName/letLogIn``.
        package let form: PageForm

        package init(name: String, logsIn: Bool, form: PageForm) {
            self.name = name
            self.logsIn = logsIn
            self.form = form
        }
    }

    package var entries: [Entry]
    /// Nil for a person who has as many as they may.
    package var adding: PasskeyRequest?
    /// Name that the page suggests for a new one.
    package var newName: String
    package var problem: LocalizedText?
    /// Leads to the account's first page.
    package var back: PageURL

    package init(
        entries: [Entry], adding: PasskeyRequest?, newName: String, problem: LocalizedText? = nil, back: PageURL
    ) {
        self.entries = entries
        self.adding = adding
        self.newName = newName
        self.problem = problem
        self.back = back
    }

    package var title: LocalizedText { localized.passkeys.title }
    package var isForLogin: Bool { false }
    /// A change may have to be proven first, at another provider, too.
    package var formsLeadAway: Bool { true }
    package var script: Asset? { adding?.script }
    package var problems: [Problem] { Components.problems(problem) }

    package var content: HTML {
        HTML {
            Components.lead(localized.passkeys.lead)
            if entries.isEmpty { Tag.p { localized.passkeys.none } }
            for (index, entry) in entries.enumerated() { part(entry, at: index) }
            if let adding {
                Components.passkey(
                    adding, localized.passkeys.add, problem: localized.passkeys.notAdded, .primary
                ) {
                    Self.name(FieldName.name, newName)
                }
                Tag.p(.id("passkey-without"), .classes("hint")) { localized.passkeys.needsScript }
            }
            Components.aside(localized.account.back, back)
        }
    }

    private static func name(_ id: String, _ value: String) -> Node {
        Components.field(
            FieldName.name, localized.passkeys.name, type: .text, .off, id: id, input: FieldInput(value),
            attributes: [.maximumLength(60)])
    }

    @HTMLBuilder
    private func part(_ entry: Entry, at index: Int) -> [Node] {
        Tag.h2 { Node.isolated(entry.name) }
        Tag.p(.classes("hint")) { entry.logsIn ? localized.passkeys.logsIn : localized.passkeys.confirmsOnly }
        if !entry.logsIn {
            Components.form(entry.form) {
                Components.submit(
                    localized.passkeys.letLogIn, .secondary, name: FieldName.decision, value: FieldName.letLogIn)
            }
        }
        Tag.details {
            Tag.summary { localized.account.phones.change }
            Components.form(entry.form) {
                Self.name("\(FieldName.name)-\(index)", entry.name)
                Components.submit(
                    localized.account.save, .secondary, name: FieldName.decision, value: FieldName.rename)
            }
            Tag.p { localized.passkeys.removeLead }
            Components.form(entry.form) {
                Components.submit(
                    localized.passkeys.remove, .secondary, name: FieldName.decision, value: FieldName.remove)
            }
        }
    }
}
