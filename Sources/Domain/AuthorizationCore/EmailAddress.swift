import Primitives

/// An e-mail address in the common form of RFC 5321 (dot-atoms and a host name), in lower case as accounts keep it. Labels of
/// the host name are as the DNS has them: `bücher.example` is `xn--bcher-kva.example`.
///
/// Every address enters by this one rule, so that one mailbox has one name. Quoted local parts, local parts beyond ASCII
/// (RFC 6531) and address literals are refused.
package struct EmailAddress: Sendable, Hashable, CustomStringConvertible {
    package let description: String
    /// Bytes before the `@`.
    private let localSize: Int

    /// Bytes of an address (RFC 5321 clause 4.5.3.1.3, without the brackets of a path), and of its local part
    /// (clause 4.5.3.1.1).
    private static let (sizeLimit, localSizeLimit) = (254, 64)
    /// Bytes of a text that is read: more than any address has whose labels are beyond ASCII.
    private static let textLimit = 1024

    /// Ignores spaces around the address. Nil for texts that could break a mail's header, too.
    package init?(parsing text: String) {
        guard text.utf8.count <= Self.textLimit else { return nil }
        var bytes = text.utf8.drop { $0 == 0x20 }
        while bytes.last == 0x20 { bytes.removeLast() }
        let rest = Substring(bytes)
        // Any further @ makes the host name unfit.
        guard let at = rest.utf8.firstIndex(of: UInt8(ascii: "@")), Self.isDotAtom(rest[..<at].utf8) else { return nil }
        localSize = rest[..<at].utf8.count
        let name = rest[rest.utf8.index(after: at)...]
        // Most addresses, and all that are stored, are in this form already.
        if Self.isDomain(name.utf8), rest.utf8.count == text.utf8.count,
            !rest[..<at].utf8.contains(where: { (0x41...0x5A).contains($0) })
        {
            description = text
        } else {
            guard let domain = Self.domain(parsing: name) else { return nil }
            description = "\(rest[..<at].lowercased())@\(domain)"
        }
        guard description.utf8.count <= Self.sizeLimit else { return nil }
    }

    /// A host name of two labels or more, in the form that addresses have.
    package static func domain(parsing text: Substring) -> String? {
        HostName.ascii(text).flatMap { isDomain($0.utf8) ? $0 : nil }
    }

    private static func isDomain(_ name: some Collection<UInt8>) -> Bool {
        name.contains(UInt8(ascii: ".")) && HostName.isASCII(name)
    }

    /// Part before the `@`.
    package var localPart: String { String(decoding: description.utf8.prefix(localSize), as: UTF8.self) }

    /// Part after the `@`.
    package var domain: String { String(decoding: description.utf8.dropFirst(localSize + 1), as: UTF8.self) }

    /// Address without the detail that most servers accept after a `+` (RFC 5233), so that one mailbox does not count
    /// as many.
    package var mailbox: String {
        let name = localPart.prefix { $0 != "+" }
        return name.isEmpty ? description : "\(name)@\(domain)"
    }

    /// `dot-atom-text` (RFC 5322 clause 3.2.3) of ASCII.
    private static func isDotAtom(_ text: Substring.UTF8View) -> Bool {
        guard (1...localSizeLimit).contains(text.count), text.last != UInt8(ascii: ".") else { return false }
        var previous = UInt8(ascii: ".")
        for byte in text {
            guard isAtomByte(byte) || byte == UInt8(ascii: ".") && previous != byte else { return false }
            previous = byte
        }
        return true
    }

    private static func isAtomByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x61...0x7A, 0x41...0x5A, 0x30...0x39: true
        default: "!#$%&'*+-/=?^_`{|}~".utf8.contains(byte)
        }
    }
}
