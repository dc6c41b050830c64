// The addresses of GitHub. Loads nothing, because every command reads them.

export const githubAddresses = {
  url: 'https://github.com',
  /** GitHub Enterprise Server has its API under a path. */
  apiUrlOf: (url: string) =>
    url === 'https://github.com' ? 'https://api.github.com' : `${url}/api/v3`,
}
