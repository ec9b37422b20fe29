extension TemplateFilter {
    /// The result of a filter that makes or takes lists. Nil for a result that is too long.
    func listed(_ call: Call) -> TemplateValue? {
        let input = call.input
        switch self {
        case .slice: return Self.slice(call, call.argument(0)?.int ?? 0, call.argument(1)?.int ?? 1)
        case .split: return Self.split(call, by: call.argument(0)?.plain ?? "")
        case .join:
            guard case .list(let list) = input else { return call.text(input.plain) }
            return Self.list(list.elements.map(\.plain), joinedBy: call.argument(0)?.plain ?? " ").map(call.text)
        case .first: return input.member("first")
        case .last: return input.member("last")
        case .size: return input.member("size")
        default:
            guard case .list(let list) = input else { return self == .map ? TemplateValue.none : input }
            return Self.bounded(changed(list.elements, call.argument(0) ?? .none))
        }
    }

    private func changed(_ elements: [TemplateValue], _ argument: TemplateValue) -> [TemplateValue] {
        switch self {
        case .concat:
            guard case .list(let others) = argument else { return elements }
            return elements + others.elements
        case .map:
            let name = argument.plain
            return elements.map { $0.member(name) }
        case .reverse: return elements.reversed()
        case .sort: return Self.sorted(elements, by: argument.plain)
        default: return Self.unique(elements)
        }
    }

    private static func bounded(_ elements: [TemplateValue]) -> TemplateValue? {
        elements.count <= Template.elementLimit ? .list(TemplateList(elements)) : nil
    }

    private static func split(_ call: Call, by separator: String) -> TemplateValue? {
        // One piece more than allowed shows that there are too many.
        let limit = Template.elementLimit + 1
        let text = call.input.plain
        var pieces =
            separator.isEmpty
            ? text.prefix(limit).map { String($0) } : ByteSearch(separator).pieces(of: text, limit: limit)
        if separator == " " { pieces.removeAll { $0.isEmpty } }
        return bounded(pieces.map(call.text))
    }

    private static func slice(_ call: Call, _ start: Int, _ length: Int) -> TemplateValue {
        func range(_ count: Int) -> Range<Int> {
            let first = min(max(start < 0 ? count + start : start, 0), count)
            return first..<min(first + max(length, 0), count)
        }
        if case .list(let list) = call.input {
            return .list(TemplateList(Array(list.elements[range(list.elements.count)])))
        }
        let characters = Array(call.input.plain)
        return call.text(String(characters[range(characters.count)]))
    }

    /// Place of a value in an order: numbers, then texts, then nothing.
    private struct Place: Comparable {
        private let group: Int
        private let number: Double
        private let text: String

        init(_ value: TemplateValue) {
            switch value {
            case .number: (group, number, text) = (0, value.double ?? 0, "")
            case .none: (group, number, text) = (2, 0, "")
            default: (group, number, text) = (1, 0, value.plain)
            }
        }

        static func < (one: Place, other: Place) -> Bool {
            (one.group, one.number, one.text) < (other.group, other.number, other.text)
        }
    }

    /// An empty name stands for the elements themselves.
    private static func sorted(_ elements: [TemplateValue], by member: String) -> [TemplateValue] {
        elements.map { (place: Place(member.isEmpty ? $0 : $0.member(member)), element: $0) }
            .sorted { $0.place < $1.place }.map(\.element)
    }

    private static func unique(_ elements: [TemplateValue]) -> [TemplateValue] {
        var seen: Set<String> = []
        return elements.filter { element in
            switch element {
            case .number: seen.insert("n\(element.double.map { "\($0)" } ?? "")").inserted
            case .text(let text, _): seen.insert("t\(text)").inserted
            case .flag, .none: seen.insert("f\(element.plain)").inserted
            // The same is hard to say of lists and objects.
            default: true
            }
        }
    }
}
