package import Localization

/// Page of the link that an app should have opened at the end of a login.
package struct AppCallbackPage: Page {
    package init() {}

    package var title: LocalizedText { localized.ending.appTitle }
    package var holdsAnswer: Bool { true }

    package var content: HTML { HTML { Components.lead(localized.ending.appLead) } }
}
