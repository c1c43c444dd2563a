import { addEntry } from '../add/adder.js'
import type { AddEvent } from '../add/adder.js'
import { addOptions, planAdd } from '../add/addOptions.js'
import type { AddPlan } from '../add/addOptions.js'
import { createFilesTarget } from '../add/filesTarget.js'
import { createChannel } from '../channel.js'
import type { Channel } from '../channel.js'
import { FileNetworkError } from '../errors.js'
import type { NetworkContext } from '../networkContext.js'
import { defineCommand, fileArguments } from '../request/command.js'
import type { CommandInput } from '../request/command.js'
import { values } from '../request/output.js'
import type { UploadEntry } from '../request/upload.js'
import { createBlockWriter, discardBlock } from '../unixfs/blockWriter.js'

/** A line of the answer, and when what it tells of is safe. */
interface Line {
  value: AddLine
  safe: Promise<void>
}

/** Lines that may wait for their blocks to be stored before reading goes on. */
const linesInFlight = 512

/** `add`: imports files and directories as UnixFS, a line for each as soon as it is stored. */
export const add = defineCommand({
  description: 'Add files and directories.',
  arguments: [fileArguments('path', 'The files to add.')],
  options: addOptions,
  async run(input, network) {
    const plan = await planAdd(input.options, network.importSettings)
    const lines = createChannel<Line>(linesInFlight)
    void addAll(input, network, { plan, lines }).then(
      () => lines.close(),
      (error: unknown) => lines.fail(error),
    )
    return values(
      (async function* () {
        for await (const { value, safe } of lines.receive()) {
          await safe
          yield value
        }
      })(),
    )
  },
})

async function addAll(
  input: CommandInput<typeof addOptions>,
  network: NetworkContext,
  { plan, lines }: { plan: AddPlan; lines: Channel<Line> },
): Promise<void> {
  const { upload, encodeCid } = input
  const session = network.blockstore.openSession()
  const writer = createBlockWriter(plan.settings.cid, plan.onlyHash ? discardBlock : session.put)
  const filesTarget = plan.toFiles === undefined ? undefined : createFilesTarget(network, plan.toFiles)

  async function addOne(entry: UploadEntry): Promise<void> {
    let last: { event: AddEvent } | undefined
    const send = async (event: AddEvent, safe: Promise<void>): Promise<void> => {
      safe.catch(() => undefined)
      const hash = event.node && encodeCid(event.node.cid)
      await lines.send({ value: toLine(entry, event, hash), safe })
    }
    const root = await addEntry({
      entry,
      plan,
      writer,
      async emit(event) {
        if (last) await send(last.event, Promise.resolve())
        last = undefined
        if (event.node && event.path === '') last = { event }
        else await send(event, writer.stored())
      },
    })
    await writer.stored()
    if (plan.pin) await network.pins.set({ cid: root.cid, mode: 'recursive', name: plan.pinName })
    if (last) await send(last.event, Promise.resolve())
    await filesTarget?.put(entry, root.cid)
  }

  try {
    let added = 0
    for await (const entry of plan.wrap ? wrapped(upload.entries()) : upload.entries()) {
      input.signal.throwIfAborted()
      await addOne(entry)
      added++
    }
    if (added === 0) throw new FileNetworkError('expected a file argument')
  } finally {
    session.end()
  }
}

async function* wrapped(children: AsyncIterable<UploadEntry>): AsyncGenerator<UploadEntry> {
  yield { kind: 'directory', name: '', mode: 0, modified: undefined, children }
}

function nameOf(entry: UploadEntry, event: AddEvent, hash: string | undefined): string {
  if (entry.kind !== 'directory') return entry.name === '' ? (hash ?? '') : entry.name
  if (event.path === '') return entry.name
  return entry.name === '' ? event.path : `${entry.name}/${event.path}`
}

/** A line of `add`; what is zero or empty is left out, the name excepted. */
interface AddLine {
  Name: string
  Hash?: string
  Bytes?: number
  Size?: string
  Mode?: string
  Mtime?: number
  MtimeNsecs?: number
}

/** Mode and time are what the part said, whether they are stored or not, as Kubo repeats them. */
function toLine(entry: UploadEntry, event: AddEvent, hash: string | undefined): AddLine {
  const line: AddLine = { Name: nameOf(entry, event, hash) }
  if (hash !== undefined) line.Hash = hash
  if (event.bytes) line.Bytes = event.bytes
  if (event.node) line.Size = String(event.node.size)
  if (entry.mode !== 0) line.Mode = `0${entry.mode.toString(8)}`
  if (entry.modified?.seconds) line.Mtime = Number(entry.modified.seconds)
  if (entry.modified?.nanoseconds) line.MtimeNsecs = entry.modified.nanoseconds
  return line
}
