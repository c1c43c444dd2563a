import { expect, test } from 'vitest'
import { faultSchema } from './faultSchema.js'
import { scenarios } from './scenarios.js'

test.each(Object.entries(scenarios))('%s: its faults include all schema defaults', (_, { faults }) => {
  for (const fault of faults) expect(faultSchema.parse(fault)).toEqual(fault)
})
