import { bench, describe } from 'vitest'
import { readBody } from './body.js'

const item = (id: number, data: string) =>
  `{"jsonrpc":"2.0","id":${id},"method":"eth_call","params":[{"to":"0x${'22'.repeat(20)}","data":"${data}"},"latest"]}`
const call = Buffer.from(item(1, '0x70a08231'))
const batch = Buffer.from(`[${Array.from({ length: 100 }, (_, id) => item(id, '0x70a08231')).join(',')}]`)
const large = Buffer.from(item(1, `0x${'ab'.repeat(100_000)}`))
// Any escape forces the id to be read from the source text.
const escaped = Buffer.from(item(1, '0x70a08231').replace('latest', 'l\\u0061test'))

describe('the envelope', () => {
  bench('of a call', () => void readBody(call))
  bench('of a call with an escape in it', () => void readBody(escaped))
  bench('of a batch of 100 calls', () => void readBody(batch))
  bench('of a call with 100,000 bytes of data', () => void readBody(large))
})
