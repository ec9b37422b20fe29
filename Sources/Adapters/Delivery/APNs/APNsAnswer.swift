import HTTPModel
import Primitives

/// Answer of Apple's push service to a message that it does not take.
struct APNsAnswer {
    let meaning: APNsReason.Meaning
    /// Status and reason.
    let text: String
    let timestamp: Int?
    /// True if Apple finds the time of this machine wrong.
    let isOfClock: Bool

    init(_ answer: ClientResponse) {
        let body = (try? JSONReader.parse(answer.body, depthLimit: 4))?.objectValue
        let reason = body?["reason"]?.stringValue.flatMap(APNsReason.init(rawValue:))
        meaning = reason?.meaning ?? APNsReason.meaning(ofStatus: answer.status)
        text = "Apple's push service answered \(answer.status)" + (reason.map { " \($0.rawValue)" } ?? "")
        timestamp = body?["timestamp"]?.intValue
        isOfClock = reason == .expiredProviderToken
    }
}
