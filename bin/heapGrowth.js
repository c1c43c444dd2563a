'use strict'

const { PerformanceObserver, constants } = require('node:perf_hooks')
const v8 = require('node:v8')

/** Percent of what is alive by which the heap may grow before V8 collects it: by itself it takes three hundred. */
const growth = 40
/**
 * Bytes by which it may grow where one collection follows another. Buffers of the network count as growth: with less,
 * an upload has the whole heap collected again and again before the young generation is, in which they die.
 */
const leastGrowth = 40 * 1024 * 1024
/** Milliseconds between two collections of the whole heap below which they follow one another. */
const quickly = 250
/** Bytes that are alive when the node has started. */
const aliveAtStart = 20 * 1024 * 1024

/** Sets how far the heap may grow: in proportion to what is alive, and by `least` bytes. */
function setGrowth(alive, least) {
  const percent = Math.max(growth, Math.round((100 * least) / alive))
  v8.setFlagsFromString(`--heap-growing-percent=${percent}`)
}

/**
 * How far V8's heap may grow between two collections of all of it, which decides most of the node's memory
 * (docs/guides/performance.md): little while a chain goes on, more while collections follow one another.
 */
module.exports = {
  /**
   * Sets the growth and follows the collections from now on. Not before the compiled code is kept: that is valid for
   * one set of flags.
   */
  followCollections() {
    setGrowth(aliveAtStart, leastGrowth)
    let last = -Infinity
    new PerformanceObserver((list) => {
      for (const { detail, startTime } of list.getEntries()) {
        if (detail.kind !== constants.NODE_PERFORMANCE_GC_MAJOR) continue
        setGrowth(v8.getHeapStatistics().used_heap_size, startTime - last < quickly ? leastGrowth : 0)
        last = startTime
      }
    }).observe({ entryTypes: ['gc'] })
  },
}
