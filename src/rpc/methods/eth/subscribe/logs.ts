import { checkNewLogRange } from '../../../logQuery.js'
import { required } from '../../../method.js'
import { filter } from '../../../params/filter.js'
import { changedLogs, logChanges } from '../../../subscriptions/logs.js'
import { defineKind } from './kind.js'

/** Pushes each new log that matches, one by one, and those that a reorganisation removed. */
export const logs = defineKind('logs', [required('filter', filter)], (call, criteria) => {
  checkNewLogRange(call, criteria)
  const { backend, report } = call
  return (push) => {
    let last: Promise<void> = Promise.resolve()
    return backend.events.subscribe((event) => {
      for (const change of logChanges(event)) {
        last = last
          .then(async () => {
            for (const log of await changedLogs(backend.chain, change, criteria)) push([log])
          })
          .catch((fault: unknown) => report('eth_subscribe', fault))
      }
    })
  }
})
