import ApprovalWire
import Localization
import Primitives

extension DashboardBlock {
    @HTMLBuilder
    var nodes: [Node] {
        switch self {
        case .heading(let words): Tag.h2 { words }
        case .text(let words): Tag.p { words.node }
        case .notice(let words): Tag.p(.classes("notice"), .role(.status)) { words.node }
        case .warning(let words): Tag.p(.classes("warning")) { words.node }
        case .facts(let facts): Self.facts(facts)
        case .table(let columns, let rows, let empty):
            if rows.isEmpty {
                Tag.div(.classes("empty")) { for block in empty { block.nodes } }
            } else {
                Self.table(columns, rows)
            }
        case .links(let links):
            Tag.div(.classes("row")) {
                for link in links {
                    Components.buttonLink(link.url, link.isPrimary ? .primary : .secondary) { link.words.node }
                }
            }
        case .form(let form): form.node
        case .search(let search): search.node
        case .code(let text, let label): Self.code(text, label)
        case .codes(let codes):
            Tag.ol(.classes("codes")) { for code in codes { Tag.li { Tag.code { Node.text(code) } } } }
        case .request(let shown): Tag.div(.classes("detail-card")) { shown.whole }
        case .disclosure(let title, let blocks, let isOpen):
            Tag.details(isOpen ? .open : nil) {
                Tag.summary { title }
                for block in blocks { block.nodes }
            }
        case .timeline(let moments): Self.timeline(moments)
        case .changes(let changes): Self.changes(changes)
        case .picture(let code, let label): code.drawing(label)
        case .plot(let plot): plot.node
        case .columns(let columns):
            Tag.div(.classes("columns")) { for column in columns { Tag.div { for block in column { block.nodes } } } }
        case .live(let url, let blocks): Tag.div(.live(url)) { for block in blocks { block.nodes } }
        }
    }

    private static func facts(_ facts: [Fact]) -> Node {
        Tag.dl(.classes("facts")) {
            for fact in facts {
                Tag.dt { fact.label.node }
                Tag.dd { Inline.nodes(fact.values) }
            }
        }
    }

    /// On a narrow screen each row becomes a card, whose cells repeat the headings.
    private static func table(_ columns: [Words], _ rows: [[[Inline]]]) -> Node {
        Tag.table {
            Tag.thead { Tag.tr { for column in columns { Tag.th(.ofColumn) { column.node } } } }
            Tag.tbody {
                for row in rows {
                    Tag.tr {
                        for (index, cell) in row.enumerated() {
                            Tag.td {
                                if columns.indices.contains(index) {
                                    Tag.span(.classes("of"), .hidden) { columns[index].node }
                                }
                                Inline.nodes(cell)
                            }
                        }
                    }
                }
            }
        }
    }

    private static func code(_ text: String, _ label: LocalizedText) -> Node {
        Tag.figure(.classes("terminal")) {
            Tag.figcaption {
                label
                copy(text)
            }
            Tag.pre(.scrollable, .label(label)) { Tag.code { Node.text(lines(text)) } }
        }
    }

    /// Each line by itself, since an empty one is no trick in a text of lines.
    private static func lines(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).showingUnseen }
            .joined(separator: "\n")
    }

    /// A button that only a script shows.
    static func copy(_ text: String) -> Node {
        Tag.button(.type(.button), .classes("copy"), .copied(text), .unseen) { localized.dashboard.frame.copy }
    }

    private static func timeline(_ moments: [Moment]) -> Node {
        Tag.ol(.classes("timeline")) {
            for moment in moments {
                Tag.li {
                    Tag.p(.classes("hint")) { Inline.time(moment.time).nodes }
                    Tag.p { Inline.nodes(moment.title) }
                    if !moment.details.isEmpty { Tag.p(.classes("hint")) { Inline.nodes(moment.details) } }
                }
            }
        }
    }

    private static func changes(_ changes: [Change]) -> Node {
        Tag.table(.classes("changes")) {
            Tag.thead {
                Tag.tr {
                    Tag.th(.ofColumn) { localized.dashboard.frame.member }
                    Tag.th(.ofColumn) { localized.dashboard.frame.before }
                    Tag.th(.ofColumn) { localized.dashboard.frame.after }
                }
            }
            Tag.tbody {
                for change in changes {
                    Tag.tr {
                        Tag.td { Tag.code { Node.isolated(change.member) } }
                        Tag.td { value(change.before) }
                        Tag.td { value(change.after) }
                    }
                }
            }
        }
    }

    private static func value(_ text: String?) -> Node {
        guard let text else { return Tag.span(.classes("hint")) { localized.dashboard.frame.absent } }
        return Tag.code { Node.isolated(text) }
    }
}

extension DashboardBlock.Inline {
    static func nodes(_ inlines: [Self]) -> [Node] {
        inlines.enumerated().flatMap { index, inline in (index == 0 ? [] : [Node.text(" ")]) + inline.nodes }
    }

    @HTMLBuilder
    var nodes: [Node] {
        switch self {
        case .words(let words): words.node
        case .link(let words, let url): Tag.a(.href(url)) { words.node }
        case .code(let text): Tag.code { Node.isolated(text) }
        case .id(let text):
            Tag.code { Node.isolated(text) }
            DashboardBlock.copy(text)
        case .time(let time):
            Tag.time(.dateTime(time)) {
                LocalizedText { PresentedValue.Content.time(time).text(in: $0) ?? time.iso8601 }
            }
        case .state(let words, let tone): Tag.span(.classes("state \(tone.rawValue)")) { words.node }
        case .strong(let words): Tag.strong { words.node }
        }
    }
}

extension Plot {
    private static let height = 60

    /// Bars in a drawing, and the same values as a table for those who do not see it.
    var node: Node {
        let highest = max(1, bars.map(\.value).max() ?? 0)
        return Tag.figure(.classes("plot")) {
            Tag.figcaption { title }
            Tag.svg(.viewBox(width: bars.count * 10, height: Self.height), .hidden) {
                for (index, bar) in bars.enumerated() {
                    let height = bar.value * Self.height / highest
                    Tag.rect(.x(index * 10 + 1), .y(Self.height - height), .width(8), .height(height))
                }
            }
            Tag.details {
                Tag.summary { localized.dashboard.frame.values }
                Tag.table {
                    Tag.tbody {
                        for bar in bars.reversed() {
                            Tag.tr {
                                Tag.td { Node.text(bar.label) }
                                Tag.td { Node.text(String(bar.value)) }
                            }
                        }
                    }
                }
            }
        }
    }
}
