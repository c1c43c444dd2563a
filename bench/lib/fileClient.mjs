import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { textOf } from './fileWork.mjs'

const script = fileURLToPath(new URL('fileClientProcess.mjs', import.meta.url))

/** Sends and receives large files in its own process (fileClientProcess.mjs). */
export class FileClient {
  #process = fork(script)

  /** @returns the milliseconds it took, and the CID if the server returned one */
  async upload(url, mebibytes) {
    const { milliseconds, answer } = await this.#ask({ task: 'upload', url, mebibytes })
    return { milliseconds, cid: answer.startsWith('{') ? textOf(answer) : undefined }
  }

  /** @returns the milliseconds it took */
  async cat(url, cid, mebibytes) {
    const { milliseconds } = await this.#ask({ task: 'cat', url, cid, mebibytes })
    return milliseconds
  }

  end() {
    this.#process.kill()
  }

  async #ask(request) {
    this.#process.send(request)
    const [result] = await once(this.#process, 'message')
    if (result.failure) throw new Error(result.failure)
    return result
  }
}
