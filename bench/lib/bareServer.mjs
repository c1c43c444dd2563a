import { createServer } from 'node:http'
import { parseAndHash } from './parseAndHash.mjs'

/** Upper bound for node:http: answers eth_blockNumber with a constant, and an upload with the hash of its chunks. */
createServer((request, response) => {
  if (request.url.startsWith('/api/v0/add')) {
    void parseAndHash(request, response)
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
