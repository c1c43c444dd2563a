import { FileClient } from '../lib/fileClient.mjs'
import { directory, importAlone, mebibyteFile, post, readAtOnce, textOf } from '../lib/fileWork.mjs'
import { useMemory } from '../lib/hostMemory.mjs'
import { startNode } from '../lib/nodes.mjs'
import { timed } from '../lib/statistics.mjs'

/**
 * Measures uploads and downloads, alternating between the nodes that accept files: a large file compared with a server
 * that only parses and hashes, a directory of small files compared with the importer alone, many concurrent readers,
 * and the peak memory during all of these.
 *
 * @returns the measured values of each kind of work, by node
 */
export async function measureFiles({ nodes, rounds, mebibytes, smallFiles, readers, log }) {
  const results = { upload: {}, cat: {}, smallFiles: {}, readers: {}, memory: {} }
  const add = (work, name, value) => (results[work][name] ??= []).push(value)
  for (let round = 0; round < rounds; round++) {
    for (const node of nodes.filter(({ takesFiles }) => takesFiles)) {
      try {
        await measureNode(node, round)
      } catch (error) {
        log(`  ${node.name}, upload: ${error.message}`)
      }
    }
  }
  return results

  async function measureNode(node, round) {
    const running = await startNode(node)
    const url = running.url.replace(/\/$/, '')
    const rate = (milliseconds) => (mebibytes * 1000) / milliseconds
    const client = new FileClient()
    let peakMemory = 0
    const watch = setInterval(() => (peakMemory = Math.max(peakMemory, running.process.memory() ?? 0)), 20)
    try {
      // Warm-up: the first upload also loads and compiles code.
      await client.upload(url, mebibytes)
      useMemory(2 * mebibytes)
      const { milliseconds, cid } = await client.upload(url, mebibytes)
      add('upload', node.name, rate(milliseconds))
      if (node.isReference) {
        add('smallFiles', node.name, await timed(() => importAlone(round, smallFiles)))
        return
      }
      add('cat', node.name, rate(await client.cat(url, cid, mebibytes)))
      const files = directory(round, smallFiles)
      add('smallFiles', node.name, await timed(() => post(`${url}/api/v0/add?pin=false`, files)))
      const shared = textOf((await post(`${url}/api/v0/add`, mebibyteFile())).last.toString())
      add('readers', node.name, await timed(() => readAtOnce(url, shared, readers)))
      add('memory', node.name, peakMemory * 1.048576)
    } finally {
      clearInterval(watch)
      client.end()
      await running.stop()
    }
  }
}
