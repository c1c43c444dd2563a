import { expect, test } from 'vitest'
import { knownPlans, planSchema } from './plan.js'

test.each(Object.entries(knownPlans))('%s: the schema has nothing to add', (_, plan) => {
  const { creditsPerDay, creditsPerSecond, failover, secretOverridesAllowlists } = plan
  const grants = { creditsPerDay, creditsPerSecond, failover, secretOverridesAllowlists }
  expect(planSchema.parse(grants)).toEqual(plan)
})
