/** Rules for matching requests with recorded ones; kept in the cassette's first line. */
export interface CassetteRules {
  /** Parameters whose values do not count, such as times, nonces and random values. */
  masks?: readonly Mask[]
  /** Whether block tags keep standing for the first block they referred to, while recording and afterwards. */
  pinBlockTags?: boolean
}

/** Members that do not count in requests of some methods. */
export interface Mask {
  /** Method or file operation; `*` at the end matches anything. */
  method: string
  /**
   * Place of the values in the parameters: names and indices separated by dots, `*` for any. `0.nonce`,
   * `*.0.maxFeePerGas`.
   */
  path: string
}

/** Replacement for masked values. */
const MASKED = '*'

/** Replaces masked values in the parameters of a call. */
export function applyMasks(rules: CassetteRules, method: string, params: unknown): unknown {
  return (rules.masks ?? [])
    .filter((mask) => matchesName(mask.method, method))
    .reduce((masked, { path }) => maskAt(masked, path.split('.')), params)
}

/** Returns whether a name matches a pattern with an optional `*` at its end. */
export function matchesName(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern
}

function maskAt(value: unknown, [first, ...rest]: readonly string[]): unknown {
  if (first === undefined) return MASKED
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) =>
      first === '*' || first === String(index) ? maskAt(item, rest) : item,
    )
  }
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, member]): [string, unknown] => [
    name,
    first === '*' || first === name ? maskAt(member, rest) : member,
  ])
  return Object.fromEntries(members)
}

/**
 * Parses rules written by a user.
 *
 * @returns the rules, or the reason why they are invalid
 */
export function readRules(value: unknown): CassetteRules | string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'expected an object'
  const { masks, pinBlockTags, ...others } = value as Record<string, unknown>
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) return `unknown member ${unknown}`
  if (pinBlockTags !== undefined && typeof pinBlockTags !== 'boolean')
    return 'pinBlockTags: expected true or false'
  if (masks === undefined) return { ...(pinBlockTags !== undefined && { pinBlockTags }) }
  if (!Array.isArray(masks)) return 'masks: expected a list'
  for (const [index, mask] of (masks as unknown[]).entries()) {
    const { method, path } = (mask ?? {}) as Record<string, unknown>
    if (typeof method !== 'string' || typeof path !== 'string') {
      return `masks[${index}]: expected a method and a path`
    }
  }
  return { masks: masks as Mask[], ...(pinBlockTags !== undefined && { pinBlockTags }) }
}
