extension Texts.Ways {
    static let german = Texts.Ways(phoneAdded: { tenant, phone, link in
        Texts.Mail.Message(
            "\(tenant): ein Telefon wurde hinzugefügt",
            """
            Das Telefon „\(phone)“ wurde zu Ihrem Konto bei \(tenant) hinzugefügt, von einem anderen Ihrer Telefone aus. Es \
            kann ab jetzt Anfragen in Ihrem Namen erlauben.

            Wenn Sie das waren, ist nichts zu tun.
            Wenn nicht, hatte jemand Ihr Telefon in der Hand. Entfernen Sie das neue Telefon, und das, von dem aus es \
            hinzugefügt wurde, falls Sie es nicht mehr haben: \(link)
            """)
    })
}
