/// A set of code points: ranges and general categories, or all that is in neither.
struct CharacterSet: Sendable {
    /// In order, without overlap, so that a look-up takes the logarithm of their number.
    private var ranges: [ClosedRange<UInt32>] = []
    private var categories: Set<Unicode.GeneralCategory> = []
    private var isInverted = false

    init(_ scalar: Unicode.Scalar) { ranges = [scalar.value...scalar.value] }
    init(_ range: ClosedRange<Unicode.Scalar>) { ranges = [range.lowerBound.value...range.upperBound.value] }

    private init(_ ranges: ClosedRange<UInt32>...) { self.ranges = ranges }

    init(unionOf sets: [CharacterSet]) {
        for range in sets.flatMap(\.ranges).sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = ranges.last, range.lowerBound <= last.upperBound {
                ranges[ranges.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                ranges.append(range)
            }
        }
        for set in sets { categories.formUnion(set.categories) }
    }

    // ECMA-262 22.2.2.9: \d, \w, \s and their complements; the line terminators of 12.3.
    static let digit = CharacterSet(0x30...0x39)
    static let noDigit = CharacterSet(0...0x2F, 0x3A...0x10FFFF)
    static let word = CharacterSet(0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A)
    static let noWord = CharacterSet(0...0x2F, 0x3A...0x40, 0x5B...0x5E, 0x60...0x60, 0x7B...0x10FFFF)
    static let space = CharacterSet(
        0x09...0x0D, 0x20...0x20, 0xA0...0xA0, 0x1680...0x1680, 0x2000...0x200A, 0x2028...0x2029, 0x202F...0x202F,
        0x205F...0x205F, 0x3000...0x3000, 0xFEFF...0xFEFF)
    static let noSpace = CharacterSet(
        0...0x08, 0x0E...0x1F, 0x21...0x9F, 0xA1...0x167F, 0x1681...0x1FFF, 0x200B...0x2027, 0x202A...0x202E,
        0x2030...0x205E, 0x2060...0x2FFF, 0x3001...0xFEFE, 0xFF00...0x10FFFF)
    static let lineTerminator = CharacterSet(0x0A...0x0A, 0x0D...0x0D, 0x2028...0x2029)

    /// Not to be joined to another set.
    var inverted: CharacterSet {
        var set = self
        set.isInverted.toggle()
        return set
    }

    /// The one character of the set, as each end of a range must have.
    var single: Unicode.Scalar? {
        guard ranges.count == 1, categories.isEmpty, ranges[0].count == 1 else { return nil }
        return Unicode.Scalar(ranges[0].lowerBound)
    }

    func contains(_ scalar: Unicode.Scalar) -> Bool {
        let isListed =
            hasRange(with: scalar.value)
            || (!categories.isEmpty && categories.contains(scalar.properties.generalCategory))
        return isListed != isInverted
    }

    private func hasRange(with value: UInt32) -> Bool {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < value { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low].contains(value)
    }
}

extension CharacterSet {
    /// The value of `\p{…}`: one letter for a group of categories, two for one (Unicode 4.5, table 4-4).
    init?(generalCategory name: String, isInverted: Bool) {
        let isNamed = Self.categories.map { name.count == 1 ? $0.name.hasPrefix(name) : $0.name == name }
        guard isNamed.contains(true) else { return nil }
        categories = Set(zip(Self.categories, isNamed).filter { $1 != isInverted }.map(\.0.category))
    }

    private static let categories: [(name: String, category: Unicode.GeneralCategory)] = [
        ("Lu", .uppercaseLetter), ("Ll", .lowercaseLetter), ("Lt", .titlecaseLetter), ("Lm", .modifierLetter),
        ("Lo", .otherLetter), ("Mn", .nonspacingMark), ("Mc", .spacingMark), ("Me", .enclosingMark),
        ("Nd", .decimalNumber), ("Nl", .letterNumber), ("No", .otherNumber), ("Pc", .connectorPunctuation),
        ("Pd", .dashPunctuation), ("Ps", .openPunctuation), ("Pe", .closePunctuation), ("Pi", .initialPunctuation),
        ("Pf", .finalPunctuation), ("Po", .otherPunctuation), ("Sm", .mathSymbol), ("Sc", .currencySymbol),
        ("Sk", .modifierSymbol), ("So", .otherSymbol), ("Zs", .spaceSeparator), ("Zl", .lineSeparator),
        ("Zp", .paragraphSeparator), ("Cc", .control), ("Cf", .format), ("Cs", .surrogate), ("Co", .privateUse),
        ("Cn", .unassigned),
    ]
}
