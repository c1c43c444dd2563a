'use strict'

const { performance } = require('node:perf_hooks')

/** Milliseconds in which hardly anything is done, and how often that is looked for at most. */
const [window, mostWindows] = [250, 40]
/** The share of them that the process may work. */
const quiet = 0.1

module.exports = {
  /** Calls back once, when hardly anything is done; after ten seconds in any case. */
  atQuietMoment(callback) {
    let before = performance.eventLoopUtilization()
    let windows = 0
    const timer = setInterval(() => {
      const now = performance.eventLoopUtilization()
      const { utilization } = performance.eventLoopUtilization(now, before)
      before = now
      windows++
      if (utilization > quiet && windows < mostWindows) return
      clearInterval(timer)
      callback()
    }, window).unref()
  },
}
