import type { CID } from 'multiformats/cid'
import { LargeSet } from '../../../encoding/largeMap.js'
import { humanBytes } from '../../request/textForm.js'
import { cidKey } from '../../cid/cidFormat.js'
import { walkDag } from '../../dag/links.js'
import { resolveText } from '../../names/nameSystem.js'
import { errorText } from '../../../encoding/errorText.js'
import { FileNetworkError } from '../../errors.js'
import { defineCommand, pathArguments, values } from '../../request/command.js'
import { omitEmpty } from '../../text/omitEmpty.js'
import type { BlockSource } from '../../unixfs/entry.js'

/** `dag/stat`: counts the blocks that DAGs have and share. Sends a line per block unless `progress` is off. */
export const dagStat = defineCommand({
  description: 'Count the blocks of DAGs.',
  arguments: [pathArguments('root', 'Roots of the DAGs.', 'missing')],
  options: {
    progress: { type: 'bool', aliases: ['p'], default: true, description: 'Stream intermediate counts.' },
  },
  text(summary: StatSummary) {
    const { TotalSize = 0, UniqueBlocks = 0, SharedSize = 0, Ratio = 0, DagStats } = summary
    const rows = DagStats.map(
      ({ Cid, NumBlocks = 0, Size = 0 }) => `${Cid}\t${String(NumBlocks).padEnd(15)}\t${Size}`,
    )
    const heading = `${'CID'.padEnd(DagStats[0]?.Cid.length ?? 0)}\t${'Blocks'.padEnd(15)}\tSize`
    const total = `Total Size: ${TotalSize} (${humanBytes(TotalSize)})\nUnique Blocks: ${UniqueBlocks}`
    const shared = `Shared Size: ${SharedSize} (${humanBytes(SharedSize)})\nRatio: ${Math.fround(Ratio).toFixed(6)}`
    return `\n${[heading, ...rows].join('\n')}\n\nSummary\n${total}\n${shared}\n\n\n`
  },
  run({ args, options, encodeCid }, { blockstore, names }) {
    return values(
      (async function* () {
        const stats: { Cid: string; Size: number; NumBlocks: number }[] = []
        const unique = new LargeSet()
        let totalSize = 0
        let redundantSize = 0

        const summary = (extra: Record<string, unknown>): Record<string, unknown> =>
          omitEmpty({
            UniqueBlocks: extra['UniqueBlocks'],
            TotalSize: totalSize,
            SharedSize: extra['SharedSize'],
            Ratio: extra['Ratio'],
            DagStats: stats.map(({ Cid, ...counts }) => ({ Cid, ...omitEmpty(counts) })),
          })

        for (const arg of args) {
          const { cid: root, remainder } = await resolveText({ blockstore, names }, arg)
          if (remainder.length > 0) {
            throw new FileNetworkError('cannot return size for anything other than a DAG with a root CID')
          }
          const dag = { Cid: encodeCid(root), Size: 0, NumBlocks: 0 }
          stats.push(dag)
          for await (const { cid, bytes } of traverse(blockstore, root)) {
            dag.Size += bytes.length
            dag.NumBlocks++
            redundantSize += bytes.length
            const key = cidKey(cid)
            if (!unique.has(key)) totalSize += bytes.length
            unique.add(key)
            if (options.progress) yield summary({})
          }
        }
        const total = summary({
          UniqueBlocks: unique.size,
          SharedSize: redundantSize - totalSize,
          Ratio: singlePrecision(redundantSize / totalSize),
        })
        yield totalSize === 0 ? withoutJson(total) : total
      })(),
    )
  },
})

/** Lets the JSON encoding of a value with a ratio of zero by zero fail, as it does in Go. */
function withoutJson(total: object): object {
  const toJSON = (): never => {
    throw new FileNetworkError('json: unsupported value: NaN')
  }
  return Object.defineProperty(total, 'toJSON', { value: toJSON })
}

/** Walks a DAG, wrapping errors below its root like Kubo (`core/commands/dag/stat.go`). */
async function* traverse(source: BlockSource, root: CID): ReturnType<typeof walkDag> {
  let isBelowRoot = false
  try {
    for await (const block of walkDag(source, root)) {
      yield block
      isBelowRoot = true
    }
  } catch (error) {
    if (!isBelowRoot) throw error
    throw new FileNetworkError(`error traversing DAG: ${errorText(error)}`, { cause: error })
  }
}

/** A line of the answer; zero fields are omitted. */
interface StatSummary {
  TotalSize?: number
  UniqueBlocks?: number
  SharedSize?: number
  Ratio?: number
  DagStats: { Cid: string; NumBlocks?: number; Size?: number }[]
}

/** Returns the shortest decimal that identifies a 32-bit float, Kubo's precision here (Go, `strconv.FormatFloat`). */
function singlePrecision(value: number): number {
  const wanted = Math.fround(value)
  for (let digits = 1; digits < 9; digits++) {
    const short = Number(wanted.toPrecision(digits))
    if (Math.fround(short) === wanted) return short
  }
  return Number(wanted.toPrecision(9))
}
