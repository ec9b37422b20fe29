extension Texts.Consent {
    static let english = Texts.Consent(
        title: "Allow access?",
        heading: { "Allow \($0)?" },
        asksForAccount: { "\($0) asks for access to your account." },
        asksForAPI: { "\($0) asks to use \($1) in your name." },
        able: "This application will be able to",
        inDetail: "In detail",
        offline: "This access goes on when you are not using the application. To end it, ask the people who run this "
            + "service.",
        deny: "Deny",
        allow: "Allow",
        destination: { "Either way, you then go back to \($0)." },
        none: "none",
        yes: "yes",
        no: "no",
        scopes: Texts.Consent.Scopes(
            openid: "Know that it is you",
            profile: "See your name and profile",
            email: "See your e-mail address",
            address: "See your postal address",
            phone: "See your phone number",
            name: "See your name",
            givenName: "See your first name",
            familyName: "See your last name",
            nickname: "See your nickname",
            picture: "See your picture",
            createdAt: "See when your account was created",
            emailVerified: "See whether your e-mail address was checked"))
}
