extension TemplateFilter {
    /// The result of a filter of lists. Lists in lists count as their elements, and another value as a list of it.
    func listed(_ call: Call) throws(Fault) -> TemplateValue {
        let elements = try Self.elements(of: call.input)
        let name = call.argument(0)
        switch self {
        case .join:
            return call.text(try Self.list(elements.map(\.plain), joinedBy: name?.plain ?? " "))
        case .concat:
            guard case .list(let others) = name else { throw .problem("only a list can be added to a list") }
            return try Self.bounded(elements + others.elements)
        case .reverse: return try Self.bounded(elements.reversed())
        case .map:
            var values: [TemplateValue] = []
            for element in elements { values.append(try element.property(name ?? .none) ?? .none) }
            return try Self.bounded(values)
        case .sum: return .number(try Self.sum(of: elements, name))
        default: return try chosen(elements, name, call.argument(1))
        }
    }

    /// The result of a filter that keeps, drops or orders elements by a property. Nil as its name stands for the
    /// elements themselves.
    private func chosen(
        _ elements: [TemplateValue], _ name: TemplateValue?, _ target: TemplateValue?
    ) throws(Fault) -> TemplateValue {
        let ofElements = self == .compact || self == .uniq || self == .sort || self == .sortNaturally
        let name = name?.isNone == true && ofElements ? nil : name
        var keys = elements
        if let name {
            let isOrder = self == .sort || self == .sortNaturally
            if isOrder, !elements.allSatisfy(\.hasProperties) { return .none }
            for (index, element) in elements.enumerated() {
                guard let key = try element.property(name) else { return .none }
                keys[index] = key
            }
        }
        func isWanted(_ index: Int) -> Bool {
            guard let target, !target.isNone else { return keys[index].isTrue }
            return TemplateValue.areEqual(keys[index], target)
        }
        let indices = elements.indices
        switch self {
        case .where: return try Self.bounded(indices.filter(isWanted).map { elements[$0] })
        case .reject: return try Self.bounded(indices.filter { !isWanted($0) }.map { elements[$0] })
        case .has: return .flag(indices.contains(where: isWanted))
        case .find: return indices.first(where: isWanted).map { elements[$0] } ?? .none
        case .findIndex: return indices.first(where: isWanted).map(TemplateValue.count) ?? .none
        case .compact: return try Self.bounded(indices.filter { !keys[$0].isNone }.map { elements[$0] })
        case .uniq:
            var seen: Set<[UInt8]> = []
            return try Self.bounded(indices.filter { seen.insert(keys[$0].identity).inserted }.map { elements[$0] })
        default:
            let places = try self == .sort ? Place.all(of: keys) : keys.map { Place(naturally: $0) }
            return try Self.bounded(zip(places, elements).sorted { $0.0 < $1.0 }.map(\.1))
        }
    }

    private static func elements(of value: TemplateValue) throws(Fault) -> [TemplateValue] {
        switch value {
        case .none: return []
        case .list(let list):
            var flat: [TemplateValue] = []
            for element in list.elements {
                if case .list = element { flat += try elements(of: element) } else { flat.append(element) }
            }
            return flat
        case .range(let range):
            guard range.count <= Template.elementLimit else { throw .tooLong }
            return (0..<range.count).map { .count(range.first + $0) }
        default: return [value]
        }
    }

    static func bounded(_ elements: [TemplateValue]) throws(Fault) -> TemplateValue {
        guard elements.count <= Template.elementLimit else { throw .tooLong }
        return .list(TemplateList(elements))
    }

    private static func sum(of elements: [TemplateValue], _ name: TemplateValue?) throws(Fault) -> TemplateNumber {
        var sum = TemplateNumber(0)
        for element in elements {
            guard let name, !name.isNone else {
                sum = sum + element.number
                continue
            }
            for value in try Self.elements(of: try element.property(name) ?? .none) { sum = sum + value.number }
        }
        return sum
    }

    /// Place of a value in an order: numbers or texts, then nil.
    private enum Place: Comparable {
        case number(TemplateNumber)
        case text([UInt8])
        case last

        /// Throws for values that have no order among each other.
        static func all(of values: [TemplateValue]) throws(Fault) -> [Place] {
            var (hasNumbers, hasTexts) = (false, false)
            var places: [Place] = []
            for value in values {
                switch value {
                case .none: places.append(.last)
                case .number(let number):
                    hasNumbers = true
                    places.append(.number(number))
                case .text(let text, _):
                    hasTexts = true
                    places.append(.text(Array(text.utf8)))
                default:
                    guard values.count == 1 else { throw .problem("values of these types have no order") }
                    places.append(.last)
                }
            }
            guard !hasNumbers || !hasTexts else { throw .problem("numbers and texts have no order") }
            return places
        }

        /// Letters of ASCII count as lower case.
        init(naturally value: TemplateValue) {
            self =
                value.isNone
                ? .last : .text(value.plain.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 })
        }

        static func < (one: Place, other: Place) -> Bool {
            switch (one, other) {
            case (.number(let one), .number(let other)): one < other
            case (.text(let one), .text(let other)): one.lexicographicallyPrecedes(other)
            case (.last, _): false
            case (_, .last): true
            case (.number, .text): true
            case (.text, .number): false
            }
        }
    }
}

extension TemplateValue {
    /// True for values that are asked for properties, though numbers have none.
    fileprivate var hasProperties: Bool {
        switch self {
        case .object, .text, .number(.whole): true
        default: false
        }
    }

    /// Value of a property, which for a text is a part of it. Nil for values that have none. Throws for numbers.
    fileprivate func property(_ name: TemplateValue) throws(TemplateFilter.Fault) -> TemplateValue? {
        switch (self, name) {
        case (.object(let object), .text(let name, _)): return object[name] ?? TemplateValue.none
        case (.object, _): return TemplateValue.none
        case (.text(let text, let origin), .text(let part, _)):
            return ByteSearch(part).isIn(text.utf8) ? .text(part, origin) : TemplateValue.none
        case (.text, _), (.number(.whole), _):
            throw .problem("the property \(name.plain.prefix(64)) cannot be selected")
        default: return nil
        }
    }

    /// Bytes that are equal for the same values. A whole number and a fraction differ.
    fileprivate var identity: [UInt8] {
        func tagged(_ tag: Character, _ bytes: some Collection<UInt8>) -> [UInt8] {
            Array("\(tag)\(bytes.count):".utf8) + bytes
        }
        switch self {
        case .text(let text, _): return tagged("t", Array(text.utf8))
        case .list(let list): return tagged("l", list.elements.flatMap(\.identity))
        case .object(let object):
            return tagged(
                "o", object.names.sorted().flatMap { tagged("t", Array($0.utf8)) + (object[$0]?.identity ?? []) })
        case .none: return tagged("n", [])
        default: return tagged("v", Array(plain.utf8))
        }
    }
}
