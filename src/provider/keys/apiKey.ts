import type { Limits } from '../plans/plan.js'

/** What one kind of entry lets through: an empty list is no restriction. */
export interface Allowlists {
  /** 20-byte addresses, lower-case hexadecimal behind 0x. */
  addresses: readonly string[]
  methods: readonly string[]
  /** Parts of a User-Agent header. */
  userAgents: readonly string[]
  /** Origins, with or without scheme; `*.` stands for any subdomain. */
  origins: readonly string[]
}

/** A public key that a caller's JSON web tokens are checked with. */
export interface TokenKey {
  /** What the token's header names as `kid`. */
  id: string
  name: string
  /** PEM, SubjectPublicKeyInfo. */
  publicKey: string
}

/** Which requests of a key need a JSON web token, and who may sign one. */
export interface TokenRules {
  /** `all`: every request; `listed`: those that `lists` names. */
  required: 'all' | 'listed'
  lists: Allowlists
  /** What a token must name as `aud`. */
  audience: string
  keys: readonly TokenKey[]
}

/** An API key and everything that its owner has set. */
export interface ApiKey {
  key: string
  secret: string | undefined
  /** Whether JSON-RPC needs the secret too. */
  requireSecret: boolean
  disabled: boolean
  /** Whether the account has one; the file network wants it in strict mode. */
  billingCard: boolean
  /** Networks that the key opens; undefined opens all. */
  networks: readonly string[] | undefined
  allowlists: Allowlists
  token: TokenRules | undefined
  /** The name of the plan; undefined has neither quotas nor rates. */
  plan: string | undefined
  /** Own limits that stand in place of the plan's or the node's. */
  limits: KeyLimits
}

/** Limits that a key may have of its own. Credits are the provider's unit of cost. */
export interface KeyLimits extends Limits {
  creditsPerDay?: number | undefined
  creditsPerSecond?: number | undefined
}

/** No restriction of any kind. */
export const noAllowlists: Allowlists = { addresses: [], methods: [], userAgents: [], origins: [] }

/** A key with nothing set but, perhaps, a secret. */
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

/** The keys that are known now. A change takes effect with the next request and touches no other key. */
export class KeyStore {
  readonly #keys = new Map<string, ApiKey>()

  constructor(keys: Iterable<ApiKey>) {
    for (const key of keys) this.set(key)
  }

  get(key: string): ApiKey | undefined {
    return this.#keys.get(key)
  }

  /** Adds a key, or puts it in place of the one of the same name. */
  set(key: ApiKey): void {
    this.#keys.set(key.key, key)
  }

  /** @returns whether there was such a key */
  delete(key: string): boolean {
    return this.#keys.delete(key)
  }

  list(): ApiKey[] {
    return [...this.#keys.values()]
  }
}
