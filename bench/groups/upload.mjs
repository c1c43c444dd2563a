import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { startNode } from '../lib/nodes.mjs'

const BOUNDARY = 'standin-bench'
const MEBIBYTE = 1024 * 1024

/** Sends one file as multipart/form-data and gives the milliseconds until the answer is whole. */
function upload(url, mebibytes, piece) {
  const head = Buffer.from(
    `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n` +
      'content-type: application/octet-stream\r\n\r\n',
  )
  const tail = Buffer.from(`\r\n--${BOUNDARY}--\r\n`)
  const started = performance.now()
  return new Promise((resolve, reject) => {
    const sending = request(url, {
      method: 'POST',
      headers: {
        'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
        'content-length': head.length + mebibytes * MEBIBYTE + tail.length,
      },
    })
    sending.once('error', reject)
    sending.once('response', (response) => {
      response.resume()
      response.once('end', () =>
        response.statusCode === 200
          ? resolve(performance.now() - started)
          : reject(new Error(`status ${response.statusCode}`)),
      )
    })
    sending.write(head)
    let sent = 0
    const send = () => {
      while (sent < mebibytes) {
        // Every mebibyte is another one: equal blocks would be stored once.
        const bytes = Buffer.from(piece)
        bytes.writeUInt32LE(sent++)
        if (!sending.write(bytes)) return void sending.once('drain', send)
      }
      sending.end(tail)
    }
    send()
  })
}

/** MiB a second of one large upload beside a server that only hashes what it gets, and the most memory meanwhile. */
export async function measureUpload({ nodes, rounds, mebibytes, log }) {
  const rates = {}
  const memory = {}
  for (const node of nodes.filter(({ takesFiles }) => takesFiles)) {
    try {
      const running = await startNode(node)
      let most = 0
      const watch = setInterval(() => (most = Math.max(most, running.process.memory() ?? 0)), 50)
      for (let round = 0; round < rounds; round++) {
        const milliseconds = await upload(`${running.url}api/v0/add`, mebibytes, randomBytes(MEBIBYTE))
        ;(rates[node.name] ??= []).push((mebibytes * 1000) / milliseconds)
      }
      clearInterval(watch)
      memory[node.name] = [most]
      await running.stop()
    } catch (error) {
      log(`  ${node.name}, upload: ${error.message}`)
    }
  }
  return { rates, memory }
}
