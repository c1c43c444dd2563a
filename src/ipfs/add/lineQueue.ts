import { createChannel } from '../channel.js'

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
