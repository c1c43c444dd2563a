import { expect, test } from 'vitest'
import { runToCompletion } from './timeSlice.js'
import { maskUrl, createMask } from './maskUrl.js'

test.each([
  ['https://remote.example/v3/0123456789abcdef', 'https://remote.example/…'],
  ['https://remote.example:8545?key=0123456789abcdef', 'https://remote.example:8545/…'],
  ['https://user:password@remote.example', 'https://remote.example/…'],
  ['http://127.0.0.1:8545/', 'http://127.0.0.1:8545'],
])('reduces %s to its host', (url, shown) => expect(maskUrl(url)).toBe(shown))

test.each([
  ['Cannot POST /v3/0123456789abcdef?apikey=fedcba9876543210', 'Cannot POST /v3/…?apikey=…'],
  ['no project 0123456789abcdef', 'no project …'],
  ['the key fedcba9876543210 has expired', 'the key … has expired'],
  ['alice is not hunter2hunter2', 'alice is not …'],
  [
    'see https://alice:hunter2hunter2@remote.example/v3/0123456789abcdef?apikey=fedcba9876543210',
    'see https://remote.example/…',
  ],
  ['execution reverted on v3', 'execution reverted on v3'],
])('masks keys in messages of a remote: %s', (text, told) => {
  const url = 'https://alice:hunter2hunter2@remote.example/v3/0123456789abcdef?apikey=fedcba9876543210'
  expect(createMask([url])(text)).toBe(told)
})

test('masks long texts in steps like short ones, wherever the steps end', () => {
  const url = 'https://alice:hunter2hunter2@remote.example/v3/0123456789abcdef'
  const mask = createMask([url])
  const texts = [url, ' 0123456789abcdef', '0123456789abcdef', 'hunter2hunter2 ', 'a']
  for (let seed = 1; seed <= 3; seed++) {
    let state = seed
    const next = (count: number) => (state = (state * 48_271) % 2_147_483_647) % count
    const text = Array.from({ length: 100_000 }, () => texts[next(texts.length)] + '-'.repeat(next(40))).join(
      '',
    )
    expect(runToCompletion(mask.inSteps(text)) === mask(text)).toBe(true)
  }
  const plain = 'ab'.repeat(1_000_000)
  expect(runToCompletion(mask.inSteps(plain)) === plain).toBe(true)
})
