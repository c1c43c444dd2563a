export { decodeConsoleLog } from './consoleLog/decode.js'
export { Contracts } from './contracts.js'
export { describeFailure } from './describeFailure.js'
export { traceTrees } from './traceTrees.js'
