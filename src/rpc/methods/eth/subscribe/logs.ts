import { TurnQueue } from '../../../../encoding/timeSlice.js'
import { checkNewLogRange } from '../../../logQuery.js'
import { required } from '../../../method.js'
import { filter } from '../../../params/filter.js'
import { changedLogs, logChanges } from '../../../subscriptions/filters.js'
import { defineKind } from './kind.js'

/** What the subscriptions of a network wait in: of a thousand, each looks for logs in each block. */
const queues = new WeakMap<object, TurnQueue>()

function queueOf(events: object): TurnQueue {
  const queue = queues.get(events) ?? new TurnQueue()
  queues.set(events, queue)
  return queue
}

/** Pushes each new log that matches, one by one, and those that a reorganisation removed. */
export const logs = defineKind('logs', [required('filter', filter)], (call, criteria) => {
  checkNewLogRange(call, criteria)
  const { backend, report } = call
  return (push) => {
    const queue = queueOf(backend.events)
    return backend.events.subscribe((event) => {
      for (const change of logChanges(event)) {
        queue.add(
          async () => {
            for (const log of await changedLogs(backend.chain, change, criteria)) push([log])
          },
          (fault) => report('eth_subscribe', fault),
        )
      }
    })
  }
})
