import { cidKey } from '../../cid/cidFormat.js'
import { walkDag } from '../../dag/links.js'
import { resolveText } from '../../names/nameSystem.js'
import { FileNetworkError } from '../../errors.js'
import { defineCommand, pathArguments, values } from '../../request/command.js'
import { omitEmpty } from '../../request/reply.js'

/** `dag/stat`: how many blocks DAGs have and share. A line for every block, unless progress is off. */
export const dagStat = defineCommand({
  description: 'Count the blocks of DAGs.',
  arguments: [pathArguments('root', 'The roots.')],
  options: {
    progress: { type: 'bool', aliases: ['p'], default: true, description: 'Send counts while counting.' },
  },
  run({ args, options, encodeCid }, { blockstore, names }) {
    return values(
      (async function* () {
        const stats: { Cid: string; Size: number; NumBlocks: number }[] = []
        const unique = new Set<string>()
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
          for await (const { cid, bytes } of walkDag(blockstore, root)) {
            dag.Size += bytes.length
            dag.NumBlocks++
            redundantSize += bytes.length
            const key = cidKey(cid)
            if (!unique.has(key)) totalSize += bytes.length
            unique.add(key)
            if (options.progress) yield summary({})
          }
        }
        yield summary({
          UniqueBlocks: unique.size,
          SharedSize: redundantSize - totalSize,
          Ratio: totalSize === 0 ? 0 : redundantSize / totalSize,
        })
      })(),
    )
  },
})
