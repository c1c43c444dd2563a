import { mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Writes a file atomically: concurrent readers see the old or the new contents. */
export async function replaceFile(path, contents) {
  const temporary = `${path}.${process.pid}`
  await mkdir(dirname(path), { recursive: true })
  await writeFile(temporary, contents)
  await rename(temporary, path)
}
