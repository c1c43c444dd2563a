import type { ApiKey } from '../keys/apiKey.js'
import type { KeyStore } from '../keys/keyStore.js'
import type { Refusal } from './refusal.js'

/** Who gets in and what exists; the modes are described in the guide of the provider. */
export type Mode = 'open' | 'guarded' | 'strict'

/** What the door goes by. */
export interface DoorSettings {
  mode: Mode
  keys: KeyStore
  /** Origins of web pages that are let in like loopback ones; `*` is all. */
  allowedOrigins: readonly string[]
  /** Whether the file network wants no credentials in guarded mode. */
  filesWithoutCredentials: boolean
  /** Whether a key's secret overrides its allowlists. */
  secretOverridesAllowlists: (key: ApiKey) => boolean
  /** Told of each request that is refused. */
  onRefusal?: ((refused: RefusedRequest) => void) | undefined
}

/** A request that the door refused. */
export interface RefusedRequest {
  transport: 'http' | 'upgrade' | 'files'
  network: string | undefined
  /** As it was given, known or not. */
  key: string | undefined
  operation?: string
  refusal: Refusal
}
