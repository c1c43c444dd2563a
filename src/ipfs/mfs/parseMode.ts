import { FileNetworkError } from '../errors.js'

/**
 * A mode in octal, of up to four digits.
 *
 * @throws {@link FileNetworkError} with the text of Go's parser
 */
export function parseMode(text: string): number {
  if (/^0*[0-7]{1,4}$/.test(text)) return Number.parseInt(text, 8)
  throw new FileNetworkError(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`)
}
