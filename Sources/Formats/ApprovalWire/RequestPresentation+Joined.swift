extension RequestPresentation {
    /// Several requests that are decided together.
    package init(joining requests: [RequestPresentation]) { details = requests.flatMap(\.details) }
}
