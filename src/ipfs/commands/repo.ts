import { humanBytes, inColumns } from '../request/textForm.js'
import type { CID } from 'multiformats/cid'
import { listedCid } from '../cid/cidFormat.js'
import { parseByteSize } from '../configuration/importSettings.js'
import { createChannel } from '../request/reply.js'
import { errorText } from '../../encoding/errorText.js'
import { FileNetworkError } from '../errors.js'
import { defineCommand, single, valueGroups, values } from '../request/command.js'
import { parseGoDuration } from '../request/goDuration.js'
import { needsDaemon } from './offline.js'
import { UnreadableLinksError, collectGarbage } from '../store/garbage.js'
import { repoVersion as layoutVersion } from '../version.js'

/** Kubo reports 2^64 - 1 for no limit; this is the nearest double that does not exceed it. */
const UNLIMITED = 2 ** 64 - 2 ** 11

/** `repo/stat`: returns the size of the repository. */
export const repoStat = defineCommand({
  description: 'Show repository statistics.',
  arguments: [],
  options: {
    'size-only': { type: 'bool', aliases: ['s'], description: 'Show only the sizes.' },
    human: { type: 'bool', aliases: ['H'], description: 'Text output only.' },
  },
  text(sizes: RepositoryStat, { options: { human, 'size-only': sizeOnly } }) {
    const shown = (bytes: number): string => (human ? humanBytes(bytes) : String(bytes))
    const lines = [`RepoSize:\t${shown(sizes.RepoSize)}`, `StorageMax:\t${shown(sizes.StorageMax)}`]
    if (!sizeOnly) {
      lines.unshift(`NumObjects:\t${sizes.NumObjects}`)
      lines.push(`RepoPath:\t${sizes.RepoPath}`, `Version:\t${sizes.Version}`)
    }
    return inColumns(lines)
  },
  run({ options }, { blockstore, configuration, directory }) {
    const { blocks, bytes } = blockstore.totals()
    const section = configuration.show()['Datastore'] as { StorageMax?: string | null } | null
    const limit = section?.StorageMax ?? ''
    const sizes = { RepoSize: bytes, StorageMax: limit === '' ? UNLIMITED : parseByteSize(limit) }
    if (options['size-only']) return single({ ...sizes, NumObjects: 0, RepoPath: '', Version: '' })
    return single({ ...sizes, NumObjects: blocks, RepoPath: directory, Version: `fs-repo@${layoutVersion}` })
  },
})

interface RepositoryStat {
  RepoSize: number
  StorageMax: number
  NumObjects: number
  RepoPath: string
  Version: string
}

/** `repo/version`: returns the repository version of this Kubo release. */
export const repoVersion = defineCommand({
  description: 'Show the repository version.',
  arguments: [],
  options: { quiet: { type: 'bool', aliases: ['q'], description: 'Text output only.' } },
  text: ({ Version }: { Version: string }, { options: { quiet } }) =>
    `${quiet ? '' : 'ipfs repo version '}fs-repo@${Version}\n`,
  run: () => single({ Version: layoutVersion }),
})

/** `repo/verify`: checks every stored block against its CID. */
export const repoVerify = defineCommand({
  description: 'Check every stored block against its CID.',
  arguments: [],
  options: {
    drop: { type: 'bool', description: 'No effect: corrupt blocks are never removed.' },
    heal: { type: 'bool', description: 'Refused: there are no peers to fetch from.' },
    'heal-timeout': { type: 'string', default: '30s', description: 'No effect.' },
  },
  text({ Msg, Progress }: { Msg: string; Progress: number }) {
    if (Msg === '') return `${Progress} blocks processed.\r`
    return `${Msg}\n`
  },
  run({ options, signal }, { blockstore }) {
    parseGoDuration(options['heal-timeout'], 'invalid heal-timeout: ')
    if (options.heal) throw new FileNetworkError(needsDaemon)
    return values(
      (async function* () {
        let progress = 0
        let corrupt = 0
        for await (const cid of blockstore.cids()) {
          signal.throwIfAborted()
          let problem: string | undefined
          try {
            if ((await blockstore.verify(cid)) === false) {
              problem = 'block in storage has different hash than requested'
            }
          } catch (error) {
            problem = errorText(error)
          }
          if (problem !== undefined) {
            corrupt++
            yield { Msg: `block ${cid} was corrupt (${problem})`, Progress: 0 }
          }
          progress++
          yield { Msg: '', Progress: progress }
        }
        if (corrupt > 0) throw new FileNetworkError('verify complete, some blocks were corrupt')
        yield { Msg: 'verify complete, all blocks validated.', Progress: 0 }
      })(),
    )
  },
})

/** Reports sent as one chunk. */
const REPORTS_AT_ONCE = 256

/** `repo/gc`: removes unneeded blocks and frees their space. It finishes even if the client disconnects. */
export const repoGc = defineCommand({
  description: 'Remove unpinned blocks.',
  arguments: [],
  options: {
    'stream-errors': { type: 'bool', description: 'Stream errors.' },
    quiet: { type: 'bool', aliases: ['q'], description: 'Text output only.' },
    silent: { type: 'bool', description: "Don't send lines." },
  },
  text({ Key, Error }: { Key: { '/': string } | null; Error?: string }, { options: { quiet, silent } }) {
    if (silent) return ''
    if (Error !== undefined) return `Error: ${Error}\n`
    return `${quiet ? '' : 'removed '}${Key?.['/'] ?? ''}\n`
  },
  run({ options }, network) {
    const removed = createChannel<CID[]>(Infinity)
    const tell = (cids: CID[]): Promise<void> => removed.send(cids).catch(() => undefined)
    void collectGarbage(network, tell).then(
      () => removed.close(),
      (error: unknown) => removed.fail(error),
    )
    return valueGroups(
      (async function* () {
        let last: string | undefined
        // A block stored under several CIDs is removed under each, in a row.
        const isNew = (cid: string): boolean => {
          const isOther = cid !== last
          last = cid
          return isOther
        }
        try {
          for await (const cids of removed.receive()) {
            const blocks = cids.map((cid) => listedCid(cid).toString()).filter(isNew)
            if (!options.silent && blocks.length > 0) yield blocks.map((cid) => ({ Key: { '/': cid } }))
          }
        } catch (error) {
          if (!options['stream-errors']) throw error
          const reports = error instanceof UnreadableLinksError ? error.reports : [errorText(error)]
          for (let first = 0; first < reports.length; first += REPORTS_AT_ONCE) {
            const group = reports.slice(first, first + REPORTS_AT_ONCE)
            yield group.map((report) => ({ Key: null, Error: report }))
          }
          throw new FileNetworkError('encountered errors during gc run')
        }
      })(),
    )
  },
})
