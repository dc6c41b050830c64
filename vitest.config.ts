// Configures the tests: test/service/ runs on each database engine, test/page/ in a browser, and
// all others once.
import { defineConfig } from 'vitest/config'

const engines = (process.env.TEST_ENGINES ?? 'embedded').split(',')

/**
 * Tests of models, rules, settings, clients, HTTP, streams, the code host and other servers. Other
 * tests run the same database code on each engine, so these run on the last engine only, which is
 * the faster one.
 */
const onOneEngine = [
  'app-installations',
  'app-sign-in',
  'checks',
  'commands',
  'commands-without-app',
  'conditional-requests',
  'connect-failures',
  'context-programs',
  'conversation',
  'conversation-injection',
  'decisions',
  'different-hosts',
  'dismissals',
  'enrich-project-map',
  'full-review',
  'gitea-webhooks',
  'http',
  'inherited-settings',
  'inherited-settings-app',
  'injection',
  'live-context',
  'live-context-model',
  'lost-access',
  'lost-deliveries',
  'lost-secret-key',
  'mcp-http',
  'mcp-overload',
  'mcp-streams',
  'metrics',
  'notifications',
  'review-attention-check',
  'review-comment-edits',
  'review-diff',
  'review-fork',
  'review-history',
  'review-hostile',
  'review-identity',
  'review-judge',
  'review-model',
  'review-parallel',
  'review-settings',
  'review-text-rules',
  'review-triggers',
  'scan-hostile',
  'settings',
  'settings-checks',
  'shared-checks',
  'tool-logs',
  'umpire-mcp',
  'unavailable-model',
  'unread-code',
].map((name) => `test/service/${name}.test.ts`)

export default defineConfig({
  test: {
    // Tests wait for other programs half of the time, so two cores serve four workers.
    maxWorkers: 4,
    // Loading all modules again for each file would take a fifth more time.
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    globalSetup: ['test/global-setup.ts'],
    setupFiles: ['test/cache-compiled-wasm.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts', 'src/**/*.test.ts'],
          exclude: [
            '**/node_modules/**',
            'test/service/**',
            'test/page/**',
            'test/crash/**',
            'test/power/**',
          ],
        },
      },
      {
        extends: true,
        test: {
          name: 'page',
          include: ['test/page/**/*.test.ts'],
          globalSetup: ['test/page/build-page.ts'],
          env: { TEST_ENGINE: engines.at(-1)! },
        },
      },
      ...engines.map((engine) => ({
        extends: true as const,
        test: {
          name: engine,
          include: ['test/service/**/*.test.ts'],
          exclude: engine === engines.at(-1) ? [] : onOneEngine,
          env: { TEST_ENGINE: engine },
        },
      })),
    ],
  },
})
