/// A span of time as people say it, rounded up: nobody should come too early.
enum TimeSpan {
    /// Each of at least one unit; nil leaves the smaller part out.
    case seconds(Int)
    case minutes(Int)
    case hours(Int, minutes: Int?)
    case days(Int)

    init(seconds: Int) {
        let minutes = (seconds + 59) / 60
        let (hours, rest) = minutes.quotientAndRemainder(dividingBy: 60)
        self =
            if seconds < 60 {
                .seconds(max(seconds, 1))
            } else if hours == 0 {
                .minutes(minutes)
            } else if hours < 48 {
                .hours(hours, minutes: rest == 0 ? nil : rest)
            } else {
                .days((minutes + 1439) / 1440)
            }
    }
}
