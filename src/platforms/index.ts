// Creates the adapter of the configured code-hosting platform.
import { noMetrics } from '../metrics/metrics.ts'
import { createGitea } from './gitea/gitea.ts'
import { forgejo, gitea } from './gitea/variants.ts'
import { createGithub } from './github/github.ts'
import { createGitlab } from './gitlab/gitlab.ts'
import type { Platform } from './platform.ts'
import type { PlatformConfig } from './platform-config.ts'
import type { PlatformMetrics } from './record-platform-calls.ts'
import { noPacing, type WritePacer } from './write-pacer.ts'

export function createPlatform(
  config: PlatformConfig,
  parts: { metrics?: PlatformMetrics; writePacer?: WritePacer } = {},
): Platform {
  const { metrics = noMetrics, writePacer = noPacing } = parts
  switch (config.id) {
    case 'github':
      return createGithub(config, { metrics, writePacer })
    case 'gitea':
      return createGitea(config, gitea, { metrics, writePacer })
    case 'forgejo':
      return createGitea(config, forgejo, { metrics, writePacer })
    case 'gitlab':
      return createGitlab(config, { metrics, writePacer })
  }
}
