'use strict'

const v8 = require('node:v8')

/**
 * Makes V8 11 consider a function for optimization after 30,000 bytes of executed bytecode; by default it waits for
 * three times 67,584. Later versions have a mid-tier compiler and gain nothing from this.
 */
const FLAGS = ['--interrupt-budget=30000', '--ticks-before-optimization=1']

module.exports = {
  /**
   * Makes V8 optimize code after a seventh of the usual time; otherwise interpreted code would answer most requests of
   * a test suite (see docs/guides/performance.md). Call it after the start, which mostly runs code once: compiling that
   * would take processor time from the programs that wait for the node.
   */
  optimizeSooner() {
    if (!process.versions.v8.startsWith('11.')) return
    for (const flag of FLAGS) v8.setFlagsFromString(flag)
  },
}
