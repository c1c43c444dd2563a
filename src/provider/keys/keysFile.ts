import { createPublicKey } from 'node:crypto'
import * as z from 'zod'
import { ConfigurationError, checkConfiguration } from '../configuration.js'
import { type Plan, knownPlans, limitsSchema, planSchema } from '../plans/plan.js'
import type { ApiKey } from './apiKey.js'

const MAX_ENTRIES = 30
const entries = (entry: z.ZodString) => z.array(entry).max(MAX_ENTRIES).default([])

const allowlistsSchema = z.strictObject({
  addresses: entries(
    z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'expected a 0x-prefixed address of 20 bytes'),
  ).transform((addresses) => addresses.map((address) => address.toLowerCase())),
  methods: entries(z.string().regex(/^[a-z][a-z0-9]*_\w+$/i, 'expected a method name, such as eth_call')),
  userAgents: entries(z.string().min(1)),
  origins: entries(
    z
      .string()
      .regex(
        /^([a-z][a-z0-9+.-]*:\/\/)?(\*\.)?[a-z0-9.[\]:-]+$/i,
        'expected an origin such as https://app.example or *.app.example',
      ),
  ),
})

const noAllowlists = allowlistsSchema.parse({})

const tokenSchema = z.strictObject({
  required: z.enum(['all', 'listed']).default('all'),
  lists: allowlistsSchema.default(noAllowlists),
  audience: z.string().min(1).default('localhost'),
  keys: z
    .array(
      z.strictObject({
        id: z.string().min(1),
        name: z.string().default(''),
        publicKey: z.string().refine(isPublicKey, 'expected a public key in PEM format (RSA or P-256)'),
      }),
    )
    .min(1)
    .max(3),
})

/** A key in the keys file and the control API. */
export const apiKeySchema = z.strictObject({
  key: z.string().regex(/^[A-Za-z0-9_-]+$/, 'expected letters, digits, - and _'),
  secret: z.string().min(1).optional(),
  requireSecret: z.boolean().default(false),
  disabled: z.boolean().default(false),
  billingCard: z.boolean().default(true),
  networks: z.array(z.string()).optional(),
  allowlists: allowlistsSchema.default(noAllowlists),
  token: tokenSchema.optional(),
  plan: z.string().optional(),
  limits: z
    .strictObject({
      ...limitsSchema.shape,
      creditsPerDay: z.int().min(0).optional(),
      creditsPerSecond: z.int().min(1).optional(),
    })
    .default({}),
})

/** The keys file. */
const keysFileSchema = z.strictObject({
  keys: z.array(apiKeySchema),
  /** Plans that extend or replace the known ones. */
  plans: z.record(z.string(), planSchema).default({}),
})

/** A key as input. */
export type ApiKeyInput = z.input<typeof apiKeySchema>

/** The keys and plans of a keys file. */
export interface KeysFile {
  keys: ApiKey[]
  plans: Record<string, Plan>
}

/**
 * Parses a keys file.
 *
 * @throws ConfigurationError with the path to the first bad value
 */
export function parseKeysFile(content: unknown, where: string): KeysFile {
  const file = checkConfiguration(keysFileSchema, content, where)
  const plans = { ...knownPlans, ...file.plans }
  const places = new Map<string, number>()
  const keys = file.keys.map((entry, index) => {
    const earlier = places.get(entry.key)
    // Without the key, which is a secret.
    if (earlier !== undefined)
      throw new ConfigurationError(`${where}, keys[${index}].key: the same as that of keys[${earlier}]`)
    places.set(entry.key, index)
    return completeKey(entry, plans, `${where}, keys[${index}]`)
  })
  return { keys, plans }
}

/**
 * Parses a single key.
 *
 * @throws ConfigurationError
 */
export function parseApiKey(content: unknown, plans: Readonly<Record<string, Plan>>, where: string): ApiKey {
  return completeKey(checkConfiguration(apiKeySchema, content, where), plans, where)
}

function completeKey(
  entry: z.output<typeof apiKeySchema>,
  plans: Readonly<Record<string, Plan>>,
  where: string,
): ApiKey {
  if (entry.plan !== undefined && !Object.hasOwn(plans, entry.plan)) {
    const names = Object.keys(plans).join(', ')
    throw new ConfigurationError(`${where}.plan: expected one of ${names}, got ${JSON.stringify(entry.plan)}`)
  }
  if (entry.requireSecret && entry.secret === undefined) {
    throw new ConfigurationError(`${where}.secret: expected a secret, because requireSecret is true`)
  }
  return { ...entry, secret: entry.secret, networks: entry.networks, token: entry.token, plan: entry.plan }
}

function isPublicKey(pem: string): boolean {
  try {
    const { asymmetricKeyType } = createPublicKey(pem)
    return asymmetricKeyType === 'rsa' || asymmetricKeyType === 'ec'
  } catch {
    return false
  }
}
