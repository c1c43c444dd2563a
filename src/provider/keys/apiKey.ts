import type { Limits } from '../plans/plan.js'

/** Allowlists by kind; an empty list is no restriction. */
export interface Allowlists {
  /** 20-byte addresses in lower-case hexadecimal with 0x. */
  addresses: readonly string[]
  methods: readonly string[]
  /** Substrings of the User-Agent header. */
  userAgents: readonly string[]
  /** Origins, with or without scheme; a leading `*.` matches any subdomain. */
  origins: readonly string[]
}

/** A public key that verifies callers' JSON web tokens. */
export interface TokenKey {
  /** Key id, matched against `kid` in the token's header. */
  id: string
  name: string
  /** PEM, SubjectPublicKeyInfo. */
  publicKey: string
}

/** Which requests of a key require a JSON web token, and who may sign it. */
export interface TokenRules {
  /** `all`: every request; `listed`: those that match `lists`. */
  required: 'all' | 'listed'
  lists: Allowlists
  /** Required `aud` of tokens. */
  audience: string
  keys: readonly TokenKey[]
}

/** An API key with all its owner's settings. */
export interface ApiKey {
  key: string
  secret: string | undefined
  /** Whether JSON-RPC requires the secret too. */
  requireSecret: boolean
  disabled: boolean
  /** Whether the account has a billing card, which the file network requires in strict mode. */
  billingCard: boolean
  /** Networks that the key gives access to; all if undefined. */
  networks: readonly string[] | undefined
  allowlists: Allowlists
  token: TokenRules | undefined
  /** Name of the plan; no quotas and rates if undefined. */
  plan: string | undefined
  /** Overrides of the plan's or the node's limits. */
  limits: KeyLimits
}

/** Limits of a single key. Credits are the provider's unit of cost. */
export interface KeyLimits extends Limits {
  creditsPerDay?: number | undefined
  creditsPerSecond?: number | undefined
}

/** No restrictions. */
export const noAllowlists: Allowlists = { addresses: [], methods: [], userAgents: [], origins: [] }

/** Creates a key with no settings except possibly a secret. */
export function createApiKey(key: string, secret?: string): ApiKey {
  return {
    key,
    secret,
    requireSecret: false,
    disabled: false,
    billingCard: true,
    networks: undefined,
    allowlists: noAllowlists,
    token: undefined,
    plan: undefined,
    limits: {},
  }
}

/** The current keys. Changes take effect with the next request and do not affect other keys. */
export class KeyStore {
  readonly #keys = new Map<string, ApiKey>()

  constructor(keys: Iterable<ApiKey>) {
    for (const key of keys) this.set(key)
  }

  get(key: string): ApiKey | undefined {
    return this.#keys.get(key)
  }

  /** Adds a key, or replaces the one with the same name. */
  set(key: ApiKey): void {
    this.#keys.set(key.key, key)
  }

  /** @returns whether the key existed */
  delete(key: string): boolean {
    return this.#keys.delete(key)
  }

  list(): ApiKey[] {
    return [...this.#keys.values()]
  }
}
