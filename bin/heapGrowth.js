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
/** Maximum size of the young generation in bytes, both halves together. V8's own is 32 MiB. */
const MAX_YOUNG_BYTES = 16 * 1024 * 1024

/** Sets the growth, which counts from the next major collection on: each one computes the limit until the one after it. */
function setGrowth(percent) {
  v8.setFlagsFromString(`--heap-growing-percent=${percent}`)
}

/** Lets the young generation grow to its maximum; V8 doubles it, and shrinks it only when the node is idle. */
class YoungGeneration {
  #canGrow = true

  adjust() {
    const { space_size: bytes } = v8
      .getHeapSpaceStatistics()
      .find(({ space_name: name }) => name === 'new_space')
    this.#letGrow(2 * bytes <= MAX_YOUNG_BYTES)
  }

  /** Runs a function under V8's own flags. */
  suspend(run) {
    this.#letGrow(true)
    run()
    this.adjust()
  }

  #letGrow(canGrow) {
    if (canGrow === this.#canGrow) return
    this.#canGrow = canGrow
    v8.setFlagsFromString(`--semi-space-growth-factor=${canGrow ? 2 : 1}`)
  }
}

/** Limits how far V8's heap grows, which determines how long collections take, and most of the node's memory use. */
module.exports = {
  /**
   * Limits the young generation, all of which may be in use and is then copied in one step.
   *
   * @returns a function that runs another one with the flags of a start, on which the code cache depends
   */
  limitYoungGeneration() {
    const young = new YoungGeneration()
    young.adjust()
    new PerformanceObserver(() => young.adjust()).observe({ entryTypes: ['gc'] })
    return (run) => young.suspend(run)
  },

  /**
   * Limits the growth between two major collections: little under a steady load, more while collections follow each
   * other closely. Call it only after the code cache is stored, which is valid for one set of flags.
   */
  followCollections() {
    setGrowth(GROWTH_PERCENT)
    let last = -Infinity
    new PerformanceObserver((list) => {
      for (const { detail, startTime } of list.getEntries()) {
        if (detail.kind !== constants.NODE_PERFORMANCE_GC_MAJOR) continue
        const minimum = startTime - last < CLOSE_MILLISECONDS ? MIN_GROWTH_BYTES : 0
        const { used_heap_size: liveBytes } = v8.getHeapStatistics()
        setGrowth(Math.max(GROWTH_PERCENT, Math.round((100 * minimum) / liveBytes)))
        last = startTime
      }
    }).observe({ entryTypes: ['gc'] })
  },
}
