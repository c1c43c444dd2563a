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
