/** The release of Kubo whose answers these are. */
export const kuboVersion = '0.42.0'

/** The version of the repository layout that Kubo of that release reports. */
export const repoVersion = '18'

/** What the node calls itself. */
export const agentVersion = `kubo/${kuboVersion}/standin`
