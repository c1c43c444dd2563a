import * as z from 'zod'
import { limitsSchema } from './limits.js'

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
