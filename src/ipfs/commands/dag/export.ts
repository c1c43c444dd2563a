import { type Blockstore, isIdentity } from '../../store/blockstore.js'
import { CID } from 'multiformats/cid'
import { baseOfPath } from '../resolve.js'
import { walkAvailable, walkSelected, pathTo } from '../../dag/links.js'
import { errorText } from '../../../encoding/errorText.js'
import { BlockNotFoundError, FileNetworkError } from '../../errors.js'
import { exportCar } from '../../dag/car.js'
import { linkFailure } from '../../dag/path.js'
import type { BlockSource } from '../../unixfs/entry.js'
import { checkPaths, resolveText } from '../../names/nameSystem.js'
import { bytes, defineCommand, pathArgument, single } from '../../request/command.js'

/** `dag/export`: exports a DAG as a CARv1. */
export const dagExport = defineCommand({
  description: 'Export a DAG as a CAR file.',
  arguments: [pathArgument('root', 'Root of the DAG.', 'missing')],
  options: {
    progress: { type: 'bool', aliases: ['p'], description: 'Text output only.' },
    'local-only': { type: 'bool', description: 'Skip missing blocks, and everything below them.' },
  },
  async run({ args: [arg = ''], options, offline }, { blockstore, names }) {
    checkPaths(arg)
    const localOnly = options['local-only'] === true
    if (localOnly && offline === false) {
      throw new FileNetworkError(
        '--local-only implies --offline and cannot be combined with --offline=false; please drop one of them',
      )
    }
    const { cid } = await resolveText({ blockstore, names }, arg)
    await blockstore.get(cid)
    const walk = localOnly
      ? storedOnly(walkAvailable(blockstore, cid))
      : walkWhole(
          blockstore,
          cid,
          offline === true ? 'without the offline flag' : 'after attaching to the network',
        )
    return bytes(exportCar(cid, walk), { contentType: 'application/vnd.ipld.car' })
  },
})

/**
 * Walks a DAG that must be complete.
 *
 * @param remedy - Kubo's suggestion if a block is missing
 * @throws {@link FileNetworkError} with the messages of go-car (`selective.go`) and Kubo
 */
async function* walkWhole(source: Blockstore, root: CID, remedy: string): ReturnType<typeof walkSelected> {
  const walked: BlockSource = {
    async get(cid) {
      last = cid
      return source.get(cid)
    },
  }
  let last = root
  try {
    yield* walkSelected(walked, root)
  } catch (error) {
    if (last.equals(root)) throw new FileNetworkError(`root blk load failed: ${errorText(error)}`)
    const { message, cause } = linkFailure(await pathTo(source, root, last), last, error)
    const advice = cause instanceof BlockNotFoundError ? ` (currently offline, perhaps retry ${remedy})` : ''
    throw new FileNetworkError(`walk failed: ${message}${advice}`, { cause: error })
  }
}

/** Filters out blocks with identity CIDs. */
async function* storedOnly(blocks: ReturnType<typeof walkAvailable>): ReturnType<typeof walkAvailable> {
  for await (const block of blocks) if (!isIdentity(block.cid)) yield block
}

/** `dag/resolve`: returns the block that a path leads to, and the rest of the path inside it. */
export const dagResolve = defineCommand({
  description: 'Resolve a path to a block.',
  arguments: [pathArgument('ref', 'Path.', 'missing')],
  options: {},
  text(
    { Cid, RemPath }: { Cid: { '/': string }; RemPath: string },
    { args: [arg = ''], cidBase, encodeCid },
  ) {
    const encode = cidBase === undefined ? baseOfPath(arg) : encodeCid
    return encode(CID.parse(Cid['/'])) + RemPath
  },
  async run({ args: [arg = ''] }, { blockstore, names }) {
    const { cid, remainder } = await resolveText({ blockstore, names }, arg)
    return single({
      Cid: { '/': cid.toString() },
      RemPath: remainder.length === 0 ? '' : `/${remainder.join('/')}`,
    })
  },
})
