package import Localization
package import Primitives

/// Part of a dashboard page.
package indirect enum DashboardBlock: Sendable {
    case heading(LocalizedText)
    case text(Words)
    /// A change that was just made. Screen readers announce it.
    case notice(Words)
    case warning(Words)
    case facts([Fact])
    /// `columns` are the headings. `empty` stands in the place of a table without rows.
    case table(columns: [Words], rows: [[[Inline]]], empty: [DashboardBlock])
    case links([Link])
    case form(DashboardForm)
    /// A form whose address holds the fields: a search.
    case search(DashboardSearch)
    /// Text to copy.
    case code(String, label: LocalizedText)
    case codes([String])
    /// A request as its person sees it.
    case request(RequestRecordShown)
    case disclosure(LocalizedText, [DashboardBlock], isOpen: Bool = false)
    /// Events, the newest first.
    case timeline([Moment])
    case changes([Change])
    /// A QR code.
    case picture(EnrollDevicePage.Code, label: LocalizedText)
    case plot(Plot)
    /// Blocks beside each other where there is room.
    case columns([[DashboardBlock]])
    /// Replaced by the script whenever the server says that it changed.
    case live(PageURL, [DashboardBlock])

    package struct Fact: Sendable {
        let label: Words
        let values: [Inline]

        package init(_ label: Words, _ values: [Inline]) {
            self.label = label
            self.values = values
        }
    }

    package struct Link: Sendable {
        let words: Words
        let url: PageURL
        let isPrimary: Bool

        package init(_ words: Words, _ url: PageURL, isPrimary: Bool = false) {
            self.words = words
            self.url = url
            self.isPrimary = isPrimary
        }
    }

    package struct Moment: Sendable {
        let time: Timestamp
        let title: [Inline]
        let details: [Inline]

        package init(_ time: Timestamp, _ title: [Inline], _ details: [Inline] = []) {
            self.time = time
            self.title = title
            self.details = details
        }
    }

    /// A member before and after. Nil is absent.
    package struct Change: Sendable {
        let member: String
        let before: String?
        let after: String?

        package init(_ member: String, before: String?, after: String?) {
            self.member = member
            self.before = before
            self.after = after
        }
    }

    /// Text within a line.
    package indirect enum Inline: Sendable {
        case words(Words)
        case link(Words, PageURL)
        /// A name of the API, or a value.
        case code(String)
        /// An id, with a button that copies it.
        case id(String)
        case time(Timestamp)
        case state(Words, Tone)
        case strong(Words)
    }

    package enum Tone: String, Sendable { case good, bad, waiting, quiet }

    var fields: [DashboardField] {
        switch self {
        case .form(let form): form.fields
        case .search(let search): [search.field]
        case .disclosure(_, let blocks, _), .live(_, let blocks): blocks.flatMap(\.fields)
        case .columns(let columns): columns.flatMap { $0.flatMap(\.fields) }
        default: []
        }
    }
}

/// Values of days as bars.
package struct Plot: Sendable {
    let title: LocalizedText
    let bars: [(label: String, value: Int)]

    package init(_ title: LocalizedText, _ bars: [(label: String, value: Int)]) {
        self.title = title
        self.bars = bars
    }
}

package struct DashboardForm: Sendable {
    package let form: PageForm
    package var fields: [DashboardField]
    package var buttons: [AccountPage.Button]

    package init(_ form: PageForm, _ fields: [DashboardField], _ buttons: [AccountPage.Button]) {
        self.form = form
        self.fields = fields
        self.buttons = buttons
    }
}

package struct DashboardSearch: Sendable {
    let action: PageURL
    let field: DashboardField
    let button: LocalizedText

    package init(
        _ action: PageURL, _ field: DashboardField, button: LocalizedText = localized.dashboard.frame.search
    ) {
        self.action = action
        self.field = field
        self.button = button
    }
}

package struct DashboardField: Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        case text, email, search, secret
        /// One of these values. The empty one leaves the member absent.
        case choice([String])
        /// Any of these values. Each has a box of its own, named as ``box(_:)`` says.
        case choices([String])
        /// Several lines, or JSON.
        case area(lines: Int)
        case number
    }

    package let name: String
    package let label: Words
    package let kind: Kind
    package var input: FieldInput
    package var hint: Words?
    package var isRequired: Bool

    package init(
        _ name: String, _ label: Words, _ kind: Kind = .text, _ input: FieldInput = FieldInput(), hint: Words? = nil,
        isRequired: Bool = false
    ) {
        self.name = name
        self.label = label
        self.kind = kind
        self.input = input
        self.hint = hint
        self.isRequired = isRequired
    }

    /// Name of the box of one of several values.
    package func box(_ value: String) -> String { "\(name):\(value)" }
}
