// The list of code-hosting platforms.
import { createGithub } from './github/github.ts'
import type { Platform, PlatformConfig } from './platform.ts'

/** The adapter for the configured platform. Connects to nothing yet. */
export function createPlatform(config: PlatformConfig): Platform {
  switch (config.id) {
    case 'github':
      return createGithub(config)
  }
}
