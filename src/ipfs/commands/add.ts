import type { CID } from 'multiformats/cid'
import { type AddPlan, addOptions, planAdd } from '../add/addOptions.js'
import { type AddEvent, addEntry } from '../add/adder.js'
import { type LineQueue, createLineQueue } from '../request/reply.js'
import { type ExactInteger, exactInteger } from '../text/exactInteger.js'
import { errorText } from '../../encoding/errorText.js'
import { FileNetworkError } from '../errors.js'
import { checkFilesPath, splitPath } from '../mfs/filesPath.js'
import type { NetworkContext } from '../networkContext.js'
import { type CommandInput, defineCommand, fileArguments, valueGroups } from '../request/command.js'
import type { UploadEntries, UploadEntry } from '../request/upload.js'
import { BlockWriter, discardBlock } from '../unixfs/blockWriter.js'
import { goQuote } from '../text/goQuote.js'

/** `add`: imports files and directories as UnixFS, with a line for each as soon as it is stored. */
export const add = defineCommand({
  description: 'Add files and directories.',
  arguments: [fileArguments('path', 'Files to add.')],
  options: addOptions,
  async run(input, network) {
    const plan = await planAdd(input.options, network.importDefaults, () => input.encodeCid)
    const lines = createLineQueue<AddLine>()
    void addAll(input, network, { plan, lines }).then(
      () => lines.close(),
      (error: unknown) => lines.fail(error),
    )
    return valueGroups(lines.receive())
  },
})

async function addAll(
  input: CommandInput<typeof addOptions>,
  network: NetworkContext,
  { plan: decide, lines }: { plan: () => AddPlan; lines: LineQueue<AddLine> },
): Promise<void> {
  const { upload, encodeCid } = input
  const entries = upload.entries()
  const first = input.options['wrap-with-directory'] ? wrapper(entries) : await entries.next()
  if (first === undefined) throw new FileNetworkError('expected a file argument')
  const plan = decide()
  const session = network.blockstore.openSession()
  const writer = new BlockWriter(plan.settings.cid, plan.onlyHash ? discardBlock : session.put)
  const filesTarget = plan.toFiles === undefined ? undefined : createFilesTarget(network, plan.toFiles)

  /** Pins being set while reading continues, and those that failed. */
  const pinning = new Set<Promise<void>>()

  async function addOne(entry: UploadEntry): Promise<void> {
    let top: AddEvent | undefined
    const send = (event: AddEvent, safe: Promise<void>): Promise<void> | undefined => {
      const hash = event.node && encodeCid(event.node.cid)
      return lines.send(toLine(entry, event, hash), safe)
    }
    const root = await addEntry({
      entry,
      plan,
      writer,
      emit(event) {
        if (!event.node || event.path !== '') return send(event, writer.stored())
        top = event
        return undefined
      },
    })
    const safe = plan.pin ? pin(root.cid) : writer.stored()
    if (filesTarget) await safe
    if (top) await send(top, safe)
    await filesTarget?.put(entry, root.cid)
  }

  function pin(cid: CID): Promise<void> {
    const pinned = writer
      .stored()
      .then(() => network.pins.set({ cid, mode: 'recursive', name: plan.pinName }))
      .then(() => void pinning.delete(pinned))
    pinned.catch(() => undefined)
    pinning.add(pinned)
    return pinned
  }

  try {
    for (let entry: UploadEntry | undefined = first; entry !== undefined; entry = await entries.next()) {
      input.signal.throwIfAborted()
      await addOne(entry)
    }
    await writer.stored()
    await Promise.all(pinning)
  } finally {
    await Promise.allSettled(pinning)
    session.end()
  }
}

function wrapper(children: UploadEntries): UploadEntry {
  return { kind: 'directory', name: '', mode: 0, modified: undefined, children }
}

function nameOf(entry: UploadEntry, event: AddEvent): string {
  if (entry.kind !== 'directory') return entry.name === '' ? (event.node?.cid.toString() ?? '') : entry.name
  if (event.path === '') return entry.name
  return entry.name === '' ? event.path : `${entry.name}/${event.path}`
}

/** A line of `add`; zero and empty fields are omitted, except the name. */
interface AddLine {
  Name: string
  Hash?: string
  Bytes?: number
  Size?: string
  Mode?: string
  Mtime?: number | ExactInteger
  MtimeNsecs?: number
}

/** Go's mode for any symlink, whatever the part says: the symlink bit and all permissions. */
const symlinkMode = 0o1000000777

/** Formats an event. Like Kubo, it echoes the part's mode and time, stored or not. */
function toLine(entry: UploadEntry, event: AddEvent, hash: string | undefined): AddLine {
  const line: AddLine = { Name: nameOf(entry, event) }
  if (hash !== undefined) line.Hash = hash
  if (event.bytes) line.Bytes = event.bytes
  if (event.node) line.Size = String(event.node.size)
  const mode = entry.kind === 'symlink' ? symlinkMode : entry.mode
  if (mode !== 0) line.Mode = `0${mode.toString(8)}`
  if (entry.modified?.seconds) line.Mtime = exactInteger(entry.modified.seconds)
  if (entry.modified?.nanoseconds) line.MtimeNsecs = entry.modified.nanoseconds
  return line
}

/** Destination of an `add` in the mutable files. */
export interface FilesTarget {
  put(entry: UploadEntry, cid: CID): Promise<void>
}

/** Creates the destination for the option `to-files` (Kubo, `core/commands/add.go`). */
function createFilesTarget({ files }: Pick<NetworkContext, 'files'>, path: string): FilesTarget {
  let filesPut = 0
  const fail = (reason: string): never => {
    throw new FileNetworkError(`to-files: ${reason}`)
  }
  return {
    async put(entry, cid) {
      if (entry.name === '') fail('cannot add unnamed files to MFS')
      const target = checkTarget(path === '' ? '/' : path)
      const isDirectory = target.endsWith('/')
      if (isDirectory) await checkDirectory(target)
      if (filesPut > 0 && !isDirectory) {
        fail(`MFS destination is a file: only one entry can be copied to ${goQuote(target)}`)
      }
      const destination = isDirectory ? target + entry.name : target
      await checkParent(destination)
      try {
        await files.put(destination, cid)
      } catch (error) {
        fail(`cannot put node in path ${goQuote(destination)}: ${errorText(error)}`)
      }
      filesPut++
    },
  }

  function checkTarget(text: string): string {
    try {
      return checkFilesPath(text)
    } catch (error) {
      return fail(errorText(error))
    }
  }

  async function checkParent(destination: string): Promise<void> {
    const { directory } = splitPath(destination)
    const parent = `/${directory.join('/')}`
    await files.lookUp(parent).catch((error: unknown) => {
      const paths = [destination, parent].map((path) => goQuote(path)).join(' ')
      return fail(`MFS destination parent ${paths} does not exist: ${errorText(error)}`)
    })
  }

  async function checkDirectory(target: string): Promise<void> {
    const quoted = goQuote(target)
    const entry = await files.lookUp(target).catch((error: unknown) => {
      return fail(`MFS destination directory ${quoted} does not exist: ${errorText(error)}`)
    })
    if (entry.type !== 'directory') fail(`MFS destination ${quoted} is not a directory`)
  }
}
