import { parseArgs } from 'node:util'
import { diffCassettes, pruneCassette, showCassette } from '../cassette/inspect.js'
import { OptionError } from '../options.js'
import { errorText } from '../encoding/errorText.js'

const usage = `Usage: standin cassette show FILE [--method PATTERN]
       standin cassette diff FILE FILE
       standin cassette prune FILE [--method PATTERN]

show    Print the recorded requests and answers, one per line
diff    Print the differences between two recordings
prune   Remove the entries that match --method, and bodies that no entry refers to

  --method PATTERN   JSON-RPC method or file operation; a trailing * matches anything
`

/** Runs `standin cassette`. @returns the output, in pieces */
export async function* runCassette(words: readonly string[]): AsyncGenerator<string, void, undefined> {
  const { values, positionals } = parse(words)
  const [action, ...files] = positionals
  const method = values.method
  if (values.help === true || action === undefined) yield usage
  else if (action === 'show') yield* lines(showCassette(checkFileCount(action, files, 1)[0]!, method ?? '*'))
  else if (action === 'diff') {
    const [first, second] = checkFileCount(action, files, 2)
    yield* lines(diffCassettes(first!, second!))
  } else if (action === 'prune') {
    const removed = await pruneCassette(checkFileCount(action, files, 1)[0]!, method)
    yield `Removed ${removed.entries} entries and ${removed.bodies} bodies\n`
  } else throw new OptionError(`cassette: expected show, diff or prune, got ${JSON.stringify(action)}`)
}

async function* lines(texts: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  for await (const text of texts) yield `${text}\n`
}

function checkFileCount(action: string, files: readonly string[], count: number): readonly string[] {
  if (files.length === count) return files
  throw new OptionError(
    `cassette ${action}: expected ${count === 1 ? 'one file' : 'two files'}, got ${files.length}`,
  )
}

function parse(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      allowPositionals: true,
      options: { method: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    })
  } catch (error) {
    throw new OptionError(`cassette: ${errorText(error)}`)
  }
}
