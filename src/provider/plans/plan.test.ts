import { expect, test } from 'vitest'
import { knownPlans, planSchema } from './plan.js'

test.each(Object.entries(knownPlans))('%s includes all schema defaults', (_, plan) => {
  const { creditsPerDay, creditsPerSecond, failover, secretOverridesAllowlists } = plan
  const grants = { creditsPerDay, creditsPerSecond, failover, secretOverridesAllowlists }
  expect(planSchema.parse(grants)).toEqual(plan)
})
