extension Texts.Card {
    static let german = Texts.Card(
        says: { "\($0) schreibt:" },
        saysQuoted: { "\($0) schreibt: „\($1)“" },
        several: { "\($0) insgesamt, unten einzeln" },
        requestedBy: { "Angefragt von \($0)" },
        allow: { "\($0) erlauben" },
        allowByNumber: { "\($0) mit der Zahl \($1) erlauben" },
        question: { "\($0) erlauben? Mit m melden Sie: Das war ich nicht." },
        whichNumber: {
            "Welche Zahl zeigt die Anwendung? Sie erlaubt \($0). n lehnt ab, m meldet: Das war ich nicht."
        },
        questionAll: { "Alle erlauben, \($0)? e fragt einzeln, m meldet: Das war ich nicht." },
        unread: { "Noch zu lesende Teile: \($0)" },
        nextPart: "Nächster Teil",
        notRead: "Lesen Sie zuerst die ganze Anfrage, bestätigen Sie das, und wählen Sie dann noch einmal.",
        readAll: { "Ich habe alle \($0) Teile gelesen" },
        timeLeft: { "Verbleibende Zeit: \($0)" },
        until: { "Ende: \($0)" },
        reported: "Diese Anfrage wurde abgelehnt und gemeldet",
        reportedLead:
            "Der Betreiber dieses Dienstes weiß davon. Die Anwendung muss warten, bis sie wieder fragen darf.",
        wrongNumber: "Diese Anfrage wurde abgelehnt: Der andere Bildschirm zeigte eine andere Zahl",
        wrongNumberLead:
            "Vielleicht hat jemand anderes in Ihrem Namen gefragt. Wenn Sie es waren, beginnen Sie von vorn.",
        elsewhere: "Die Antwort kam von einem Telefon oder aus einem anderen Browser.")
}
