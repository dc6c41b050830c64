// How the tests run: those under test/service/ on each database engine, all others once; test/page/ in a browser.
import { defineConfig } from 'vitest/config'

const engines = (process.env.TEST_ENGINES ?? 'embedded').split(',')

/**
 * What models, clients and other servers are told, what comes of what they say, and what becomes of it in later reviews: all that
 * these ask of a database, others ask of each. They run on the last engine only, which is the faster one.
 */
const onOneEngine = [
  'context-programs',
  'injection',
  'live-context',
  'live-context-model',
  'lost-key',
  'mcp-http',
  'metrics',
  'review-history',
  'review-judge',
  'review-model',
  'review-parallel',
  'review-settings',
  'umpire-mcp',
].map((name) => `test/service/${name}.test.ts`)

export default defineConfig({
  test: {
    // For two cores: a quarter of the time, tests wait for programs that they started.
    maxWorkers: 3,
    // Files leave nothing behind in the modules that they share: to load those anew for each takes a fifth more time.
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
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
