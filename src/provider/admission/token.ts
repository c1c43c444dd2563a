import { type CryptoKey, type KeyObject, decodeProtectedHeader, importSPKI, jwtVerify } from 'jose'
import * as z from 'zod'
import type { Allowlists, TokenKey, TokenRules } from '../keys/apiKey.js'

const algorithms = ['RS256', 'ES256']

const claimsSchema = z.object({
  methods: z.array(z.string()).default([]),
  addresses: z
    .array(z.string())
    .default([])
    .transform((addresses) => addresses.map((address) => address.toLowerCase())),
  origins: z.array(z.string()).default([]),
  user_agents: z.array(z.string()).default([]),
})

/**
 * Verifies a JSON web token against a key's rules: signed with the public key that its header names, unexpired, and
 * issued for the audience.
 *
 * @returns the allowlists in its claims; undefined if the token is invalid
 */
export async function verifyToken(rules: TokenRules, token: string): Promise<Allowlists | undefined> {
  try {
    const { kid, typ, alg = '' } = decodeProtectedHeader(token)
    const signer = rules.keys.find(({ id }) => id === kid)
    if (signer === undefined || typ !== 'JWT' || !algorithms.includes(alg)) return undefined
    const { payload } = await jwtVerify(token, await importKey(signer, alg), {
      algorithms,
      audience: rules.audience,
      requiredClaims: ['exp', 'aud'],
    })
    const { user_agents: userAgents, ...claims } = claimsSchema.parse(payload)
    return { ...claims, userAgents }
  } catch {
    // Whatever is wrong with it, it is invalid.
    return undefined
  }
}

function importKey({ publicKey }: TokenKey, algorithm: string): Promise<CryptoKey | KeyObject> {
  return importSPKI(publicKey, algorithm)
}
