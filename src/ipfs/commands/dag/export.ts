import { exportCar } from '../../dag/exportCar.js'
import { parsePath, resolvePath } from '../../dag/path.js'
import { defineCommand, pathArgument } from '../../request/command.js'
import { bytes } from '../../request/output.js'

/** `dag/export`: a DAG as a CARv1. */
export const dagExport = defineCommand({
  description: 'Export a DAG as a CAR.',
  arguments: [pathArgument('root', 'The root of the DAG.')],
  options: { progress: { type: 'bool', aliases: ['p'], description: 'For command lines.' } },
  async run({ args: [arg = ''] }, { blockstore }) {
    const { cid } = await resolvePath(blockstore, parsePath(arg))
    await blockstore.get(cid)
    return bytes(exportCar(blockstore, cid), { contentType: 'application/vnd.ipld.car' })
  },
})
