extension Texts.Ways {
    static let french = Texts.Ways(phoneAdded: { tenant, phone, link in
        Texts.Mail.Message(
            "\(tenant) : un téléphone a été ajouté",
            """
            Le téléphone « \(phone) » a été ajouté à votre compte chez \(tenant), depuis un autre de vos téléphones. Il peut \
            désormais autoriser des demandes en votre nom.

            Si c’était vous, il n’y a rien à faire.
            Sinon, quelqu’un a eu votre téléphone en main. Retirez le nouveau téléphone, et celui qui l’a ajouté si vous \
            ne l’avez plus : \(link)
            """)
    })
}
