extension NetworkReachability {
  /// What becomes of a target, to be iterated by any number of tasks.
  ///
  /// Each iteration is given all of it: the state that stands, as soon as one does, and then each
  /// change in order. Of changes that are not taken in time the newest hundred are kept. It ends with
  /// ``NetworkReachability/stop()``, and with the task; until then it keeps the instance alive.
  public struct Changes: AsyncSequence, Sendable {
    /// What is known of the target at one moment.
    public typealias Element = State
    /// Nothing fails: what cannot be known is a state.
    public typealias Failure = Never

    fileprivate let reachability: NetworkReachability

    /// Begins to listen.
    public func makeAsyncIterator() -> Iterator {
      Iterator(reachability, reachability.broadcast.makeStream().makeAsyncIterator())
    }

    /// One listener.
    public struct Iterator: AsyncIteratorProtocol {
      // Held so that what is listened to does not end while somebody listens.
      private let reachability: NetworkReachability
      private var stream: AsyncStream<State>.Iterator
      private var last: State?

      fileprivate init(_ reachability: NetworkReachability, _ stream: AsyncStream<State>.Iterator) {
        self.reachability = reachability
        self.stream = stream
      }

      /// The next state; nil at the end.
      public mutating func next() async -> State? { await next(isolation: nil) }

      /// The next state; nil at the end.
      public mutating func next(isolation actor: isolated (any Actor)?) async -> State? {
        while let state = await stream.next(isolation: actor) {
          // Where some were dropped, the next one may be no change.
          if let last, last.isAlike(state) { continue }
          last = state
          return state
        }
        return nil
      }
    }
  }

  /// What becomes of the target while it is watched; waits for ``start()`` where it is not.
  public var changes: Changes { Changes(reachability: self) }
}
