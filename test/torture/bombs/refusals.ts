/** Words of the refusals that bombs are meant to get, by their names. */
export const refusals: Readonly<Record<string, string>> = {}
