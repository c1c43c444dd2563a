'use strict'

const v8 = require('node:v8')

/**
 * Bytes of bytecode after whose execution V8 11 looks whether a function is worth optimizing: by itself it waits for
 * 67,584 three times over. Its next versions have a compiler between the baseline and the optimizing one, and gain
 * nothing here.
 */
const flags = ['--interrupt-budget=30000', '--ticks-before-optimization=1']

module.exports = {
  /**
   * Has V8 optimize code after a seventh of the usual time. A node that runs tests seldom lives long: most of what it is
   * asked would be answered by code that is interpreted (docs/guides/performance.md).
   */
  optimizeSooner() {
    if (!process.versions.v8.startsWith('11.')) return
    for (const flag of flags) v8.setFlagsFromString(flag)
  },
}
