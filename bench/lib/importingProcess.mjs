import { once } from 'node:events'
import { pathToFileURL } from 'node:url'

/**
 * A process with a node that serves requests. On a message with the files of a chain, a second node in the same process
 * imports it, so the import competes with the first node's clients.
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
