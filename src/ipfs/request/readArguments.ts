import { RequestError } from '../errors.js'
import { readAll } from '../readAll.js'
import type { ArgumentSpec } from './command.js'
import type { Upload } from './upload.js'

/** The longest body of arguments, in bytes. */
const bodyLimit = 1024 * 1024

/**
 * The arguments of a request: those of the query, and those that the first file of the body has, a line each, as
 * command lines send them that read arguments from standard input (go-ipfs-cmds, `command.go`, `arguments.go`).
 *
 * @throws {@link RequestError} when a required one is missing
 */
export async function readArguments(
  given: string[],
  specs: readonly ArgumentSpec[],
  upload: Upload,
): Promise<string[]> {
  const takesFiles = specs.some((spec) => spec.kind === 'file')
  const args = takesFiles || !upload.present ? given : [...given, ...(await readLines(upload))]
  const missing = specs.filter((spec) => spec.kind === 'string' && spec.required)[args.length]
  if (missing) throw new RequestError(`argument "${missing.name}" is required`)
  return args
}

async function readLines(upload: Upload): Promise<string[]> {
  for await (const entry of upload.entries()) {
    if (entry.kind !== 'file') return []
    const text = Buffer.from(await readAll(entry.content, bodyLimit)).toString()
    return text.split(/\r?\n/).filter((line) => line !== '')
  }
  return []
}
