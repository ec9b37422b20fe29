import HTTPModel
import Primitives

/// Field in which proxies name the sender of a request.
package enum ClientAddressField: String, Sendable, CaseIterable {
    /// The de-facto field: addresses with commas between them.
    case xForwardedFor = "x-forwarded-for"
    /// RFC 7239, of which `for` alone is read.
    case forwarded
}

/// Senders that the proxies of a request name, beginning with the nearest proxy. The sequence ends at the first element
/// without a readable address: `unknown`, an obfuscated identifier (RFC 7239 clause 6.3), or no node.
///
/// The field is read from its right end. A proxy appends its element, so anything may stand to the left of a trusted
/// proxy's element, such as a quote that is never closed. A reader from the left would take the true address for a part
/// of the forger's quoted string. Empty elements are ignored (RFC 9110 clause 5.6.1.2).
struct ForwardedHops: Sequence, IteratorProtocol {
    private let field: ClientAddressField
    /// Lines of the field that are not yet begun.
    private var lines: [String]
    /// Rest of the line that is being read. Nil means that none is.
    private var rest: ArraySlice<UInt8>?

    init(_ fields: HTTPFields, in field: ClientAddressField) {
        self.field = field
        lines = fields.values(of: field.rawValue)
    }

    mutating func next() -> IPAddress? {
        guard let element = element() else { return nil }
        let address: IPAddress? =
            switch field {
            case .xForwardedFor: ForwardedNode(element, acceptsBareIPv6: true)?.address
            case .forwarded: ForwardedElement(element)?.node.address
            }
        if address == nil {
            rest = nil
            lines = []
        }
        return address
    }

    /// The next element that is not empty.
    private mutating func element() -> ArraySlice<UInt8>? {
        while let line = rest ?? lines.popLast().map({ Array($0.utf8)[...] }) {
            let comma = field == .forwarded ? Self.lastCommaOutsideQuotes(of: line) : line.lastIndex(of: .comma)
            rest = comma.map { line[..<$0] }
            let element = (comma.map { line[($0 + 1)...] } ?? line).trimmed
            if !element.isEmpty { return element }
        }
        return nil
    }

    /// A quote belongs to the string's content if an odd number of backslashes precedes it.
    private static func lastCommaOutsideQuotes(of line: ArraySlice<UInt8>) -> Int? {
        var isQuoted = false
        for index in line.indices.reversed() {
            switch line[index] {
            case .quote:
                let backslashes = line[..<index].reversed().prefix { $0 == .backslash }.count
                if backslashes.isMultiple(of: 2) { isQuoted.toggle() }
            case .comma where !isQuoted: return index
            default: break
            }
        }
        return nil
    }
}

/// A `forwarded-element` (RFC 7239 clause 4) that has one `for`, with a readable address.
private struct ForwardedElement {
    let node: ForwardedNode

    /// Nil if a parameter is malformed, too: a part of the element may then be a forger's.
    init?(_ element: ArraySlice<UInt8>) {
        var rest = element
        var node: ForwardedNode?
        while true {
            if let name = Self.token(&rest) {
                guard rest.popFirst() == .equals, let value = Self.quotedString(&rest) ?? Self.token(&rest) else {
                    return nil
                }
                if String(decoding: name, as: UTF8.self).lowercased() == "for" {
                    // Clause 4: each parameter comes once.
                    guard node == nil, let read = ForwardedNode(value, acceptsBareIPv6: false) else { return nil }
                    node = read
                }
            }
            rest = rest.trimmed
            guard let separator = rest.popFirst() else { break }
            guard separator == .semicolon else { return nil }
            rest = rest.trimmed
        }
        guard let node else { return nil }
        self.node = node
    }

    /// RFC 9110 clause 5.6.2.
    private static func token(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let token = rest.prefix { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
        }
        guard !token.isEmpty else { return nil }
        rest = rest[token.endIndex...]
        return token
    }

    /// RFC 9110 clause 5.6.4; without its quotes and backslashes.
    private static func quotedString(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard rest.first == .quote else { return nil }
        var content: [UInt8] = []
        var left = rest.dropFirst()
        while let byte = left.popFirst() {
            switch byte {
            case .quote:
                rest = left
                return content[...]
            case .backslash:
                guard let escaped = left.popFirst() else { return nil }
                content.append(escaped)
            default: content.append(byte)
            }
        }
        return nil
    }
}

/// A `node` (RFC 7239 clause 6) with an address. Its port is ignored.
private struct ForwardedNode {
    let address: IPAddress

    /// RFC 7239 has IPv6 addresses in brackets. `X-Forwarded-For` mostly has them bare, and then without a port.
    init?(_ node: ArraySlice<UInt8>, acceptsBareIPv6: Bool) {
        let name: ArraySlice<UInt8>
        let port: ArraySlice<UInt8>
        if node.first == .openingBracket {
            guard let end = node.firstIndex(of: .closingBracket) else { return nil }
            name = node[..<end].dropFirst()
            port = node[(end + 1)...]
            guard name.contains(.colon) else { return nil }
        } else if acceptsBareIPv6, node.count(where: { $0 == .colon }) > 1 {
            name = node
            port = []
        } else {
            name = node.prefix { $0 != .colon }
            port = node[name.endIndex...]
        }
        guard Self.isPort(port), let address = IPAddress(String(decoding: name, as: UTF8.self)) else { return nil }
        self.address = address
    }

    /// True for an empty text, and for a colon and a `node-port` (clause 6): 1...5 digits, or a name with an underscore.
    private static func isPort(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.first == .colon else { return text.isEmpty }
        let port = text.dropFirst()
        guard port.first == .underscore else {
            return (1...5).contains(port.count) && port.allSatisfy { (0x30...0x39).contains($0) }
        }
        return port.count > 1
            && port.dropFirst().allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                default: "._-".utf8.contains(byte)
                }
            }
    }
}

extension ArraySlice<UInt8> {
    /// Without blanks at its ends.
    fileprivate var trimmed: ArraySlice<UInt8> { trimmed { $0 == 0x20 || $0 == 0x09 } }
}

extension UInt8 {
    fileprivate static let comma = UInt8(ascii: ",")
    fileprivate static let semicolon = UInt8(ascii: ";")
    fileprivate static let colon = UInt8(ascii: ":")
    fileprivate static let equals = UInt8(ascii: "=")
    fileprivate static let quote = UInt8(ascii: "\"")
    fileprivate static let backslash = UInt8(ascii: "\\")
    fileprivate static let underscore = UInt8(ascii: "_")
    fileprivate static let openingBracket = UInt8(ascii: "[")
    fileprivate static let closingBracket = UInt8(ascii: "]")
}
