import { createHash } from 'node:crypto'
import { createServer } from 'node:http'

/**
 * What node:http can do at most: it reads the body and answers eth_blockNumber with a constant, or an upload with its
 * hash.
 */
createServer((request, response) => {
  if (request.url.startsWith('/api/v0/add')) {
    const hash = createHash('sha256')
    request.on('data', (chunk) => hash.update(chunk))
    request.on('end', () => response.end(hash.digest('hex')))
    return
  }
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    const { id } = JSON.parse(String(Buffer.concat(chunks)))
    const body = `{"jsonrpc":"2.0","id":${id},"result":"0x0"}`
    response.writeHead(200, ['content-type', 'application/json', 'content-length', String(body.length)])
    response.end(body)
  })
}).listen(Number(process.argv[2]), '127.0.0.1')
