import type { ExpectedDifference } from '../support/classes.js'

/** What is meant to differ from geth, with the reason. */
export const expectedDifferences: readonly ExpectedDifference[] = []
