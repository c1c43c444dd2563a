import type { Plan } from './plan.js'

/** What all plans grant unless they say otherwise: the defaults of their schema. */
const usual = {
  failover: false,
  secretOverridesAllowlists: true,
  limits: {},
  files: { writesPerSecond: 150, readsPerSecond: 1500 },
}

/**
 * The plans of the hosted provider's price list. `growth` has no published quotas: those of `team` are a choice of
 * ours. `custom` is what the keys file makes of it.
 */
export const knownPlans: Readonly<Record<string, Plan>> = {
  free: { ...usual, creditsPerDay: 3_000_000, creditsPerSecond: 500, secretOverridesAllowlists: false },
  developer: { ...usual, creditsPerDay: 15_000_000, creditsPerSecond: 4_000 },
  team: { ...usual, creditsPerDay: 75_000_000, creditsPerSecond: 40_000 },
  growth: { ...usual, creditsPerDay: 75_000_000, creditsPerSecond: 40_000, failover: true },
  custom: { ...usual, creditsPerDay: 1_000_000_000, creditsPerSecond: 400_000, failover: true },
}
