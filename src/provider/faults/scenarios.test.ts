import { expect, test } from 'vitest'
import { faultSchema } from './faultSchema.js'
import { scenarios } from './scenarios.js'

test.each(Object.entries(scenarios))('%s: the schema has nothing to add to its faults', (_, { faults }) => {
  for (const fault of faults) expect(faultSchema.parse(fault)).toEqual(fault)
})
