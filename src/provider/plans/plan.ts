import * as z from 'zod'

const perSecond = z.int().min(0)

/** Rates and monthly quotas of the file network. A quota of 0 blocks, none is no quota. */
export const filePlanSchema = z.strictObject({
  writesPerSecond: perSecond.default(150),
  readsPerSecond: perSecond.default(1500),
  /** Bytes that may be uploaded in all. */
  storage: z.int().min(0).optional(),
  /** Bytes a month. */
  upload: z.int().min(0).optional(),
  /** Bytes a month. */
  download: z.int().min(0).optional(),
})

const count = z.int().min(1)

/**
 * Limits of answers and transports that a plan or a key may set for itself, under the names of the node's options;
 * what neither sets is the node's.
 */
export const limitsSchema = z.strictObject({
  /** Most logs of one query. */
  logsMaxResults: count.optional(),
  /** Longest time of one log query, in milliseconds. */
  logsTimeoutMs: z.int().min(0).optional(),
  /** Most addresses and topics of one log query. */
  logsMaxParameters: count.optional(),
  /** Longest block range of one log query. */
  logsMaxRange: count.optional(),
  /** Most gas of a call or estimate, as a multiple of the block gas limit. */
  gasCapBlocks: count.optional(),
  /** Longest body of a JSON-RPC request, in bytes. */
  maxBody: count.optional(),
  /** Most items of a batch. */
  maxBatch: count.optional(),
  /** Longest WebSocket message, in bytes. */
  maxMessage: count.optional(),
  /** Longest request to the file network, in bytes. */
  maxUpload: count.optional(),
})

/** See {@link limitsSchema}. */
export type Limits = z.infer<typeof limitsSchema>

/** What a plan grants. Credits are the provider's unit of cost. */
export const planSchema = z.strictObject({
  creditsPerDay: z.int().min(0),
  creditsPerSecond: z.int().min(1),
  /** Whether an outage sends estimates and proofs to the partner. */
  failover: z.boolean().default(false),
  /** Whether the key's secret overrides its allowlists. */
  secretOverridesAllowlists: z.boolean().default(true),
  limits: limitsSchema.default({}),
  files: filePlanSchema.default(filePlanSchema.parse({})),
})

/** See {@link planSchema}. */
export type Plan = z.infer<typeof planSchema>

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
