// Describes GitHub for its configuration. Loads nothing, because every command reads it.

export const githubHost = {
  url: 'https://github.com',
  /** GitHub Enterprise Server has its API under a path. */
  apiUrlOf: (url: string) =>
    url === 'https://github.com' ? 'https://api.github.com' : `${url}/api/v3`,
  pullRequestPath: 'pull',
  help: {
    url: 'for GitHub Enterprise Server `https://<host>`',
    apiUrl: '`https://api.github.com`, or `<PLATFORM_URL>/api/v3`',
  },
}
