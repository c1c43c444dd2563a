import * as z from 'zod'

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
