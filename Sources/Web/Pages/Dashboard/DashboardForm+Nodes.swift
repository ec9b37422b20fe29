import Localization

extension DashboardForm {
    var node: Node {
        Components.form(form) {
            for field in fields { field.node }
            Tag.div(.classes("row")) {
                for button in buttons {
                    Tag.button(
                        .type(.submit), .classes("button \(button.isPrimary ? "primary" : "secondary")"),
                        button.name.map(Attribute.name), button.value.map(Attribute.value)
                    ) { button.words.node }
                }
            }
        }
    }
}

extension DashboardSearch {
    /// Sent by GET, so that the address can be kept.
    var node: Node {
        Tag.form(.get, .action(action), .classes("search"), .role(.search)) {
            field.node
            Components.submit(button, .secondary)
        }
    }
}

extension DashboardField {
    private var hintID: String { "\(name)-hint" }
    private var problemID: String { "\(name)-problem" }

    private var described: Attribute? {
        .describedBy((hint == nil ? [] : [hintID]) + (input.problem == nil ? [] : [problemID]))
    }

    var node: Node {
        let isGroup = if case .choices = kind { true } else { false }
        return Node.element(
            isGroup ? .fieldset : .div, [.classes(input.problem == nil ? "field" : "field wrong")],
            [isGroup ? Tag.legend { label.node } : Tag.label(.for(name)) { label.node }] + notes + control)
    }

    @HTMLBuilder
    private var notes: [Node] {
        if let hint { Tag.p(.id(hintID), .classes("hint")) { hint.node } }
        if let problem = input.problem { Tag.p(.id(problemID), .classes("problem")) { problem } }
    }

    @HTMLBuilder
    private var control: [Node] {
        switch kind {
        case .text: line(.text)
        case .email: line(.email)
        case .search: line(.search)
        case .secret: line(.password)
        case .number: line(.text, .numeric)
        case .area(let lines):
            Node.element(
                .textarea, common + [.rows(lines)] + Attribute.verbatim, [.text("\n" + input.value)])
        case .choice(let values):
            Node.element(
                .select, common,
                values.map { value in
                    Node.element(.option, [.value(value)] + (value == input.value ? [.selected] : []), [.text(value)])
                })
        case .choices(let values):
            let chosen = Set(input.value.split(separator: "\n").map(String.init))
            for value in values {
                Tag.label(.classes("box")) {
                    Node.element(
                        .input,
                        [.type(.checkbox), .name(box(value)), .value("1")] + (chosen.contains(value) ? [.checked] : []),
                        [])
                    Node.text(value)
                }
            }
        }
    }

    private var common: [Attribute] {
        [
            .id(name), .name(name), described, input.problem == nil ? nil : .invalid, isRequired ? .required : nil,
        ].compactMap(\.self)
    }

    private func line(_ type: Attribute.InputType, _ more: Attribute...) -> Node {
        let value: [Attribute] = input.value.isEmpty ? [] : [.value(input.value)]
        let filled: [Attribute] =
            type == .search ? [] : [.autocomplete(type == .password ? .newPassword : .off)]
        return Node.element(.input, common + [.type(type)] + filled + value + Attribute.verbatim + more, [])
    }
}
