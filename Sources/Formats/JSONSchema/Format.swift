/// Values of `format` that only say how a value is shown to people. They assert nothing.
enum DisplayFormat: String, CaseIterable {
    /// An amount with a currency.
    case money
    /// A bank account's number.
    case account
}

/// Supported values of `format`, which are asserted (2020-12 Validation 7.2).
enum Format: String, Sendable, CaseIterable {
    case date
    case time
    case dateTime = "date-time"
    case duration
    case email
    case hostname
    case uri
    case uriReference = "uri-reference"
    case uuid
    case ipv4
    case ipv6
    case jsonPointer = "json-pointer"
    case regex

    func accepts(_ text: String) -> Bool {
        let bytes = Array(text.utf8)[...]
        return switch self {
        case .date: Self.isDate(bytes)
        case .time: Self.isTime(bytes)
        case .dateTime: Self.isDateTime(bytes)
        case .duration: Self.isDuration(bytes)
        case .email: Self.isEmail(bytes)
        case .hostname: bytes.count <= 253 && Self.isHostName(bytes)
        case .uri: Self.isURI(bytes)
        case .uriReference: Self.isURIReference(bytes)
        case .uuid: Self.isUUID(bytes)
        case .ipv4: Self.isIPv4(bytes)
        case .ipv6: Self.isIPv6(bytes)
        case .jsonPointer: Self.isJSONPointer(bytes)
        case .regex: Pattern.isRegularExpression(text)
        }
    }

    private typealias Bytes = ArraySlice<UInt8>

    // MARK: RFC 3339 5.6

    /// Reads the number at each run of `0` in `form`. Nil if `text` has another form.
    private static func numbers(in text: Bytes, form: StaticString) -> [Int]? {
        guard text.count == form.utf8CodeUnitCount else { return nil }
        return form.withUTF8Buffer { form in
            var numbers: [Int] = []
            var isInNumber = false
            for (byte, expected) in zip(text, form) {
                guard expected == UInt8(ascii: "0") else {
                    guard byte == expected else { return nil }
                    isInNumber = false
                    continue
                }
                guard isDigit(byte) else { return nil }
                if !isInNumber { numbers.append(0) }
                isInNumber = true
                numbers[numbers.count - 1] = numbers[numbers.count - 1] * 10 + Int(byte - UInt8(ascii: "0"))
            }
            return numbers
        }
    }

    private static func isDate(_ text: Bytes) -> Bool {
        guard let date = numbers(in: text, form: "0000-00-00"), (1...12).contains(date[1]) else { return false }
        let isLeapYear = date[0] % 4 == 0 && (date[0] % 100 != 0 || date[0] % 400 == 0)
        let days = [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return (1...days[date[1] - 1]).contains(date[2])
    }

    private static func isDateTime(_ text: Bytes) -> Bool {
        text.count >= 20 && isDate(text.prefix(10)) && text[10] | 0x20 == UInt8(ascii: "t") && isTime(text[11...])
    }

    private static func isTime(_ text: Bytes) -> Bool {
        guard text.count >= 9, let time = numbers(in: text.prefix(8), form: "00:00:00"),
            time[0] < 24, time[1] < 60, time[2] <= 60
        else { return false }
        var rest = text.dropFirst(8)
        if rest.first == UInt8(ascii: ".") {
            let fraction = rest.dropFirst().prefix(while: isDigit)
            guard !fraction.isEmpty else { return false }
            rest = rest[fraction.endIndex...]
        }
        var minuteOfDay = time[0] * 60 + time[1]
        if rest.count != 1 || rest.first.map({ $0 | 0x20 }) != UInt8(ascii: "z") {
            guard let sign = rest.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"),
                let offset = numbers(in: rest.dropFirst(), form: "00:00"), offset[0] < 24, offset[1] < 60
            else { return false }
            let minutes = offset[0] * 60 + offset[1]
            minuteOfDay += sign == UInt8(ascii: "+") ? -minutes : minutes
        }
        // A leap second is the last second of a UTC day (RFC 3339 5.7).
        return time[2] < 60 || (minuteOfDay + 1440) % 1440 == 1439
    }

    // MARK: RFC 3339 appendix A

    private static func isDuration(_ text: Bytes) -> Bool {
        guard text.first == UInt8(ascii: "P") else { return false }
        let parts = split(text.dropFirst(), at: "T")
        guard parts.count <= 2, let date = units(of: parts[0]) else { return false }
        guard parts.count == 2 else { return date == "W" || (!date.isEmpty && "YMD".contains(date)) }
        guard let time = units(of: parts[1]) else { return false }
        return "YMD".contains(date) && !time.isEmpty && "HMS".contains(time)
    }

    /// Reads the unit letters of a text such as `1Y2M`. Nil if a letter has no number.
    private static func units(of text: Bytes) -> String? {
        var units = ""
        var rest = text
        while !rest.isEmpty {
            let number = rest.prefix(while: isDigit)
            rest = rest[number.endIndex...]
            guard !number.isEmpty, let unit = rest.popFirst() else { return nil }
            units.append(Character(Unicode.Scalar(unit)))
        }
        return units
    }

    // MARK: RFC 6901 3

    private static func isJSONPointer(_ text: Bytes) -> Bool {
        guard text.isEmpty || text.first == UInt8(ascii: "/") else { return false }
        return split(text, at: "~").dropFirst().allSatisfy { $0.first == 0x30 || $0.first == 0x31 }
    }

    // MARK: RFC 5321 4.1.2

    private static func isEmail(_ text: Bytes) -> Bool {
        guard let at = text.lastIndex(of: UInt8(ascii: "@")) else { return false }
        let (local, domain) = (text[..<at], text[(at + 1)...])
        // 4.5.3.1: maximum sizes of the local part and the domain.
        guard (1...64).contains(local.count), (1...255).contains(domain.count) else { return false }
        guard isDotString(local) || isQuotedString(local) else { return false }
        guard domain.first == UInt8(ascii: "["), domain.last == UInt8(ascii: "]") else { return isHostName(domain) }
        let literal = domain.dropFirst().dropLast()
        return literal.starts(with: "IPv6:".utf8) ? isIPv6(literal.dropFirst(5)) : isIPv4(literal)
    }

    private static func isDotString(_ text: Bytes) -> Bool {
        split(text, at: ".").allSatisfy { atom in
            !atom.isEmpty && atom.allSatisfy { isAlphanumeric($0) || "!#$%&'*+-/=?^_`{|}~".utf8.contains($0) }
        }
    }

    private static func isQuotedString(_ text: Bytes) -> Bool {
        guard text.count >= 2, text.first == UInt8(ascii: "\""), text.last == UInt8(ascii: "\"") else { return false }
        var rest = text.dropFirst().dropLast()
        while let byte = rest.popFirst() {
            guard (0x20...0x7E).contains(byte), byte != UInt8(ascii: "\"") else { return false }
            if byte == UInt8(ascii: "\\") {
                guard let escaped = rest.popFirst(), (0x20...0x7E).contains(escaped) else { return false }
            }
        }
        return true
    }

    private static func isHostName(_ text: Bytes) -> Bool {
        split(text, at: ".").allSatisfy { label in
            (1...63).contains(label.count) && label.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: "-") }
                && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
        }
    }

    // MARK: RFC 4122 3

    private static func isUUID(_ text: Bytes) -> Bool {
        let groups = split(text, at: "-")
        return groups.map(\.count) == [8, 4, 4, 4, 12] && groups.allSatisfy { $0.allSatisfy(isHexadecimal) }
    }
}

// MARK: Bytes, shared with Format+Network.swift

extension Format {
    static func split(_ text: ArraySlice<UInt8>, at separator: Unicode.Scalar) -> [ArraySlice<UInt8>] {
        text.split(separator: UInt8(ascii: separator), omittingEmptySubsequences: false)
    }

    static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
    static func isAlphanumeric(_ byte: UInt8) -> Bool { isDigit(byte) || isLetter(byte) }
    static func isHexadecimal(_ byte: UInt8) -> Bool { isDigit(byte) || (0x61...0x66).contains(byte | 0x20) }
}
