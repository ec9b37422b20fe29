extension Texts.Card {
    static let english = Texts.Card(
        says: { "\($0) says:" },
        saysQuoted: { "\($0) says: “\($1)”" },
        several: { "\($0) in all, each shown below" },
        requestedBy: { "Asked by \($0)" },
        allow: { "Allow \($0)" },
        allowByNumber: { "Allow \($0) with the number \($1)" },
        question: { "Allow \($0)? Answer r if you did not ask for this." },
        whichNumber: {
            "Which number does the application show? It allows \($0). Answer n to reject, r if you did not ask for this."
        },
        questionAll: { "Allow all, \($0)? Answer e to decide one by one, r if you did not ask for these." },
        unread: { "Parts still to read: \($0)" },
        nextPart: "Next part",
        notRead: "Read the whole request first, then say so and choose again.",
        readAll: { "I have read all \($0) parts" },
        timeLeft: { "Time left: \($0)" },
        until: { "Ends on \($0)" },
        reported: "This request was rejected and reported",
        reportedLead: "The people who run this service were told. The application has to wait before it can ask again.",
        wrongNumber: "This request was rejected: the other screen showed another number",
        wrongNumberLead: "Somebody else may have asked in your name. If it was you, start again.",
        elsewhere: "It was answered on a phone or in another browser.")
}
