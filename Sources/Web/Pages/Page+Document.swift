import Localization

extension Page {
    /// The page as UTF-8.
    package func html(in frame: PageFrame) -> [UInt8] {
        HTMLWriter.document(document(in: frame.fitted(to: self)), in: frame.language)
    }

    private func document(in frame: PageFrame) -> Node {
        Tag.html(.lang(frame.language)) {
            Tag.head {
                Tag.meta(.utf8)
                Tag.title { documentTitle(in: frame) }
                // Before the stylesheet, which would delay the script.
                if let inlineScript { Node.script(inlineScript) }
                Tag.meta(.meta("viewport"), .content("width=device-width, initial-scale=1"))
                Tag.meta(.meta("color-scheme"), .content("light dark"))
                Tag.link(.stylesheet, .href(PageURL(path: frame.assets.stylesheet(frame.branding.colour).path)))
                if case .dashboard = layout {
                    Tag.link(.stylesheet, .href(PageURL(path: frame.assets.dashboardStylesheet.path)))
                }
                if let logo = frame.branding.logo, logo.isWeb { Tag.link(.icon, .href(logo)) }
                if let script { Tag.script(.src(PageURL(path: script.path)), .defer) }
                if let waiting = frame.waiting {
                    Tag.script(
                        .src(PageURL(path: frame.assets.waitingScript.path)), .defer, .page(waiting.page),
                        .polled(waiting.polled))
                    Tag.noscript { Tag.meta(.refresh, .content("\(Waiting.pause); url=\(waiting.followed.text)")) }
                }
            }
            Tag.body(bodyClass) {
                // Skips to the problems if the page has any.
                Tag.a(.classes("skip"), .href(id: problems.isEmpty ? ElementID.main : ElementID.problems)) {
                    problems.isEmpty
                        ? localized.frame.skipToContent
                        : localized.frame.skipToProblem
                }
                header(frame.branding)
                Tag.main(.id(ElementID.main), .focusable) {
                    sign
                    Tag.h1 { heading }
                    summary
                    content
                }
                if case .dashboard(let side) = layout { side }
                footer(frame)
            }
        }
    }

    private var bodyClass: Attribute? {
        if case .dashboard = layout { .classes("dashboard") } else { nil }
    }

    /// Puts the problem first, since screen readers read a new page's title first.
    @HTMLBuilder
    private func documentTitle(in frame: PageFrame) -> [Node] {
        if problems.isEmpty {
            title
            Node.text(" – \(frame.branding.name)")
        } else {
            Node.phrase(localized.frame.titleWithProblem, .words(title), .text(frame.branding.name))
        }
    }

    private func header(_ branding: Branding) -> Node {
        Tag.header {
            if let logo = branding.logo, logo.isWeb {
                // The name is beside the logo.
                Tag.img(.classes("logo"), .src(logo), .alt(""))
            }
            Tag.span(.classes("tenant")) { Node.isolated(branding.name) }
            if case .dashboard = layout {
                // For narrow screens, where the sections stand below the page.
                Tag.a(.href(id: ElementID.sections), .classes("to-sections")) { localized.dashboard.frame.sections }
            }
        }
    }

    @HTMLBuilder
    private var summary: [Node] {
        if !problems.isEmpty {
            Tag.div(.id(ElementID.problems), .classes("problems"), .role(.alert), .focusable) {
                Tag.p { Tag.strong { localized.frame.problem } }
                Tag.ul {
                    for problem in problems {
                        Tag.li {
                            if let field = problem.field {
                                Tag.a(.href(id: field)) { problem.text }
                            } else {
                                problem.text
                            }
                        }
                    }
                }
            }
        }
    }

    private func footer(_ frame: PageFrame) -> Node {
        Tag.footer {
            Tag.p {
                if isForLogin {
                    Node.phrase(localized.frame.service, .isolated(frame.branding.name))
                } else {
                    Node.isolated(frame.branding.name)
                }
            }
            if !frame.links.isEmpty {
                Tag.nav(.label(localized.frame.about)) {
                    Tag.ul {
                        for link in frame.links {
                            Tag.li { Tag.a(.href(link.url)) { link.kind.words } }
                        }
                    }
                }
            }
            if !frame.translations.isEmpty {
                Tag.nav(.label(localized.frame.language)) {
                    Tag.ul {
                        for translation in frame.translations {
                            Tag.li {
                                Tag.a(
                                    .href(translation.url), .lang(translation.language), .hreflang(translation.language)
                                ) { Node.text(translation.language.name) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Ids that more than one element uses.
enum ElementID {
    static let main = "main"
    static let problems = "problems"
    static let sections = "sections"
}
