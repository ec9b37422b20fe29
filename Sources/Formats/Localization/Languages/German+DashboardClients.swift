extension Texts.Dashboard.Clients {
    static let german = Texts.Dashboard.Clients(
        newAgent: "Neuer Agent",
        agentLead:
            "Bittet Menschen um Freigabe dessen, was er tut (CIBA). Er hat ein Secret und bekommt Tokens für die Person, die erlaubt hat.",
        newWeb: "Neue Website",
        webLead: "Ein Server hinter Webseiten, bei denen sich Menschen anmelden. Er bewahrt ein Secret.",
        newNative: "Neue App",
        nativeLead:
            "Eine App auf dem Telefon oder Schreibtisch, oder Skripte einer Seite. Sie bewahrt kein Secret und weist sich mit PKCE aus.",
        newMachine: "Neue Maschine",
        machineLead:
            "Ein Programm, das im eigenen Namen handelt, ohne Menschen. Geben Sie ihm danach Zugriff auf eine API.",
        none: "Es gibt keine Clients. Wählen Sie, was der erste ist.",
        clientID: "Client-Kennung",
        secret: "Client-Secret",
        secretOnce:
            "Dieses Secret wird nur jetzt gezeigt und nie wieder. Kopieren Sie es dorthin, wo der Client es aufbewahrt.",
        noSecret: "Der Client hat kein Secret.",
        open: "Client öffnen",
        rotate: "Secret ersetzen",
        rotateLead: "Das alte Secret gilt sofort nicht mehr.",
        channels: "Kanäle und Freigaben",
        keys: "Schlüssel und Zertifikate",
        noKeys: "Der Client hat keine. Ein eigener Schlüssel beweist mehr als ein Secret (private_key_jwt).",
        newKey: "Schlüssel hinzufügen",
        removeKey: "Schlüssel entfernen",
        access: "Zugriff auf APIs",
        noAccess: "Der Client hat keinen Zugriff. Tokens für sich selbst bekommt er nur damit.",
        newAccess: "Zugriff geben",
        connections: "Verbindungen",
        noConnections: "Über keine Verbindung kann man sich bei ihm anmelden.",
        type: "Art",
        grantTypes: "Grant-Typen",
        created: "Hinzugefügt",
        tryIt: "Ausprobieren",
        tryLead:
            "Sendet Ihnen selbst eine Anfrage dieses Clients, in seinem Namen und ohne sein Secret. Das Protokoll nennt Sie dabei.",
        tried: "Die Anfrage ist unterwegs zu Ihnen. Verfolgen Sie sie auf ihrer Seite.",
        follow: "Anfrage öffnen",
        approve: "Auf der Seite entscheiden",
        fromProgram: "Dasselbe aus einem Programm",
        withCurl: "Mit curl",
        withPython: "In Python",
        withTypeScript: "In TypeScript",
        editScopes: "Scopes ändern",
        noScopes: "Die API hat keine Scopes. Ein Scope ist ein Recht, das ein Token haben kann.",
        types: "Typen von authorization_details",
        noTypes:
            "Die API hat keine Typen. Ein Typ sagt, worum eine Anfrage bitten darf, etwa eine Zahlung, und wie die Karte es zeigt.",
        editTypes: "Typen und ihre Schemas ändern",
        typesLead:
            "Eine Liste von Objekten mit type und schema. Jedes Schema ist JSON Schema. Der Server sagt neben dem Feld, was daran falsch ist.",
        preview: "Vorschau der Karte",
        sample: "Ein Beispiel der Angaben, als JSON",
        sampleLead: "Die Karte, wie Telefone, Seiten und Mails sie zeigen, in jeder Sprache.",
        noSample: "Geben Sie ein Beispiel ein: Aus dem Schema lässt sich keines bilden.",
        badSample: "Das ist kein JSON-Objekt.")
}
