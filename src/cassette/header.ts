import * as z from 'zod'
import { canonicalJson, CASSETTE_VERSION } from './entry.js'
import { CassetteError } from './lines.js'
import { readRules, type CassetteRules } from './rules.js'

/** First line of a cassette. */
export interface CassetteHeader {
  rules: CassetteRules
  /** Numbers that block tags stand for, by network. */
  tags: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Totals of a closed cassette's lines; absent while recording. */
  closed?: { entries: number; bytes: number; crc32: number }
}

/** Formats the line of a header, without its end. */
export function formatHeader({ rules, tags, closed }: CassetteHeader): string {
  return canonicalJson({ cassette: CASSETTE_VERSION, rules, tags, closed })
}

/**
 * Parses the first line of a file.
 *
 * @throws CassetteError if it is not a cassette of this version
 */
export function parseHeader(text: string, path: string): CassetteHeader {
  let value: unknown
  try {
    // Windows editors put a byte order mark in front.
    value = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    value = undefined
  }
  const { cassette, rules = {}, tags = {}, closed } = (value ?? {}) as Record<string, unknown>
  if (cassette === undefined) throw new CassetteError(path, 'is not a Standin cassette', 1)
  if (cassette !== CASSETTE_VERSION) {
    throw new CassetteError(
      path,
      `is a cassette of version ${String(cassette)}; this Standin reads version ${CASSETTE_VERSION}`,
      1,
    )
  }
  const read = readRules(rules)
  if (typeof read === 'string') throw new CassetteError(path, `rules: ${read}`, 1)
  const parts = partsSchema.safeParse({ tags, closed })
  if (!parts.success) {
    const { path: memberPath, message } = parts.error.issues[0]!
    throw new CassetteError(path, `${memberPath.join('.')}: ${message}`, 1)
  }
  return { rules: read, tags: parts.data.tags, ...(parts.data.closed && { closed: parts.data.closed }) }
}

const count = z.int().min(0)
const partsSchema = z.object({
  tags: z.record(z.string(), z.record(z.string(), z.string())),
  closed: z.object({ entries: count, bytes: count, crc32: count }).optional(),
})

/** Number that a network's block tag stands for, found while recording. */
export interface TagPin {
  network: string
  tag: string
  number: string
}

const PIN_START = '{"pin":'

/** Formats the line that keeps a pin until the cassette is closed, without its end. */
export function formatPin({ network, tag, number }: TagPin): string {
  return `${PIN_START}${JSON.stringify([network, tag, number])}}`
}

/** Parses the line of a pin; undefined for any other line. */
export function parsePin(text: string): TagPin | undefined {
  if (!text.startsWith(PIN_START)) return undefined
  try {
    const { pin } = JSON.parse(text) as { pin: unknown }
    if (!Array.isArray(pin) || pin.length !== 3 || !pin.every((part) => typeof part === 'string'))
      return undefined
    const [network, tag, number] = pin as [string, string, string]
    return { network, tag, number }
  } catch {
    return undefined
  }
}

/** Adds a pin to a header. */
export function withPin(header: CassetteHeader, { network, tag, number }: TagPin): CassetteHeader {
  return { ...header, tags: { ...header.tags, [network]: { ...header.tags[network], [tag]: number } } }
}
