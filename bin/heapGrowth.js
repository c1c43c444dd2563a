'use strict'

const { PerformanceObserver, constants } = require('node:perf_hooks')
const v8 = require('node:v8')

/** Growth of the heap between two major collections, in percent of the live bytes. V8's default is 300. */
const GROWTH_PERCENT = 40
/**
 * Minimum growth in bytes while collections follow each other closely. Network buffers count as growth: with less, an
 * upload would cause one major collection after another before a minor one frees its buffers.
 */
const MIN_GROWTH_BYTES = 40 * 1024 * 1024
/** Two major collections within this many milliseconds follow each other closely. */
const CLOSE_MILLISECONDS = 250
/** Approximate live bytes of a node that has just started. */
const LIVE_BYTES_AT_START = 20 * 1024 * 1024

/** Lets the heap grow in proportion to its live bytes, but by at least `minimum` bytes. */
function setGrowth(liveBytes, minimum) {
  const percent = Math.max(GROWTH_PERCENT, Math.round((100 * minimum) / liveBytes))
  v8.setFlagsFromString(`--heap-growing-percent=${percent}`)
}

/**
 * Limits how far V8's heap grows between two major collections, which determines most of the node's memory use (see
 * docs/guides/performance.md): little under a steady load, more while collections follow each other closely.
 */
module.exports = {
  /**
   * Sets the growth and adjusts it after each major collection. Call it only after the code cache is stored, which is
   * valid for one set of flags.
   */
  followCollections() {
    setGrowth(LIVE_BYTES_AT_START, MIN_GROWTH_BYTES)
    let last = -Infinity
    new PerformanceObserver((list) => {
      for (const { detail, startTime } of list.getEntries()) {
        if (detail.kind !== constants.NODE_PERFORMANCE_GC_MAJOR) continue
        setGrowth(
          v8.getHeapStatistics().used_heap_size,
          startTime - last < CLOSE_MILLISECONDS ? MIN_GROWTH_BYTES : 0,
        )
        last = startTime
      }
    }).observe({ entryTypes: ['gc'] })
  },
}
