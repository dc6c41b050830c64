// Describes Gitea and Forgejo for their configuration. Loads nothing, because every command reads
// it.

const selfHosted = {
  // A token must not reach a public server because the address of another one is missing.
  url: null,
  apiUrlOf: (url: string) => `${url}/api/v1`,
  pullRequestPath: 'pulls',
  help: {
    url: 'required for Gitea and Forgejo, for example `https://codeberg.org`',
    apiUrl: 'for Gitea and Forgejo `<PLATFORM_URL>/api/v1`',
  },
}

export const giteaHost = selfHosted
export const forgejoHost = selfHosted
