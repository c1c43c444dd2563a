import { createReadStream, createWriteStream } from 'node:fs'
import { rename, stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'

const { S3_BUCKET: Bucket = 'chains', S3_ENDPOINT: endpoint, AWS_REGION: region = 'us-east-1' } = process.env
const client = new S3Client({
  region,
  ...(endpoint && { endpoint, forcePathStyle: true }),
  // Some stores do not support the trailing checksums that the client sends by default. Archives have their own.
  requestChecksumCalculation: 'WHEN_REQUIRED',
  responseChecksumValidation: 'WHEN_REQUIRED',
})

/** Uploads an archive under a key. */
export async function put(Key, file) {
  const { size: ContentLength } = await stat(file)
  await client.send(new PutObjectCommand({ Bucket, Key, Body: createReadStream(file), ContentLength }))
}

/** Downloads an archive and creates the file once it is complete. @returns false if the key does not exist */
export async function get(Key, file) {
  const found = await client.send(new GetObjectCommand({ Bucket, Key })).catch((error) => {
    if (error.name === 'NoSuchKey') return undefined
    throw error
  })
  if (found === undefined) return false
  await pipeline(found.Body, createWriteStream(`${file}.part`))
  await rename(`${file}.part`, file)
  return true
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [action, key, file] = process.argv.slice(2)
  if (action === 'put') await put(key, file)
  else if (action === 'get') process.exitCode = (await get(key, file)) ? 0 : 1
  else throw new Error('node store.js put|get KEY FILE')
}
