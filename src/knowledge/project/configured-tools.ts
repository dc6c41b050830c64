// Maps configuration files to the tools that they belong to.
import { lastPathSegments } from './project.ts'

/**
 * The files that configure each tool, as patterns of their last path segments, or with `^` of their
 * whole path. The first that matches a path decides.
 */
const files = {
  checks: {
    ESLint: /\.eslintrc(\.\w+)?|eslint\.config\.\w+/,
    Prettier: /\.prettierrc(\.\w+)?|prettier\.config\.\w+/,
    Biome: /biome\.jsonc?/,
    Stylelint: /\.stylelintrc(\.\w+)?|stylelint\.config\.\w+/,
    oxlint: /\.?oxlintrc\.json/,
    Ruff: /\.?ruff\.toml/,
    'Flake8 or Pylint': /\.flake8|\.pylintrc|pylintrc/,
    mypy: /\.?mypy\.ini/,
    'pre-commit': /\.pre-commit-config\.yaml/,
    'Git hooks': /\.husky\/.*|lefthook\.ya?ml/,
    'golangci-lint': /\.golangci\.(ya?ml|toml|json)/,
    rustfmt: /\.?rustfmt\.toml/,
    Clippy: /\.?clippy\.toml/,
    'clang-format': /\.clang-format/,
    'clang-tidy': /\.clang-tidy/,
    RuboCop: /\.rubocop\.yml/,
    PHPStan: /phpstan\.neon(\.dist)?/,
    Psalm: /psalm\.xml(\.dist)?/,
    'a PHP formatter': /\.php-cs-fixer(\.dist)?\.php|pint\.json|\.styleci\.yml/,
    Checkstyle: /checkstyle\.xml/,
    StyleCop: /stylecop\.json|[^/]*\.ruleset/,
    markdownlint: /\.markdownlint(-cli2)?(\.\w+)?/,
    yamllint: /\.yamllint(\.ya?ml)?/,
    'a spelling checker': /\.?codespell(rc)?|\.?(cspell|typos)\.(json|toml|ya?ml)/,
    Sonar: /sonar-project\.properties/,
  },
  tests: {
    Vitest: /vitest\.config\.\w+/,
    Jest: /jest\.config\.\w+/,
    Playwright: /playwright\.config\.\w+/,
    Cypress: /cypress\.config\.\w+/,
    Mocha: /\.mocharc(\.\w+)?/,
    pytest: /pytest\.ini|conftest\.py/,
    tox: /tox\.ini/,
    Nox: /noxfile\.py/,
    PHPUnit: /phpunit\.xml(\.dist)?/,
    RSpec: /\.rspec/,
    Codecov: /\.?codecov\.ya?ml/,
  },
  'continuous integration': {
    'GitHub Actions': /^\.github\/workflows\/[^/]+\.ya?ml/,
    'GitLab CI': /^\.gitlab-ci\.yml|^\.gitlab\/ci\/.*/,
    'Forgejo Actions': /^\.(gitea|forgejo)\/workflows\/.*/,
    CircleCI: /^\.circleci\/config\.yml/,
    'Travis CI': /^\.travis\.yml/,
    'Azure Pipelines': /^azure-pipelines[\w.-]*\.ya?ml|^\.?azure-pipelines\/.*/,
    Jenkins: /^Jenkinsfile/,
    AppVeyor: /^\.?appveyor\.yml/,
    Buildkite: /^\.buildkite\/.*/,
    'Bitbucket Pipelines': /^bitbucket-pipelines\.yml/,
    Woodpecker: /^\.drone\.yml|^\.woodpecker(\.ya?ml|\/.*)/,
    'Cirrus CI': /^\.cirrus\.yml/,
  },
  containers: {
    Docker: /(Dockerfile|Containerfile)[\w.-]*|[^/]*\.dockerfile/i,
    'Docker Compose': /(docker-)?compose[\w.-]*\.ya?ml/,
    'Dev Containers': /\.devcontainer\b.*/,
  },
  deployment: {
    Helm: /Chart\.yaml/,
    Kustomize: /kustomization\.ya?ml/,
    Terraform: /[^/]*\.tf/,
    Serverless: /serverless\.ya?ml/,
    'a hosting platform': /(fly|netlify|wrangler)\.toml|(vercel|firebase)\.json|^Procfile/,
    GoReleaser: /\.goreleaser\.ya?ml/,
  },
  build: {
    TypeScript: /tsconfig[\w.-]*\.json/,
    Vite: /vite\.config\.\w+/,
    webpack: /webpack\.[\w.]+/,
    Rollup: /rollup\.config\.\w+/,
    'Next.js': /next\.config\.\w+/,
    Nuxt: /nuxt\.config\.\w+/,
    Svelte: /svelte\.config\.\w+/,
    Astro: /astro\.config\.\w+/,
    Angular: /angular\.json/,
    'Tailwind CSS': /tailwind\.config\.\w+/,
    PostCSS: /postcss\.config\.\w+/,
    Babel: /babel\.config\.\w+|\.babelrc/,
    Turborepo: /turbo\.json/,
    Nx: /nx\.json/,
    Lerna: /lerna\.json/,
    CMake: /CMakeLists\.txt|[^/]*\.cmake/,
    Meson: /meson\.build/,
    Bazel: /(BUILD|WORKSPACE|MODULE)(\.bazel)?/,
    Gradle: /(settings|build)\.gradle(\.kts)?/,
    make: /(GNUm|m|M)akefile/,
    just: /\.?[jJ]ustfile/,
    Task: /Taskfile\.ya?ml/,
    Nix: /flake\.nix|shell\.nix/,
    '.NET': /[^/]*\.sln(x)?|Directory\.Build\.props|global\.json/,
  },
  packages: {
    pnpm: /pnpm-workspace\.yaml|pnpm-lock\.yaml/,
    Yarn: /yarn\.lock/,
    npm: /package-lock\.json/,
    Bun: /bun\.lockb?/,
    uv: /uv\.lock/,
    Poetry: /poetry\.lock/,
    Renovate: /renovate\.json5?|\.renovaterc(\.json)?/,
    Dependabot: /^\.github\/dependabot\.ya?ml/,
  },
  editor: {
    EditorConfig: /\.editorconfig/,
  },
} satisfies Readonly<Record<string, Readonly<Record<string, RegExp>>>>

export interface ConfiguredTool {
  readonly name: string
  readonly use: keyof typeof files
}

const tools = Object.entries(files).flatMap(([use, patterns]) =>
  Object.entries(patterns).map(([name, { source, flags }]) => ({
    tool: { name, use: use as ConfiguredTool['use'] },
    pattern: new RegExp(`(^|/)(${source})$`, flags),
  })),
)

/** Returns the tool that a file configures; undefined for all other files. */
export function findConfiguredTool(path: string): ConfiguredTool | undefined {
  const lastSegments = lastPathSegments(path)
  return tools.find(({ pattern }) => pattern.test(lastSegments))?.tool
}
