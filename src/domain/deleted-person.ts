// Names what stands for a person whose data was deleted.

/** Code hosts show deleted accounts under this username, too. No person can have it. */
export const deletedLogin = 'ghost'

/** A person at a code host, who may never have signed in. */
export interface PersonName {
  readonly login: string
  /** The end of the names of the host's repositories: `@` and its id; empty for the first host. */
  readonly suffix: string
}
