import { exportCar } from '../../dag/car.js'
import { resolveText } from '../../names/resolveText.js'
import { bytes, defineCommand, pathArgument, single } from '../../request/command.js'

/** `dag/export`: a DAG as a CARv1. */
export const dagExport = defineCommand({
  description: 'Export a DAG as a CAR.',
  arguments: [pathArgument('root', 'The root of the DAG.')],
  options: { progress: { type: 'bool', aliases: ['p'], description: 'For command lines.' } },
  async run({ args: [arg = ''] }, { blockstore, names }) {
    const { cid } = await resolveText({ blockstore, names }, arg)
    await blockstore.get(cid)
    return bytes(exportCar(blockstore, cid), { contentType: 'application/vnd.ipld.car' })
  },
})

/** `dag/resolve`: the block that a path leads to, and what is left of the path inside it. */
export const dagResolve = defineCommand({
  description: 'Resolve a path to a block.',
  arguments: [pathArgument('ref', 'The path.')],
  options: {},
  async run({ args: [arg = ''], encodeCid }, { blockstore, names }) {
    const { cid, remainder } = await resolveText({ blockstore, names }, arg)
    return single({
      Cid: { '/': encodeCid(cid) },
      RemPath: remainder.length === 0 ? '' : `/${remainder.join('/')}`,
    })
  },
})
