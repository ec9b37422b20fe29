package import Localization

/// Confirms the new password, and leads on to the login.
package struct PasswordChangedPage: Page {
    /// Page where a login begins. Nil means that it is unknown.
    package var goOn: PageURL?

    package init(goOn: PageURL? = nil) { self.goOn = goOn }

    package var title: LocalizedText { localized.password.changed }

    package var sign: HTML { HTML { Components.sign(.done) } }

    package var content: HTML {
        HTML {
            if let goOn {
                Components.lead(localized.password.changedLogIn)
                Components.buttonLink(goOn, .primary) { localized.form.logIn }
            } else {
                Components.lead(localized.password.changedEnd)
            }
        }
    }
}
