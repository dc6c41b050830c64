// How the tests run: those under test/service/ once on each database engine, all others once; test/page/ in a browser.
import { defineConfig } from 'vitest/config'

const engines = (process.env.TEST_ENGINES ?? 'embedded').split(',')

export default defineConfig({
  test: {
    // Two cores: more files at once only make each slower.
    maxWorkers: 2,
    // Files leave nothing behind in the modules that they share. To load and compile those anew for each takes a fifth more.
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    globalSetup: ['test/prepare.ts'],
    setupFiles: ['test/keep-compiled.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts', 'src/**/*.test.ts'],
          exclude: ['**/node_modules/**', 'test/service/**', 'test/page/**', 'test/crash/**', 'test/power/**'],
        },
      },
      {
        extends: true,
        test: { name: 'page', include: ['test/page/**/*.test.ts'], globalSetup: ['test/page/prepare.ts'] },
      },
      ...engines.map((engine) => ({
        extends: true as const,
        test: { name: engine, include: ['test/service/**/*.test.ts'], env: { TEST_ENGINE: engine } },
      })),
    ],
  },
})
