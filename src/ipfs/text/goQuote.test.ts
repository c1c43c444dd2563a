import { expect, it } from 'vitest'
import { textOfBytes } from '../../encoding/byteText.js'
import { goEscape, goQuote } from './goQuote.js'

// Examples of Go's package strconv: Quote, QuoteToASCII and QuoteRune.
it('quotes like %q', () => {
  expect(goQuote('"Fran & Freddie\'s Diner\t☺"')).toBe(String.raw`"\"Fran & Freddie's Diner\t☺\""`)
  expect(goQuote('\x00\x07\b\f\n\r\v\x7f\\')).toBe(String.raw`"\x00\a\b\f\n\r\v\x7f\\"`)
  expect(goQuote('\u200b\u{e0001}')).toBe(String.raw`"\u200b\U000e0001"`)
  expect(goQuote(textOfBytes(Uint8Array.of(0x61, 0xff, 0xc3)))).toBe(String.raw`"a\xff\xc3"`)
})

it('escapes all but ASCII like %+q', () => {
  expect(goEscape('Diner\t☺😀', { ascii: true })).toBe(String.raw`Diner\t\u263a\U0001f600`)
})

it('escapes a single quote where that is the quote', () => {
  expect(goEscape("'", { quote: "'" })).toBe(String.raw`\'`)
  expect(goEscape('"', { quote: "'" })).toBe('"')
})
