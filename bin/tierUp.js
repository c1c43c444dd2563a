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
   * Has V8 optimize code after a seventh of the usual time: most of what tests ask of a node would be answered by code
   * that is interpreted (docs/guides/performance.md). Not from the start on: the first second is mostly code that runs
   * once, and compiling it would take the other processors from those who wait for the node.
   */
  optimizeSooner() {
    if (!process.versions.v8.startsWith('11.')) return
    for (const flag of flags) v8.setFlagsFromString(flag)
  },
}
