import { describe, expect, it } from 'vitest'
import { contentTypeOf, SNIFF_LENGTH, typeByName } from './contentType.js'
import { countFields } from './separatedValues.js'

function typeOf(content: string | Buffer): string {
  return contentTypeOf('', Buffer.from(content as string).subarray(0, SNIFF_LENGTH))
}

// The types that Kubo 0.42.0 sends for the same bytes.
describe('a file without an extension', () => {
  it.each([
    ['{"a":1}', 'application/json'],
    ['[', 'application/json'],
    ['[1', 'text/plain; charset=utf-8'],
    [JSON.stringify({ name: 'x', description: 'd'.repeat(5000), image: 'ipfs://x' }), 'application/json'],
    ['{"a":1', 'text/plain; charset=utf-8'],
    ['"x"', 'text/plain; charset=utf-8'],
    ['{"a":1}\n{"b":2}', 'application/x-ndjson'],
    ['{"type":"FeatureCollection","features":[]}', 'application/geo+json'],
    ['{"a":{"type":"Feature"}}', 'application/json'],
    ['{"asset":{"version":"2.0"}}', 'model/gltf+json'],
    ['{"asset":{"version":"3.0"}}', 'application/json'],
    ['{"asset":{"a":[],"version":"1.0"}}', 'model/gltf+json'],
    ['{"asset":{"a":[0],"version":"1.0"}}', 'application/json'],
    ['{"features":[1],"type":"FeatureCollection"}', 'application/json'],
    ['{"log":{"version":"1"},"type":"Point"}', 'application/geo+json'],
    ['["\\x"]', 'text/plain; charset=utf-8'],
    ['{"a":"\\u00e"}', 'text/plain; charset=utf-8'],
    ['["]', 'application/json'],
    ['[{]', 'application/json'],
    ['[1,]', 'application/json'],
    ['[1]]', 'text/plain; charset=utf-8'],
    ['[TRUE]', 'text/plain; charset=utf-8'],
    ['[.5,1.,-.5e3]', 'application/json'],
    ['[1e]', 'text/plain; charset=utf-8'],
    ['{"a" 1}', 'text/plain; charset=utf-8'],
    ['{1:2}', 'text/plain; charset=utf-8'],
    ['{"a":1\n[\n', 'application/x-ndjson'],
    [`{"a":"${'\\n'.repeat(1533)}\\`, 'application/json'],
    ['['.repeat(4000), 'application/json'],
    ['a,b,c\n1,2,3', 'text/csv'],
    ['"a\nb",c\n1,2', 'text/csv'],
    ['a,b\n1,2,3', 'text/plain; charset=utf-8'],
    ['a\tb\n1\t2', 'text/tab-separated-values'],
    ['#! /usr/bin/env  node', 'text/javascript'],
    ['#!/usr/bin/env -S python3 -x', 'text/x-python'],
    ['#!/bin/bash -e', 'text/x-shellscript'],
    ['#!/bin/shx', 'text/plain; charset=utf-8'],
    ['<?php echo 1', 'text/x-php'],
    ['WEBVTT', 'text/vtt'],
    ['1\n00:00:01,000 --> 00:00:02,000\nx', 'application/x-subrip'],
    ['{\\rtf1}', 'text/rtf'],
    ['BEGIN:VCARD\nx', 'text/vcard'],
    ['<?xml version="1.0"?><rss version="2.0"/>', 'application/rss+xml'],
    ['<?xml version="1.0"?><x/>', 'text/xml; charset=utf-8'],
    ['<!-- c --><svg xmlns="http://www.w3.org/2000/svg">', 'image/svg+xml'],
    ['<svg/>', 'text/plain; charset=utf-8'],
  ])('starting with %s is %s', (content, type) => {
    expect(typeOf(content)).toBe(type)
  })

  it.each([
    ['1f8b08', 'application/gzip'],
    ['000000186674797061766966', 'image/avif'],
    ['00000014667479707174202000', 'video/quicktime'],
    ['000000186674797069736f6d', 'video/mp4'],
    ['fffb9064', 'audio/mpeg'],
    ['52494646240000005741564500', 'audio/wav'],
    ['7f454c46020101000000000000000000030000', 'application/x-sharedlib'],
    ['774f463200010000', 'font/woff2'],
    ['00000100010010', 'image/x-icon'],
    ['d9d9f7a0', 'application/cbor'],
    ['fffe61006200', 'text/plain; charset=utf-16le'],
    ['0001020304', 'application/octet-stream'],
  ])('with the bytes %s is %s', (hex, type) => {
    expect(typeOf(Buffer.from(hex, 'hex'))).toBe(type)
  })
})

it('counts the fields of each line, quoted ones as one', () => {
  expect([...countFields('# x,y\n\na,b\r\n"c,""d\n",e,f\n', ',')]).toEqual([2, 3])
})

// Types in Go 1.26's `mime`, without the machine's own tables.
it.each([
  ['favicon.ico', 'image/vnd.microsoft.icon'],
  ['A.DOCX', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['x.xsl', 'text/xml; charset=utf-8'],
  ['x.webm', 'audio/webm'],
  ['x.html', 'text/html'],
  ['x.js', 'text/javascript; charset=utf-8'],
  ['ico', undefined],
  ['x.constructor', undefined],
])('%s has the type %s', (name, type) => {
  expect(typeByName(name)).toBe(type)
})
