package import Localization

/// Says that the new password holds, and how to go on.
package struct PasswordChangedPage: Page {
    /// The page where a login begins. Nil if that is not known.
    package var goOn: PageURL?

    package init(goOn: PageURL? = nil) { self.goOn = goOn }

    package var title: LocalizedText { localized.password.changed }

    package var sign: HTML { HTML { Components.sign(.done) } }

    package var content: HTML {
        HTML {
            if let goOn {
                Components.lead(
                    localized.password.changedLogIn)
                Components.buttonLink(goOn, .primary) { localized.form.logIn }
            } else {
                Components.lead(localized.password.changedEnd)
            }
        }
    }
}
