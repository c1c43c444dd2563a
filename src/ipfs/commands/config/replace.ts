import { readAll } from '../../blockSize.js'
import type { JsonObject } from '../../configuration/schema.js'
import { FileNetworkError } from '../../errors.js'
import { defineCommand, nothing } from '../../request/command.js'

/** The longest configuration, in bytes. */
const configurationLimit = 1024 * 1024

/** `config/replace`: sets everything that a file has, as `config/show` writes it. */
export const configReplace = defineCommand({
  description: 'Replace the configuration.',
  arguments: [
    { name: 'file', kind: 'file', required: true, variadic: false, description: 'The configuration.' },
  ],
  options: {},
  async run({ upload }, { configuration }) {
    for await (const entry of upload.entries()) {
      if (entry.kind !== 'file') break
      const given = parse(await readAll(entry.content, configurationLimit))
      const identity = given['Identity'] as { PrivKey?: string } | null | undefined
      if (identity?.PrivKey) throw new FileNetworkError('setting private key with API is not supported')
      await merge(given, (value) => configuration.merge(value))
      return nothing()
    }
    throw new FileNetworkError('expected a regular file')
  },
})

function parse(bytes: Uint8Array): JsonObject {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString())
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject
  } catch {
    // Said below.
  }
  throw undecodable()
}

async function merge(given: JsonObject, apply: (value: JsonObject) => Promise<void>): Promise<void> {
  try {
    await apply(given)
  } catch (error) {
    throw error instanceof FileNetworkError ? undecodable() : error
  }
}

function undecodable(): FileNetworkError {
  return new FileNetworkError('failed to decode file as config')
}
