import type { CID } from 'multiformats/cid'
import { LargeMap, LargeSet } from '../../../encoding/largeMap.js'
import { TimeSlice, runInSlices } from '../../../encoding/timeSlice.js'
import { type CidEncoder, cidKey, codecCode } from '../../cid/cidFormat.js'
import { linksOf, pushReversed } from '../../dag/links.js'
import { errorText } from '../../../encoding/errorText.js'
import { FileNetworkError } from '../../errors.js'
import type { NetworkContext } from '../../networkContext.js'
import { defineCommand, values } from '../../request/command.js'

interface BadNode {
  Cid: string
  Err: string
}

/** `pin/verify`: checks that the DAGs of recursive pins are complete. */
export const pinVerify = defineCommand({
  description: 'Verify that recursive pins are complete.',
  arguments: [],
  options: {
    verbose: { type: 'bool', description: 'Also send lines for intact pins.' },
    quiet: { type: 'bool', aliases: ['q'], description: "Don't send reasons." },
  },
  *text({ Cid, Ok, BadNodes = [] }: VerifiedPin, { options: { quiet } }) {
    if (quiet) yield Ok ? '' : `${Cid}\n`
    else if (Ok) yield `${Cid} ok\n`
    else {
      yield `${Cid} broken\n`
      for (const node of BadNodes) yield `  ${node.Cid}: ${node.Err}\n`
    }
  },
  run(input, network) {
    const { options } = input
    if (options.verbose && options.quiet) {
      throw new FileNetworkError('the --verbose and --quiet options can not be used at the same time')
    }
    const { encodeCid } = input
    return values(
      (async function* () {
        const broken = new LargeMap<BadNode>()
        for await (const pin of network.pins.list('recursive')) {
          const BadNodes = await findBadNodes(network, pin.cid, { broken, encodeCid })
          const Cid = encodeCid(pin.cid)
          if (BadNodes.length === 0) {
            if (options.verbose) yield { Cid, Ok: true }
            continue
          }
          yield options.quiet ? { Cid } : { Cid, BadNodes }
        }
      })(),
    )
  },
})

async function findBadNodes(
  { blockstore }: NetworkContext,
  root: CID,
  { broken, encodeCid }: { broken: LargeMap<BadNode>; encodeCid: CidEncoder },
): Promise<BadNode[]> {
  const bad: BadNode[] = []
  const seen = new LargeSet()
  const stack: { cid: CID }[] = [{ cid: root }]
  const slice = new TimeSlice()
  for (let link = stack.pop(); link; link = stack.pop()) {
    const { cid } = link
    const pause = slice.pause()
    if (pause !== undefined) await pause
    const name = cidKey(cid)
    if (seen.has(name)) continue
    seen.add(name)
    const known = broken.get(name)
    if (known) {
      bad.push(known)
      continue
    }
    // Raw blocks have no links, so Kubo does not read them (boxo, `merkledag.GetLinksWithDAG`).
    if (cid.code === codecCode.raw) continue
    try {
      const links = await linksOf(cid, await blockstore.get(cid))
      await runInSlices(pushReversed(stack, links), slice)
    } catch (error) {
      const node = { Cid: encodeCid(cid), Err: errorText(error) }
      broken.set(name, node)
      bad.push(node)
    }
  }
  return bad
}

/** A line of the answer. */
interface VerifiedPin {
  Cid: string
  Ok?: boolean
  BadNodes?: BadNode[]
}
