import type { Command } from '../request/command.js'
import { add } from './add.js'
import { blockGet } from './block/get.js'
import { blockPut } from './block/put.js'
import { blockRm } from './block/rm.js'
import { blockStat } from './block/stat.js'
import { cat } from './cat.js'
import { cidBase32 } from './cid/base32.js'
import { cidFormat } from './cid/format.js'
import { configShow } from './config/show.js'
import { dagExport } from './dag/export.js'
import { dagGet } from './dag/get.js'
import { dagImport } from './dag/import.js'
import { dagPut } from './dag/put.js'
import { dagResolve } from './dag/resolve.js'
import { dagStat } from './dag/stat.js'
import { filesChcid } from './files/chcid.js'
import { filesChmod } from './files/chmod.js'
import { filesCp } from './files/cp.js'
import { filesFlush } from './files/flush.js'
import { filesLs } from './files/ls.js'
import { filesMkdir } from './files/mkdir.js'
import { filesMv } from './files/mv.js'
import { filesRead } from './files/read.js'
import { filesRm } from './files/rm.js'
import { filesStat } from './files/stat.js'
import { filesTouch } from './files/touch.js'
import { filesWrite } from './files/write.js'
import { get } from './get.js'
import { id } from './id.js'
import { keyList } from './key/list.js'
import { ls } from './ls.js'
import { pinAdd } from './pin/add.js'
import { pinLs } from './pin/ls.js'
import { pinRm } from './pin/rm.js'
import { pinUpdate } from './pin/update.js'
import { pinVerify } from './pin/verify.js'
import { refsLocal } from './refs/local.js'
import { refs } from './refs/refs.js'
import { repoGc } from './repo/gc.js'
import { repoStat } from './repo/stat.js'
import { repoVerify } from './repo/verify.js'
import { repoVersion } from './repo/version.js'
import { version } from './version.js'

/** Every operation, by its path behind `/api/v0/`. */
export const commands: ReadonlyMap<string, Command> = new Map<string, Command>([
  ['add', add],
  ['block/get', blockGet],
  ['block/put', blockPut],
  ['block/rm', blockRm],
  ['block/stat', blockStat],
  ['cat', cat],
  ['cid/base32', cidBase32],
  ['cid/format', cidFormat],
  ['config/show', configShow],
  ['dag/export', dagExport],
  ['dag/get', dagGet],
  ['dag/import', dagImport],
  ['dag/put', dagPut],
  ['dag/resolve', dagResolve],
  ['dag/stat', dagStat],
  ['files/chcid', filesChcid],
  ['files/chmod', filesChmod],
  ['files/cp', filesCp],
  ['files/flush', filesFlush],
  ['files/ls', filesLs],
  ['files/mkdir', filesMkdir],
  ['files/mv', filesMv],
  ['files/read', filesRead],
  ['files/rm', filesRm],
  ['files/stat', filesStat],
  ['files/touch', filesTouch],
  ['files/write', filesWrite],
  ['get', get],
  ['id', id],
  ['key/list', keyList],
  ['ls', ls],
  ['pin/add', pinAdd],
  ['pin/ls', pinLs],
  ['pin/rm', pinRm],
  ['pin/update', pinUpdate],
  ['pin/verify', pinVerify],
  ['refs', refs],
  ['refs/local', refsLocal],
  ['repo/gc', repoGc],
  ['repo/stat', repoStat],
  ['repo/verify', repoVerify],
  ['repo/version', repoVersion],
  ['version', version],
])
