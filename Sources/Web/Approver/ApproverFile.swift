/// A file of the web app, as it is served.
package struct ApproverFile: Sendable, Equatable {
    package let name: String
    package let bytes: [UInt8]

    init(_ name: String, _ bytes: [UInt8]) {
        self.name = name
        self.bytes =
            switch name.split(separator: ".").last {
            case "js": Self.withoutSpacesOfCode(Self.squeezed(bytes))
            case "css": Self.withoutSpaces(Self.squeezed(bytes))
            default: bytes
            }
    }

    package var contentType: String {
        switch name.split(separator: ".").last {
        case "js": "text/javascript; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "png": "image/png"
        default: "text/html; charset=utf-8"
        }
    }

    /// The lines without indentation and without comments, which have lines of their own.
    private static func squeezed(_ bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        var isComment = false
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            let text = line.drop { $0 == UInt8(ascii: " ") }
            if isComment || text.starts(with: "/*".utf8) {
                isComment = !text.suffix(2).elementsEqual("*/".utf8)
            } else if !text.isEmpty, !text.starts(with: "//".utf8) {
                output += text + [UInt8(ascii: "\n")]
            }
        }
        return output
    }

    /// A script without the spaces and line ends beside signs. Texts and patterns stay.
    private static func withoutSpacesOfCode(_ bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        var rest = bytes[...]
        while let byte = rest.first {
            let last = output.last ?? 0x0A
            let next = rest.dropFirst().first ?? 0x0A
            if "\"'`".utf8.contains(byte) || (byte == UInt8(ascii: "/") && "(,=:[!&|?".utf8.contains(last)) {
                let length = lengthOfText(rest)
                output += rest.prefix(length)
                rest = rest.dropFirst(length)
                continue
            }
            rest = rest.dropFirst()
            switch byte {
            case UInt8(ascii: " ") where signs.contains(last) || signs.contains(next): continue
            case 0x0A where "{(,;[=>:?&|".utf8.contains(last) || ")].,?:|&=}".utf8.contains(next): continue
            case UInt8(ascii: "}") where last == UInt8(ascii: ";") || last == UInt8(ascii: ","),
                UInt8(ascii: ")") where last == UInt8(ascii: ","), UInt8(ascii: "]") where last == UInt8(ascii: ","):
                output.removeLast()
            default: break
            }
            output.append(byte)
        }
        return output
    }

    private static let signs = Set("=<>{}(),;:?&|*![]".utf8)

    /// Bytes of a text or a pattern up to the sign with which it started.
    private static func lengthOfText(_ bytes: ArraySlice<UInt8>) -> Int {
        var isEscaped = false
        for (index, byte) in zip(bytes.indices, bytes).dropFirst() {
            if !isEscaped, byte == bytes.first { return index - bytes.startIndex + 1 }
            isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
        }
        return bytes.count
    }

    /// A stylesheet without the spaces around signs. No selector or value of these files needs them.
    private static func withoutSpaces(_ bytes: [UInt8]) -> [UInt8] {
        var text = String(decoding: bytes, as: UTF8.self)
        let shorter = [
            (": ", ":"), ("; ", ";"), (", ", ","), (" { ", "{"), (" {", "{"), (" }", "}"), ("\n", ""), (";}", "}"),
            (" > ", ">"), (":0.", ":."), (" 0.", " ."),
        ]
        for (sign, short) in shorter { text = text.replacing(sign, with: short) }
        return Array(text.utf8)
    }

    /// Replaces places of the form `%NAME%`.
    func filled(_ values: [String: String]) -> [UInt8] {
        var text = String(decoding: bytes, as: UTF8.self)
        for (name, value) in values { text = text.replacing("%\(name)%", with: value) }
        return Array(text.utf8)
    }
}

extension ApproverFile {
    static let shell = ApproverFile("index.html", PackageResources.index_html)
    static let worker = ApproverFile("sw.js", PackageResources.sw_js)

    /// Everything that shell and worker load. A test compares the list with the folder.
    static let loaded = [
        ApproverFile("approver.css", PackageResources.approver_css),
        ApproverFile("badge-96.png", PackageResources.badge_96_png),
        ApproverFile("card.js", PackageResources.card_js),
        ApproverFile("channel.js", PackageResources.channel_js),
        ApproverFile("device.js", PackageResources.device_js),
        ApproverFile("dom.js", PackageResources.dom_js),
        ApproverFile("enrol.js", PackageResources.enrol_js),
        ApproverFile("history.js", PackageResources.history_js),
        ApproverFile("home.js", PackageResources.home_js),
        ApproverFile("icon-192.png", PackageResources.icon_192_png),
        ApproverFile("icon-512.png", PackageResources.icon_512_png),
        ApproverFile("json.js", PackageResources.json_js),
        ApproverFile("keys.js", PackageResources.keys_js),
        ApproverFile("main.js", PackageResources.main_js),
        ApproverFile("passkey.js", PackageResources.passkey_js),
        ApproverFile("presentation.js", PackageResources.presentation_js),
        ApproverFile("push.js", PackageResources.push_js),
        ApproverFile("requests.js", PackageResources.requests_js),
        ApproverFile("settings.js", PackageResources.settings_js),
        ApproverFile("sheet.js", PackageResources.sheet_js),
        ApproverFile("store.js", PackageResources.store_js),
        ApproverFile("text.js", PackageResources.text_js),
        ApproverFile("texts.js", PackageResources.texts_js),
    ]
}
