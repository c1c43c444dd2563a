import { expect, it } from 'vitest'
import { contentTypeOf } from '../../src/ipfs/gateway/contentType.js'
import types from './kuboTypes.json' with { type: 'json' }

// First bytes in hexadecimal, and the type that Kubo 0.42.0 sends with them.
it('guesses the types of files by their first bytes like Kubo', () => {
  const guessed = types.map(([bytes = '']) => [bytes, contentTypeOf('', Buffer.from(bytes, 'hex'))])
  expect(guessed).toEqual(types)
})
