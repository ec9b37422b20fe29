import AuthorizationCore
import Localization
import Primitives
import Templates

/// HTML of the built-in mails. It loads nothing but the tenant's logo, and reads well in light and dark, without
/// styles, and on small screens.
struct MailLayout {
    let branding: Branding
    let tenant: String
    let language: Language

    /// The text has paragraphs, and lists of lines that begin with `- `. Only the mail's link becomes a link.
    func html(of mail: OutgoingMail) -> String {
        let accent = branding.primaryColor ?? "#1f4fd8"
        let logo = branding.logoURL.flatMap { $0.hasPrefix("https://") ? $0 : nil }
        let head =
            logo.map { #"<img class="logo" src="\#($0.escapedForHTML)" alt="\#(tenant.escapedForHTML)" height="40">"# }
            ?? "<p class=\"name\">\(tenant.escapedForHTML)</p>"
        let body = mail.text.split(separator: "\n\n").map { paragraph($0, of: mail, accent) }.joined(separator: "\n")
        return """
            <!doctype html>
            <html lang="\(language.rawValue)">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <meta name="supported-color-schemes" content="light dark">
            <title>\(mail.subject.escapedForHTML)</title>
            <style>
            body { margin: 0; padding: 24px 12px; background: #f2f3f5; color: #1a1d21; }
            main { max-width: 560px; margin: 0 auto; padding: 24px; background: #ffffff; border-radius: 8px; }
            .name { font-weight: 600; }
            @media (prefers-color-scheme: dark) {
            body { background: #14171a; color: #eceef0; }
            main { background: #1f2428; }
            }
            </style>
            </head>
            <body>
            <main style="font: 16px/1.5 system-ui, 'Segoe UI', Roboto, Arial, sans-serif; overflow-wrap: anywhere">
            \(head)
            \(body)
            </main>
            </body>
            </html>

            """
    }

    private func paragraph(_ text: Substring, of mail: OutgoingMail, _ accent: String) -> String {
        let link = mail.link
        if let link, text == link { return button(mail.button ?? language.texts.mail.open, link, accent) }
        if mail.headings.contains(where: { $0 == text }) {
            return #"<h2 style="margin: 24px 0 8px; font-size: 16px">\#(String(text).escapedForHTML)</h2>"#
        }
        if let message = mail.message, text == message {
            let lines = message.split(separator: "\n").map { String($0).escapedForHTML }.joined(separator: "<br>\n")
            return #"<p style="font-size: 24px; line-height: 1.25"><strong>\#(lines)</strong></p>"#
        }
        if let quotation = mail.quotation, text == quotation {
            let style = "margin: 0 0 16px; padding-left: 12px; border-left: 3px solid #a7afbe"
            return #"<blockquote style="\#(style)">\#(quotation.escapedForHTML)</blockquote>"#
        }
        let lines = text.split(separator: "\n")
        let items = lines.filter { $0.hasPrefix("- ") }
        if items.count == lines.count {
            return "<ul>\(items.map { "<li>\($0.dropFirst(2).description.escapedForHTML)</li>" }.joined())</ul>"
        }
        let html = lines.map { line in
            guard let link, let range = line.firstRange(of: link) else { return String(line).escapedForHTML }
            return String(line[..<range.lowerBound]).escapedForHTML + anchor(link)
                + String(line[range.upperBound...]).escapedForHTML
        }
        return "<p>\(html.joined(separator: "<br>\n"))</p>"
    }

    private func anchor(_ link: String) -> String {
        #"<a href="\#(link.escapedForHTML)">\#(link.escapedForHTML)</a>"#
    }

    /// With the address below it, for those who open it elsewhere.
    private func button(_ words: String, _ link: String, _ accent: String) -> String {
        let style =
            "display: inline-block; padding: 12px 20px; border-radius: 6px; background: \(accent); "
            + "color: #\((Colour(hex: accent) ?? .black).ink.hex); font-weight: 600; text-decoration: none"
        return """
            <p><a href="\(link.escapedForHTML)" style="\(style)">\(words.escapedForHTML)</a></p>
            <p style="font-size: 14px">\(anchor(link))</p>
            """
    }
}
