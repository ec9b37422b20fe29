import Localization

/// Parts that several pages share.
enum Components {
    /// A form with its hidden fields.
    static func form(_ form: PageForm, @HTMLBuilder content: () -> [Node]) -> Node {
        Tag.form(.post, .action(form.action), .unchecked) {
            hidden(HiddenField(FieldName.csrf, form.csrf))
            for field in form.hidden { hidden(field) }
            content()
        }
    }

    static func hidden(_ field: HiddenField) -> Node {
        Tag.input(.type(.hidden), .name(field.name), .value(field.value))
    }

    /// A labelled input. Its id is its name; the hint and the problem describe it.
    static func field(
        _ name: String, _ label: LocalizedText, type: Attribute.InputType, _ autocomplete: Attribute.Autocomplete?,
        id: String? = nil, input: FieldInput, hint: LocalizedText? = nil, isOptional: Bool = false,
        attributes: [Attribute] = []
    ) -> Node {
        let id = id ?? name
        let hintID = hint.map { _ in "\(id)-hint" }
        let problemID = input.problem.map { _ in "\(id)-problem" }
        return Tag.div(.classes(input.problem == nil ? "field" : "field wrong")) {
            Tag.label(.for(id)) {
                if isOptional { Node.phrase(localized.form.optional, .words(label)) } else { label }
            }
            if let hint, let hintID {
                Tag.p(.id(hintID), .classes("hint")) { hint }
            }
            if let problem = input.problem, let problemID {
                Tag.p(.id(problemID), .classes("problem")) { problem }
            }
            Node.element(
                .input,
                [
                    .id(id), .name(name), .type(type), autocomplete.map(Attribute.autocomplete),
                    isOptional ? nil : .required,
                    input.problem == nil ? nil : .invalid, .describedBy([hintID, problemID].compactMap(\.self)),
                    input.value.isEmpty ? nil : .value(input.value),
                ].compactMap(\.self) + attributes, [])
        }
    }

    /// Field for the two digits that another screen shows.
    static func number(_ name: String, _ label: LocalizedText) -> Node {
        field(
            name, label, type: .text, .off, input: FieldInput(),
            attributes: [.numeric, .maximumLength(2), .classes("digits")])
    }

    static func email(_ input: FieldInput) -> Node {
        field(FieldName.email, localized.form.email, type: .email, .email, input: input, attributes: Attribute.verbatim)
    }

    /// A password field, which never repeats the sent value.
    static func newPassword(
        _ label: LocalizedText, name: String = FieldName.password, rule: LocalizedText? = nil, problem: LocalizedText?
    ) -> Node {
        field(name, label, type: .password, .newPassword, input: FieldInput(problem: problem), hint: rule)
    }

    /// A hidden field that names a new password's account for password managers (HTML 4.10.18.7, `username`).
    static func accountName(_ name: String) -> Node {
        Tag.input(
            .type(.text), .name(FieldName.username), .value(name), .autocomplete(.username), .unseen, .focusable,
            .readOnly)
    }

    /// A button for a passkey, which only a script shows.
    static func passkey(
        _ request: PasskeyRequest, _ words: LocalizedText, problem: LocalizedText, _ style: ButtonStyle,
        @HTMLBuilder content: () -> [Node] = { [] }
    ) -> Node {
        Node.element(
            .form,
            [.post, .action(request.form.action), .unchecked, .id("passkey"), .unseen] + Attribute.passkey(request),
            [hidden(HiddenField(FieldName.csrf, request.form.csrf))] + request.form.hidden.map(hidden)
                + [hidden(HiddenField(FieldName.passkey, ""))] + content() + [
                    Tag.p(.id("passkey-problem"), .classes("problem"), .role(.alert), .unseen) { problem },
                    submit(words, style),
                ])
    }

    /// A button that sends its form.
    static func submit(
        _ words: LocalizedText, _ style: ButtonStyle = .primary, name: String? = nil, value: String? = nil
    ) -> Node {
        Tag.button(
            .type(.submit), .classes("button \(style.rawValue)"), name.map(Attribute.name), value.map(Attribute.value)
        ) { words }
    }

    /// A link that looks like a button.
    static func buttonLink(_ url: PageURL, _ style: ButtonStyle, @HTMLBuilder content: () -> [Node]) -> Node {
        Tag.a(.href(url), .classes("button \(style.rawValue)"), content: content)
    }

    enum ButtonStyle: String { case primary, secondary }

    /// A link below the form, after the question that the link answers.
    static func aside(after question: LocalizedText? = nil, _ words: LocalizedText, _ url: PageURL) -> Node {
        Tag.p(.classes("aside")) {
            if let question {
                question
                Node.text(" ")
            }
            Tag.a(.href(url)) { words }
        }
    }

    /// The account that is logging in, with a button to choose another.
    @HTMLBuilder
    static func account(_ account: AccountInUse?) -> [Node] {
        if let account {
            form(account.change) {
                Tag.p(.classes("who")) {
                    Node.phrase(
                        localized.form.account, .isolated(account.name),
                        Tag.button(.type(.submit)) { localized.form.anotherAccount })
                }
            }
        }
    }

    /// A decorative picture, hidden from screen readers.
    static func sign(_ sign: Sign) -> Node { Tag.div(.classes("sign \(sign.rawValue)"), .hidden) }

    enum Sign: String { case phone, envelope, done }

    static func lead(_ words: LocalizedText) -> Node { lead(.words(words)) }

    static func lead(_ content: Node) -> Node { Tag.p(.classes("lead")) { content } }

    /// The problems of a page in the order of its fields.
    static func problems(
        _ whole: LocalizedText?, _ fields: [(name: String, problem: LocalizedText?)] = []
    ) -> [Problem] {
        (whole.map { [Problem($0)] } ?? [])
            + fields.compactMap { field in field.problem.map { Problem($0, field: field.name) } }
    }
}

/// The account of a page's login, and the form that changes it.
package struct AccountInUse: Sendable, Equatable {
    /// Name of the account, as the person knows it.
    package let name: String
    /// The form that leads back to the choice of accounts: ``FieldName/account`` is ``FieldName/another``.
    package let change: PageForm

    package init(name: String, change: PageForm) {
        self.name = name
        self.change = change
    }
}

/// A way to log in other than a password, such as a social provider.
package struct ConnectionChoice: Sendable, Equatable {
    /// The name that people use.
    package let displayName: String
    /// The address at which this login begins.
    package let url: PageURL

    package init(displayName: String, url: PageURL) {
        self.displayName = displayName
        self.url = url
    }
}

extension Components {
    /// One link per choice, separated from the form if there is one.
    @HTMLBuilder
    static func connections(_ choices: [ConnectionChoice], afterForm: Bool) -> [Node] {
        if !choices.isEmpty {
            if afterForm {
                Tag.p(.classes("or")) { localized.form.or }
            }
            Tag.ul(.classes("choices")) {
                for choice in choices {
                    Tag.li {
                        buttonLink(choice.url, .secondary) {
                            Node.phrase(localized.form.continueWith, .isolated(choice.displayName))
                        }
                    }
                }
            }
        }
    }
}
