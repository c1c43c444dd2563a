import type { Command } from '../request/command.js'
import { add } from './add.js'
import { blockGet } from './block/get.js'
import { blockStat } from './block/stat.js'
import { cat } from './cat.js'
import { id } from './id.js'
import { pinAdd } from './pin/add.js'
import { pinLs } from './pin/ls.js'
import { pinRm } from './pin/rm.js'
import { version } from './version.js'

/** Every operation, by its path behind `/api/v0/`. */
export const commands: ReadonlyMap<string, Command> = new Map<string, Command>([
  ['add', add],
  ['block/get', blockGet],
  ['block/stat', blockStat],
  ['cat', cat],
  ['id', id],
  ['pin/add', pinAdd],
  ['pin/ls', pinLs],
  ['pin/rm', pinRm],
  ['version', version],
])
