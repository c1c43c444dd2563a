import { createServer } from 'node:http'
import { parseAndHash } from './parseAndHash.mjs'

/** A server that only parses and hashes uploads. */
createServer(parseAndHash).listen(Number(process.argv[2]), '127.0.0.1')
