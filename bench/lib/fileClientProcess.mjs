import { download } from './download.mjs'
import { largeFile, post } from './fileWork.mjs'
import { timed } from './statistics.mjs'

/*
 * Sends and receives large files in its own process, so that the benchmark's garbage collection does not slow them
 * down.
 */

const work = {
  async upload({ url, mebibytes }) {
    let received
    const milliseconds = await timed(async () => {
      received = await post(`${url}/api/v0/add`, largeFile(mebibytes))
    })
    return { milliseconds, answer: received.last.toString() }
  },
  async cat({ url, cid, mebibytes }) {
    let length
    const milliseconds = await timed(async () => (length = await download(`${url}/api/v0/cat?arg=${cid}`)))
    if (length !== mebibytes * 1024 * 1024)
      throw new Error(`received ${length} bytes instead of ${mebibytes} MiB`)
    return { milliseconds }
  },
}

process.on('message', async ({ task, ...options }) => {
  process.send(await work[task](options).catch(({ message }) => ({ failure: message })))
})
