import { defineMethod } from '../../method.js'

/** hardhat_getStackTraceFailuresCount: none, because no stack traces are made. */
export const getStackTraceFailuresCount = defineMethod('hardhat_getStackTraceFailuresCount', [], () => 0)
