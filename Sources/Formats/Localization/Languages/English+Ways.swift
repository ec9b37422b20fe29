extension Texts.Ways {
    static let english = Texts.Ways(phoneAdded: { tenant, phone, link in
        Texts.Mail.Message(
            "\(tenant): a phone was added",
            """
            The phone “\(phone)” was added to your account at \(tenant). Another phone of yours added it. From now on it can \
            allow requests in your name.

            If this was you, there is nothing to do.
            If it was not, somebody had your phone in their hands. Remove the new phone, and the one that added it if \
            you no longer have it: \(link)
            """)
    })
}
