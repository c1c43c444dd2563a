import { walkAvailable, walkDag } from '../../dag/links.js'
import { FileNetworkError } from '../../errors.js'
import { exportCar } from '../../dag/car.js'
import { resolveText } from '../../names/nameSystem.js'
import { bytes, defineCommand, pathArgument, single } from '../../request/command.js'

/** `dag/export`: a DAG as a CARv1. */
export const dagExport = defineCommand({
  description: 'Export a DAG as a CAR.',
  arguments: [pathArgument('root', 'The root of the DAG.')],
  options: {
    progress: { type: 'bool', aliases: ['p'], description: 'For command lines.' },
    'local-only': { type: 'bool', description: 'Leave out what is not here, and all below it.' },
  },
  async run({ args: [arg = ''], options, offline }, { blockstore, names }) {
    const localOnly = options['local-only'] === true
    if (localOnly && offline === false) {
      throw new FileNetworkError(
        '--local-only implies --offline and cannot be combined with --offline=false; please drop one of them',
      )
    }
    const { cid } = await resolveText({ blockstore, names }, arg)
    await blockstore.get(cid)
    const walk = localOnly ? walkAvailable(blockstore, cid) : walkDag(blockstore, cid)
    return bytes(exportCar(cid, walk), { contentType: 'application/vnd.ipld.car' })
  },
})

/** `dag/resolve`: the block that a path leads to, and what is left of the path inside it. */
export const dagResolve = defineCommand({
  description: 'Resolve a path to a block.',
  arguments: [pathArgument('ref', 'The path.')],
  options: {},
  async run({ args: [arg = ''] }, { blockstore, names }) {
    const { cid, remainder } = await resolveText({ blockstore, names }, arg)
    return single({
      Cid: { '/': cid.toString() },
      RemPath: remainder.length === 0 ? '' : `/${remainder.join('/')}`,
    })
  },
})
