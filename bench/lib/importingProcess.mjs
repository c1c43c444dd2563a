import { once } from 'node:events'
import { pathToFileURL } from 'node:url'

/**
 * A process with a node that answers. When it is told the files of a chain, a second node in the same process imports
 * it: what it does then, the first one's clients wait for.
 */
const [library] = process.argv.slice(2)
const { createNode } = await import(pathToFileURL(library))
const serving = await createNode({})
process.send({ url: serving.url })
for (;;) {
  const [{ genesis, chain }] = await once(process, 'message')
  const importing = await createNode({ genesis, import: chain, listen: false })
  const head = await importing.request('eth_blockNumber')
  await importing.stop()
  process.send({ head })
}
