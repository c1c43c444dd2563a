'use strict'

const { performance } = require('node:perf_hooks')

const WINDOW_MILLISECONDS = 250
const MAX_WINDOWS = 40
/** Maximum utilization of the event loop in a quiet window. */
const QUIET_UTILIZATION = 0.1

module.exports = {
  /** Calls back once the process is nearly idle, after ten seconds at the latest. */
  atQuietMoment(callback) {
    let before = performance.eventLoopUtilization()
    let windows = 0
    const timer = setInterval(() => {
      const now = performance.eventLoopUtilization()
      const { utilization } = performance.eventLoopUtilization(now, before)
      before = now
      windows++
      if (utilization > QUIET_UTILIZATION && windows < MAX_WINDOWS) return
      clearInterval(timer)
      callback()
    }, WINDOW_MILLISECONDS).unref()
  },
}
