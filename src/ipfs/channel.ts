/** A queue between one producer and one consumer: whoever is ahead waits. */
export interface Channel<T> {
  /** Settled once there is room for one more. */
  send(value: T): Promise<void>
  close(): void
  /** Ends the channel for the consumer with an error, after what was sent before. */
  fail(error: unknown): void
  /** What was sent, in order. */
  receive(): AsyncGenerator<T>
}

/** A channel that holds a number of values before the producer has to wait. */
export function createChannel<T>(capacity: number): Channel<T> {
  const queue: T[] = []
  let end: { error?: unknown; failed: boolean } | undefined
  let abandoned = false
  let wakeConsumer = (): void => undefined
  let wakeProducer = (): void => undefined

  return {
    async send(value) {
      if (abandoned) throw new Error('nobody receives any more')
      queue.push(value)
      wakeConsumer()
      while (queue.length > capacity && !abandoned) {
        await new Promise<void>((resolve) => (wakeProducer = resolve))
      }
      if (abandoned) throw new Error('nobody receives any more')
    },
    close() {
      end ??= { failed: false }
      wakeConsumer()
    },
    fail(error) {
      end ??= { failed: true, error }
      wakeConsumer()
    },
    async *receive() {
      try {
        for (;;) {
          const [value] = queue
          if (queue.length > 0) {
            queue.shift()
            wakeProducer()
            yield value as T
          } else if (end) {
            if (end.failed) throw end.error
            return
          } else {
            await new Promise<void>((resolve) => (wakeConsumer = resolve))
          }
        }
      } finally {
        abandoned = true
        wakeProducer()
      }
    },
  }
}

/** Lines that become known together, at most. */
const linesPerGroup = 256
/** Groups that may wait for their blocks to be stored before the producer has to wait too. */
const groupsInFlight = 16

/** Values that may be told of once something is safe, from one producer to one consumer, in order. */
export interface LineQueue<T> {
  /** Adds a value. Settled once there is room for more, undefined when there is already. */
  send(value: T, safe: Promise<void>): Promise<void> | undefined
  close(): void
  /** Ends the queue for the consumer with an error, after what was sent before. */
  fail(error: unknown): void
  /** What was sent and is safe; together what became so at once. */
  receive(): AsyncGenerator<T[]>
}

interface Group<T> {
  values: T[]
  safe: Promise<void>
  isTaken: boolean
}

/** An empty queue. Values that are sent with the same promise, one after the other, are received together. */
export function createLineQueue<T>(): LineQueue<T> {
  const channel = createChannel<Group<T>>(groupsInFlight)
  let last: Group<T> | undefined
  return {
    send(value, safe) {
      if (last?.safe === safe && !last.isTaken && last.values.length < linesPerGroup) {
        last.values.push(value)
        return undefined
      }
      safe.catch(() => undefined)
      last = { values: [value], safe, isTaken: false }
      return channel.send(last)
    },
    close: () => channel.close(),
    fail: (error) => channel.fail(error),
    async *receive() {
      for await (const group of channel.receive()) {
        await group.safe
        group.isTaken = true
        yield group.values
      }
    },
  }
}
