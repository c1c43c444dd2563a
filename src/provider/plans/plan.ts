import * as z from 'zod'

const perSecond = z.int().min(0)

/** Rates and monthly quotas of the file network. A quota of 0 blocks; an absent one is unlimited. */
const filePlanSchema = z.strictObject({
  writesPerSecond: perSecond.default(150),
  readsPerSecond: perSecond.default(1500),
  /** Maximum bytes stored in total. */
  storage: z.int().min(0).optional(),
  /** Bytes per month. */
  upload: z.int().min(0).optional(),
  /** Bytes per month. */
  download: z.int().min(0).optional(),
})

const count = z.int().min(1)

/** Limits of answers and transports that a plan or key may override, named like the node's options. */
export const limitsSchema = z.strictObject({
  /** Maximum number of logs per query. */
  logsMaxResults: count.optional(),
  /** Maximum duration of a log query in milliseconds. */
  logsTimeoutMs: z.int().min(0).optional(),
  /** Maximum number of addresses and topics per log query. */
  logsMaxParameters: count.optional(),
  /** Maximum block range of a log query. */
  logsMaxRange: count.optional(),
  /** Gas cap of calls and estimates, as a multiple of the block gas limit. */
  gasCapBlocks: count.optional(),
  /** Maximum length of a JSON-RPC body in bytes. */
  maxBody: count.optional(),
  /** Maximum number of items in a batch. */
  maxBatch: count.optional(),
  /** Maximum length of a WebSocket message in bytes. */
  maxMessage: count.optional(),
  /** Maximum length of a file request in bytes. */
  maxUpload: count.optional(),
})

/** See {@link limitsSchema}. */
export type Limits = z.infer<typeof limitsSchema>

/** What a plan grants. Credits are the provider's unit of cost. */
export const planSchema = z.strictObject({
  creditsPerDay: z.int().min(0),
  creditsPerSecond: z.int().min(1),
  /** Whether estimates and proofs go to the partner during an outage. */
  failover: z.boolean().default(false),
  /** Whether the key's secret overrides its allowlists. */
  secretOverridesAllowlists: z.boolean().default(true),
  limits: limitsSchema.default({}),
  files: filePlanSchema.default(filePlanSchema.parse({})),
})

/** See {@link planSchema}. */
export type Plan = z.infer<typeof planSchema>

/** Defaults of the plan schema. */
const usual = {
  failover: false,
  secretOverridesAllowlists: true,
  limits: {},
  files: { writesPerSecond: 150, readsPerSecond: 1500 },
}

/**
 * Plans of the hosted provider's price list. `growth` has no published quotas; using those of `team` is our choice. The
 * keys file may redefine `custom`.
 */
export const knownPlans: Readonly<Record<string, Plan>> = {
  free: { ...usual, creditsPerDay: 3_000_000, creditsPerSecond: 500, secretOverridesAllowlists: false },
  developer: { ...usual, creditsPerDay: 15_000_000, creditsPerSecond: 4_000 },
  team: { ...usual, creditsPerDay: 75_000_000, creditsPerSecond: 40_000 },
  growth: { ...usual, creditsPerDay: 75_000_000, creditsPerSecond: 40_000, failover: true },
  custom: { ...usual, creditsPerDay: 1_000_000_000, creditsPerSecond: 400_000, failover: true },
}
