import type { Random } from '../support/random.js'
import type { PeerAnswer, PeerRequest } from './http.js'
import type { Upload } from './uploads.js'

/** A sequence of requests that may build on earlier answers. */
export type Scene = Generator<PeerRequest, void, PeerAnswer>

/** Functions that scenes use from the generator. */
export interface SceneContext {
  random: Random
  /** Returns a CID from earlier answers, or an unknown or invalid one. */
  cid(): string
  /** Any request to an operation. */
  command(operation: string): PeerRequest
  /** A request to the gateway for content below a root. */
  gateway(root: string): PeerRequest
  cars: readonly Buffer[]
}

export type Parameters = readonly (readonly [string, string])[]

/** Makes a request to an operation with these arguments and options. */
export function request(operation: string, query: Parameters, upload?: Upload): PeerRequest {
  const text = query.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join('&')
  return {
    to: 'api',
    method: 'POST',
    target: `/api/v0/${operation}${text === '' ? '' : `?${text}`}`,
    headers: { ...upload?.headers },
    ...(upload && { body: upload.body }),
  }
}
