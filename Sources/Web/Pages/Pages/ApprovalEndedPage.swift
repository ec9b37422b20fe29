package import Localization
package import Primitives

/// Tells how a request ended that needs no answer any more, and what it was about.
package struct ApprovalEndedPage: Page {
    package enum Ending: Sendable, CaseIterable {
        case allowed, rejected, reported, wrongNumber, withdrawn, expired

        /// A sentence.
        package var words: LocalizedText {
            switch self {
            case .allowed: localized.approval.allowed
            case .rejected: localized.approval.rejected
            case .reported: localized.card.reported
            case .wrongNumber: localized.card.wrongNumber
            case .withdrawn: localized.approval.withdrawn
            case .expired: localized.approval.expired
            }
        }
    }

    package let ending: Ending
    /// True if a phone or another browser has decided.
    package var isElsewhere = false
    /// Name of the application.
    package var client: String
    package var details: [JSONObject]
    /// The record's `presentation`: a node for each detail, or nothing.
    package var presentation: [JSONObject]

    package init(
        _ ending: Ending, isElsewhere: Bool = false, client: String, details: [JSONObject] = [],
        presentation: [JSONObject] = []
    ) {
        self.ending = ending
        self.isElsewhere = isElsewhere
        self.client = client
        self.details = details
        self.presentation = presentation
    }

    package var title: LocalizedText { ending.words }

    package var isForLogin: Bool { false }

    package var sign: HTML { HTML { if ending == .allowed { Components.sign(.done) } } }

    package var content: HTML {
        let headline = HeadlineLines(details: details, presentation: presentation)
        return HTML {
            if !headline.isEmpty { Tag.p(.classes("outcome")) { headline.html } }
            Tag.p { Node.phrase(localized.card.requestedBy, .isolated(client)) }
            if isElsewhere { Tag.p { localized.card.elsewhere } }
            Components.lead(advice)
        }
    }

    private var advice: LocalizedText {
        switch ending {
        case .allowed: localized.approval.allowedLead
        case .reported: localized.card.reportedLead
        case .wrongNumber: localized.card.wrongNumberLead
        case .rejected, .withdrawn, .expired: localized.approval.endedLead
        }
    }
}
