import Localization
import OAuthWire
import Primitives

/// An attribute of an element. Only attributes that pages use can be made: no `style`, no event handler.
struct Attribute: Sendable {
    enum Value: Sendable {
        /// A boolean attribute, present without a value.
        case present
        case text(String)
        case words(LocalizedText)
    }

    let name: String
    let value: Value

    private init(_ name: String, _ value: Value) {
        self.name = name
        self.value = value
    }

    private init(_ name: String, _ text: String) { self.init(name, .text(text)) }

    // MARK: everywhere

    static func id(_ id: String) -> Attribute { Attribute("id", id) }
    static func classes(_ names: String) -> Attribute { Attribute("class", names) }
    static func lang(_ language: Language) -> Attribute { Attribute("lang", language.rawValue) }
    static func role(_ role: Role) -> Attribute { Attribute("role", role.rawValue) }
    static func label(_ words: LocalizedText) -> Attribute { Attribute("aria-label", .words(words)) }
    static func describedBy(_ ids: [String]) -> Attribute? {
        ids.isEmpty ? nil : Attribute("aria-describedby", ids.joined(separator: " "))
    }
    /// Hides decoration from screen readers.
    static let hidden = Attribute("aria-hidden", "true")
    /// Makes an element focusable by a link or a script, not by the Tab key.
    static let focusable = Attribute("tabindex", "-1")

    enum Role: String, Sendable { case alert, img, search, status, timer }

    // MARK: the page to decide on

    /// A part that has to be read.
    static let part = Attribute("data-part", .present)
    /// A button that allows what was read.
    static let allows = Attribute("data-allows", .present)
    /// Seconds that are left, whose text moves.
    static func left(_ seconds: Int) -> Attribute { Attribute("data-left", String(seconds)) }

    var isPart: Bool { name == Self.part.name }

    // MARK: links and resources

    static func href(_ url: PageURL) -> Attribute { Attribute("href", url.text) }
    /// Link to an element of the same page.
    static func href(id: String) -> Attribute { Attribute("href", "#\(id)") }
    /// The new window cannot reach this one (HTML 4.6.7.11: `noopener` is implied).
    static let inNewWindow = Attribute("target", "_blank")
    static func hreflang(_ language: Language) -> Attribute { Attribute("hreflang", language.rawValue) }
    static func src(_ url: PageURL) -> Attribute { Attribute("src", url.text) }
    static func alt(_ text: String) -> Attribute { Attribute("alt", text) }
    static func width(_ pixels: Int) -> Attribute { Attribute("width", String(pixels)) }
    static func height(_ pixels: Int) -> Attribute { Attribute("height", String(pixels)) }
    static let stylesheet = Attribute("rel", "stylesheet")
    static let icon = Attribute("rel", "icon")
    static let `defer` = Attribute("defer", .present)
    /// Input of the script of waiting pages.
    static func page(_ url: PageURL) -> Attribute { Attribute("data-page", url.text) }
    static func polled(_ url: PageURL) -> Attribute { Attribute("data-polled", url.text) }
    /// Input of an inline script, which keeps the script's text constant.
    static func messageTarget(_ origin: WebOrigin) -> Attribute { Attribute("data-target", origin.description) }
    static func messageResponse(_ json: JSONValue) -> Attribute {
        Attribute("data-response", String(decoding: JSONWriter.bytes(json), as: UTF8.self))
    }

    /// Input of the script of passkeys.
    static func passkey(_ request: PasskeyRequest) -> [Attribute] {
        let common = [Attribute("data-challenge", request.challenge), Attribute("data-host", request.host)]
        return switch request.ceremony {
        case .logIn(let waits): common + (waits ? [Attribute("data-waits", .present)] : [])
        case .add(let handle, let name, let known):
            common + [
                Attribute("data-user", handle), Attribute("data-name", name),
                Attribute("data-known", known.joined(separator: " ")),
            ]
        }
    }

    // MARK: the head

    static let utf8 = Attribute("charset", "utf-8")
    static func meta(_ name: String) -> Attribute { Attribute("name", name) }
    static let refresh = Attribute("http-equiv", "refresh")
    static func content(_ text: String) -> Attribute { Attribute("content", text) }

    // MARK: forms

    static func action(_ url: PageURL) -> Attribute { Attribute("action", url.text) }
    static let post = Attribute("method", "post")
    static let get = Attribute("method", "get")
    static func rows(_ count: Int) -> Attribute { Attribute("rows", String(count)) }
    static let selected = Attribute("selected", .present)
    static let checked = Attribute("checked", .present)
    static func `for`(_ id: String) -> Attribute { Attribute("for", id) }
    static func type(_ type: InputType) -> Attribute { Attribute("type", type.rawValue) }
    static func name(_ name: String) -> Attribute { Attribute("name", name) }
    static func value(_ text: String) -> Attribute { Attribute("value", text) }
    static func autocomplete(_ token: Autocomplete) -> Attribute { Attribute("autocomplete", token.rawValue) }
    static let emailKeys = Attribute("inputmode", "email")
    static let numeric = Attribute("inputmode", "numeric")
    static func maximumLength(_ characters: Int) -> Attribute { Attribute("maxlength", String(characters)) }
    static let required = Attribute("required", .present)
    static let readOnly = Attribute("readonly", .present)
    static let unseen = Attribute("hidden", .present)
    static let invalid = Attribute("aria-invalid", "true")
    /// Stops phones from correcting names and addresses.
    static let verbatim: [Attribute] = [Attribute("autocapitalize", "none"), Attribute("spellcheck", "false")]
    /// Leaves checks to the server, which reports problems in the page's language and to screen readers.
    static let unchecked = Attribute("novalidate", .present)

    enum InputType: String, Sendable { case hidden, text, email, search, password, submit, button, checkbox, time }

    /// Kind of a field's value, for browsers and password managers to fill in (HTML 4.10.18.7).
    enum Autocomplete: String, Sendable {
        case username, name, email, off
        /// A name, or a passkey among the suggestions (WebAuthn Level 3, 5.1.4: conditional mediation).
        case usernameOrPasskey = "username webauthn"
        case currentPassword = "current-password"
        case newPassword = "new-password"
        case oneTimeCode = "one-time-code"
    }

    // MARK: the dashboard

    static let currentPage = Attribute("aria-current", "page")
    static let ofColumn = Attribute("scope", "col")
    static let open = Attribute("open", .present)
    /// Lets the keyboard scroll a part.
    static let scrollable = Attribute("tabindex", "0")
    /// Text that the script copies.
    static func copied(_ text: String) -> Attribute { Attribute("data-copied", text) }
    /// Events after which the script loads the part again.
    static func live(_ url: PageURL) -> Attribute { Attribute("data-live", url.text) }
    static func dateTime(_ time: Timestamp) -> Attribute { Attribute("datetime", time.iso8601) }

    // MARK: drawings

    static func viewBox(width: Int, height: Int) -> Attribute { Attribute("viewBox", "0 0 \(width) \(height)") }
    static func x(_ pixels: Int) -> Attribute { Attribute("x", String(pixels)) }
    static func y(_ pixels: Int) -> Attribute { Attribute("y", String(pixels)) }

    static func viewBox(side: Int) -> Attribute { Attribute("viewBox", "0 0 \(side) \(side)") }
    static func fill(_ colour: Colour) -> Attribute { Attribute("fill", "#\(colour.hex)") }
    static func outline(_ commands: [SquarePath]) -> Attribute { Attribute("d", commands.map(\.text).joined()) }
    static let crispEdges = Attribute("shape-rendering", "crispEdges")

    /// A row of squares of a drawing.
    struct SquarePath: Sendable {
        let column: Int
        let row: Int
        let length: Int

        var text: String { "M\(column) \(row)h\(length)v1h-\(length)z" }
    }
}
