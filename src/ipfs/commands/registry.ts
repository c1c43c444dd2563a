import type { Command } from '../request/command.js'
import { add } from './add.js'
import { blockGet, blockPut, blockRm, blockStat } from './block.js'
import { cat } from './cat.js'
import { cidBase32, cidFormat } from './cid.js'
import { configShow } from './config.js'
import { dagExport, dagResolve } from './dag/export.js'
import { dagGet } from './dag/get.js'
import { dagImport } from './dag/import.js'
import { dagPut } from './dag/put.js'
import { dagStat } from './dag/stat.js'
import { filesChmod, filesTouch } from './files/metadata.js'
import { filesCp } from './files/cp.js'
import { filesChcid, filesFlush } from './files/flush.js'
import { filesLs } from './files/ls.js'
import { filesMkdir } from './files/mkdir.js'
import { filesMv } from './files/mv.js'
import { filesRead } from './files/read.js'
import { filesRm } from './files/rm.js'
import { filesStat } from './files/stat.js'
import { filesWrite } from './files/write.js'
import { get } from './get.js'
import { id, version } from './node.js'
import { keyList } from './key.js'
import { ls } from './ls.js'
import { pinAdd } from './pin/add.js'
import { pinLs } from './pin/ls.js'
import { pinRm, pinUpdate } from './pin/rm.js'
import { pinVerify } from './pin/verify.js'
import { refs, refsLocal } from './refs.js'
import { repoGc, repoStat, repoVerify, repoVersion } from './repo.js'

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
