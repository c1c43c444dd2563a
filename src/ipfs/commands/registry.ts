import type { Command } from '../request/command.js'
import { add } from './add.js'
import { blockGet, blockPut, blockRm, blockStat } from './block.js'
import { bootstrap, bootstrapAdd, bootstrapList, bootstrapRm, bootstrapRmAll } from './bootstrap.js'
import { cat } from './cat.js'
import { cidBase32, cidFormat } from './cid/format.js'
import { cidInspect } from './cid/inspect.js'
import { cidBases, cidCodecs, cidHashes } from './cid/tables.js'
import { commandsCommand } from './commands.js'
import { config, configProfileApply, configReplace, configShow } from './config/config.js'
import { dagExport, dagResolve } from './dag/export.js'
import { dagGet } from './dag/get.js'
import { dagImport } from './dag/import.js'
import { dagPut } from './dag/put.js'
import { dagStat } from './dag/stat.js'
import { filesCp } from './files/cp.js'
import { files, filesChcid, filesFlush } from './files/flush.js'
import { filesLs } from './files/ls.js'
import { filesChmod, filesTouch } from './files/metadata.js'
import { filesMkdir } from './files/mkdir.js'
import { filesMv } from './files/mv.js'
import { filesRead } from './files/read.js'
import { filesRm } from './files/rm.js'
import { filesStat } from './files/stat.js'
import { filesWrite } from './files/write.js'
import { diagCmds, diagCmdsClear, diagCmdsSetTime, diagHealthy, diagSys } from './diag.js'
import { get } from './get.js'
import { id } from './id.js'
import { keyGen, keyList, keyRename, keyRm } from './key/keys.js'
import { keySign, keyVerify } from './key/sign.js'
import { keyImport } from './key/import.js'
import { logLevel, logLs, logTail } from './log.js'
import { ls } from './ls.js'
import { multibaseDecode, multibaseEncode, multibaseTranscode } from './multibase.js'
import { nameInspect, namePut, routingPut } from './name/records.js'
import { namePublish } from './name/publish.js'
import { nameResolve } from './name/resolve.js'
import { objectDiff } from './object/diff.js'
import { objectPatch, objectPatchAddLink, objectPatchRmLink } from './object/patch.js'
import { refusedOperations, unservedOperations } from './offline.js'
import { pinAdd } from './pin/add.js'
import { pinLs } from './pin/ls.js'
import { pinRemoteAdd, pinRemoteLs, pinRemoteRm } from './pin/remote.js'
import { pinRemoteServiceAdd, pinRemoteServiceLs, pinRemoteServiceRm } from './pin/remoteServices.js'
import { pinRm } from './pin/rm.js'
import { pinUpdate } from './pin/update.js'
import { pinVerify } from './pin/verify.js'
import { refs, refsLocal } from './refs.js'
import { repoGc, repoStat, repoVerify, repoVersion } from './repo.js'
import { resolve } from './resolve.js'
import {
  bitswapWantlist,
  namePubsubState,
  provideClear,
  pubsubReset,
  statsBitswap,
  statsBw,
} from './stats.js'
import {
  swarmAddrs,
  swarmConnect,
  swarmDisconnect,
  swarmListenAddrs,
  swarmLocalAddrs,
  swarmPeers,
} from './swarm.js'
import { version, versionDeps } from './version.js'

/** All operations, by path after `/api/v0/`. */
export const commands: ReadonlyMap<string, Command> = new Map<string, Command>([
  ['add', add],
  ['bitswap/stat', statsBitswap],
  ['bitswap/wantlist', bitswapWantlist],
  ['block/get', blockGet],
  ['block/put', blockPut],
  ['block/rm', blockRm],
  ['block/stat', blockStat],
  ['bootstrap', bootstrap],
  ['bootstrap/add', bootstrapAdd],
  ['bootstrap/list', bootstrapList],
  ['bootstrap/rm', bootstrapRm],
  ['bootstrap/rm/all', bootstrapRmAll],
  ['cat', cat],
  ['cid/base32', cidBase32],
  ['cid/bases', cidBases],
  ['cid/codecs', cidCodecs],
  ['cid/format', cidFormat],
  ['cid/hashes', cidHashes],
  ['cid/inspect', cidInspect],
  ['commands', commandsCommand(() => commands, unservedOperations)],
  ['config', config],
  ['config/profile/apply', configProfileApply],
  ['config/replace', configReplace],
  ['config/show', configShow],
  ['dag/export', dagExport],
  ['dag/get', dagGet],
  ['dag/import', dagImport],
  ['dag/put', dagPut],
  ['dag/resolve', dagResolve],
  ['dag/stat', dagStat],
  ['diag/cmds', diagCmds],
  ['diag/cmds/clear', diagCmdsClear],
  ['diag/cmds/set-time', diagCmdsSetTime],
  ['diag/healthy', diagHealthy],
  ['diag/sys', diagSys],
  ['files', files],
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
  ['key/gen', keyGen],
  ['key/import', keyImport],
  ['key/list', keyList],
  ['key/ls', keyList],
  ['key/rename', keyRename],
  ['key/rm', keyRm],
  ['key/sign', keySign],
  ['key/verify', keyVerify],
  ['log/level', logLevel],
  ['log/ls', logLs],
  ['log/tail', logTail],
  ['ls', ls],
  ['multibase/decode', multibaseDecode],
  ['multibase/encode', multibaseEncode],
  ['multibase/list', cidBases],
  ['multibase/transcode', multibaseTranscode],
  ['name/inspect', nameInspect],
  ['name/publish', namePublish],
  ['name/pubsub/state', namePubsubState],
  ['name/put', namePut],
  ['name/resolve', nameResolve],
  ['object/diff', objectDiff],
  ['object/patch', objectPatch],
  ['object/patch/add-link', objectPatchAddLink],
  ['object/patch/rm-link', objectPatchRmLink],
  ['pin/add', pinAdd],
  ['pin/ls', pinLs],
  ['pin/remote/add', pinRemoteAdd],
  ['pin/remote/ls', pinRemoteLs],
  ['pin/remote/rm', pinRemoteRm],
  ['pin/remote/service/add', pinRemoteServiceAdd],
  ['pin/remote/service/ls', pinRemoteServiceLs],
  ['pin/remote/service/rm', pinRemoteServiceRm],
  ['pin/rm', pinRm],
  ['pin/update', pinUpdate],
  ['pin/verify', pinVerify],
  ['provide/clear', provideClear],
  ['pubsub/reset', pubsubReset],
  ['refs', refs],
  ['refs/local', refsLocal],
  ['repo/gc', repoGc],
  ['repo/ls', refsLocal],
  ['repo/stat', repoStat],
  ['repo/verify', repoVerify],
  ['repo/version', repoVersion],
  ['resolve', resolve],
  ['routing/put', routingPut],
  ['stats/bitswap', statsBitswap],
  ['stats/bw', statsBw],
  ['stats/repo', repoStat],
  ['swarm/addrs', swarmAddrs],
  ['swarm/addrs/listen', swarmListenAddrs],
  ['swarm/addrs/local', swarmLocalAddrs],
  ['swarm/connect', swarmConnect],
  ['swarm/disconnect', swarmDisconnect],
  ['swarm/peers', swarmPeers],
  ['version', version],
  ['version/deps', versionDeps],
  ...refusedOperations,
])
