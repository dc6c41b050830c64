// Describes GitLab for its configuration. Loads nothing, because every command reads it.

export const gitlabHost = {
  url: 'https://gitlab.com',
  apiUrlOf: (url: string) => `${url}/api/v4`,
  pullRequestPath: '-/merge_requests',
  help: {
    url: 'for self-managed GitLab `https://<host>`',
    apiUrl: 'for GitLab `<PLATFORM_URL>/api/v4`',
  },
}
