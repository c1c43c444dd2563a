import { mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Writes a file so that a process which reads it meanwhile finds it whole. */
export async function replaceFile(path, contents) {
  const temporary = `${path}.${process.pid}`
  await mkdir(dirname(path), { recursive: true })
  await writeFile(temporary, contents)
  await rename(temporary, path)
}
