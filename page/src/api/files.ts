import { fileAuthorization } from '../shell/access.js'
import { RequestError, send, unrecorded } from './http.js'

/** Options and arguments of an operation; an array repeats an argument. */
export type FileQuery = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>

/** Reads from the file network without an entry in the journal. */
export async function readFiles<Answer>(operation: string, query: FileQuery = {}): Promise<Answer> {
  const response = await call(operation, query, unrecorded)
  return (await response.json()) as Answer
}

/** Reads an answer with one JSON value per line, without an entry in the journal. */
export async function readFileLines<Line>(operation: string, query: FileQuery = {}): Promise<Line[]> {
  const response = await call(operation, query, unrecorded)
  return parseLines<Line>(await response.text())
}

/** Changes the file network; the journal records the request. @returns the text of the answer */
export async function changeFiles(operation: string, query: FileQuery = {}): Promise<string> {
  return (await call(operation, query, {})).text()
}

/** Parses a text with one JSON value per line. */
function parseLines<Line>(text: string): Line[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as Line)
}

/** A file to upload. */
export interface Upload {
  /** Path relative to the root of the upload. */
  path: string
  file: File
}

/** One entry in the answer of `add`. */
export interface Added {
  Name: string
  Hash: string
}

/** Adds files and reports the uploaded fraction. Uses XMLHttpRequest, because fetch() reports no upload progress. */
export function addFiles(
  uploads: readonly Upload[],
  query: FileQuery,
  onProgress: (fraction: number) => void,
): Promise<Added[]> {
  const form = new FormData()
  for (const { path, file } of uploads) form.append('file', file, encodeURIComponent(path))
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', addressOf('add', query))
    for (const [name, value] of Object.entries(fileAuthorization())) request.setRequestHeader(name, value)
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total)
    request.onerror = () => reject(new Error('the upload was interrupted'))
    request.onload = () => {
      if (request.status !== 200) reject(new RequestError(request.status, messageOf(request.responseText)))
      else resolve(parseLines<Added>(request.responseText).filter(({ Hash }) => Hash !== undefined))
    }
    request.send(form)
  })
}

async function call(operation: string, query: FileQuery, headers: Record<string, string>): Promise<Response> {
  return send(addressOf(operation, query), {
    method: 'POST',
    headers: { ...headers, ...fileAuthorization() },
  })
}

function addressOf(operation: string, query: FileQuery): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? (value as readonly string[]) : [value]) {
      if (one !== undefined) parameters.append(name, String(one))
    }
  }
  return `/api/v0/${operation}?${parameters}`
}

function messageOf(text: string): string {
  try {
    return (JSON.parse(text) as { Message: string }).Message
  } catch {
    return text.trim()
  }
}
