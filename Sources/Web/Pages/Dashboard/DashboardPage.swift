package import Localization

/// A page of the dashboard: the sections on one side, and blocks from data that the Management API returned.
package struct DashboardPage: Page {
    package struct Navigation: Sendable {
        package struct Link: Sendable {
            let words: LocalizedText
            let url: PageURL
            let isCurrent: Bool

            package init(_ words: LocalizedText, _ url: PageURL, isCurrent: Bool) {
                self.words = words
                self.url = url
                self.isCurrent = isCurrent
            }
        }

        let start: PageURL
        let groups: [(title: LocalizedText, links: [Link])]
        /// Name of the person.
        let person: String
        let logOut: PageForm?

        package init(
            start: PageURL, groups: [(title: LocalizedText, links: [Link])], person: String, logOut: PageForm?
        ) {
            self.start = start
            self.groups = groups
            self.person = person
            self.logOut = logOut
        }
    }

    package let title: LocalizedText
    /// The heading, if it is somebody else's text such as a name.
    package var name: String?
    package var lead: Words?
    package var blocks: [DashboardBlock]
    package var navigation: Navigation
    /// Outer pages, the outermost first.
    package var trail: [(words: Words, url: PageURL)] = []
    package var problem: LocalizedText?
    package var status: Int { failureStatus ?? (problems.isEmpty ? 200 : 400) }
    /// Nil for a page that shows no failure.
    package var failureStatus: Int?
    package var script: Asset?

    package init(
        _ title: LocalizedText, name: String? = nil, lead: Words? = nil, _ blocks: [DashboardBlock],
        navigation: Navigation, script: Asset?
    ) {
        self.title = title
        self.name = name
        self.lead = lead
        self.blocks = blocks
        self.navigation = navigation
        self.script = script
    }

    package var heading: HTML { HTML { if let name { Node.isolated(name) } else { title } } }
    package var isForLogin: Bool { false }
    package var layout: PageLayout { .dashboard(HTML { side }) }
    /// A change may have to be proven first, at another provider, too.
    package var formsLeadAway: Bool { true }

    package var problems: [Problem] {
        Components.problems(problem, blocks.flatMap(\.fields).map { ($0.name, $0.input.problem) })
    }

    package var content: HTML {
        HTML {
            if let lead { Components.lead(lead.node) }
            for block in blocks { block.nodes }
        }
    }

    package var sign: HTML {
        HTML {
            if !trail.isEmpty {
                Tag.nav(.classes("trail"), .label(localized.dashboard.frame.trail)) {
                    Tag.ol { for step in trail { Tag.li { Tag.a(.href(step.url)) { step.words.node } } } }
                }
            }
        }
    }

    @HTMLBuilder
    private var side: [Node] {
        Tag.nav(.id(ElementID.sections), .classes("side"), .label(localized.dashboard.frame.sections)) {
            Tag.a(.href(navigation.start), .classes("start")) { localized.dashboard.frame.title }
            for group in navigation.groups {
                Tag.h2 { group.title }
                Tag.ul {
                    for link in group.links {
                        Tag.li { Tag.a(.href(link.url), link.isCurrent ? .currentPage : nil) { link.words } }
                    }
                }
            }
            Tag.p(.classes("person")) { Node.isolated(navigation.person) }
            if let logOut = navigation.logOut {
                Components.form(logOut) { Components.submit(localized.dashboard.frame.logOut, .secondary) }
            }
        }
    }
}
