// Maps configuration files to the tools that they belong to.
import { lastPathSegments } from './project.ts'

export interface ConfiguredTool {
  readonly name: string
  readonly use:
    | 'checks'
    | 'tests'
    | 'build'
    | 'continuous integration'
    | 'containers'
    | 'deployment'
    | 'editor'
    | 'packages'
}

/** The first pattern that matches the path decides. */
const tools: readonly (readonly [pattern: RegExp, name: string, use: ConfiguredTool['use']])[] = [
  [/(^|\/)(\.eslintrc(\.\w+)?|eslint\.config\.\w+)$/, 'ESLint', 'checks'],
  [/(^|\/)(\.prettierrc(\.\w+)?|prettier\.config\.\w+)$/, 'Prettier', 'checks'],
  [/(^|\/)biome\.jsonc?$/, 'Biome', 'checks'],
  [/(^|\/)(\.stylelintrc(\.\w+)?|stylelint\.config\.\w+)$/, 'Stylelint', 'checks'],
  [/(^|\/)\.?oxlintrc\.json$/, 'oxlint', 'checks'],
  [/(^|\/)\.?ruff\.toml$/, 'Ruff', 'checks'],
  [/(^|\/)(\.flake8|\.pylintrc|pylintrc)$/, 'Flake8 or Pylint', 'checks'],
  [/(^|\/)\.?mypy\.ini$/, 'mypy', 'checks'],
  [/(^|\/)\.pre-commit-config\.yaml$/, 'pre-commit', 'checks'],
  [/(^|\/)\.husky\/|(^|\/)lefthook\.ya?ml$/, 'Git hooks', 'checks'],
  [/(^|\/)\.golangci\.(ya?ml|toml|json)$/, 'golangci-lint', 'checks'],
  [/(^|\/)\.?rustfmt\.toml$/, 'rustfmt', 'checks'],
  [/(^|\/)\.?clippy\.toml$/, 'Clippy', 'checks'],
  [/(^|\/)\.clang-format$/, 'clang-format', 'checks'],
  [/(^|\/)\.clang-tidy$/, 'clang-tidy', 'checks'],
  [/(^|\/)\.rubocop\.yml$/, 'RuboCop', 'checks'],
  [/(^|\/)phpstan\.neon(\.dist)?$/, 'PHPStan', 'checks'],
  [/(^|\/)psalm\.xml(\.dist)?$/, 'Psalm', 'checks'],
  [/(^|\/)(\.php-cs-fixer(\.dist)?\.php|pint\.json|\.styleci\.yml)$/, 'a PHP formatter', 'checks'],
  [/(^|\/)checkstyle\.xml$/, 'Checkstyle', 'checks'],
  [/(^|\/)stylecop\.json$|\.ruleset$/, 'StyleCop', 'checks'],
  [/(^|\/)\.markdownlint(-cli2)?(\.\w+)?$/, 'markdownlint', 'checks'],
  [/(^|\/)\.yamllint(\.ya?ml)?$/, 'yamllint', 'checks'],
  [
    /(^|\/)\.?codespell(rc)?$|(^|\/)\.?(cspell|typos)\.(json|toml|ya?ml)$/,
    'a spelling checker',
    'checks',
  ],
  [/(^|\/)sonar-project\.properties$/, 'Sonar', 'checks'],
  [/(^|\/)vitest\.config\.\w+$/, 'Vitest', 'tests'],
  [/(^|\/)jest\.config\.\w+$/, 'Jest', 'tests'],
  [/(^|\/)playwright\.config\.\w+$/, 'Playwright', 'tests'],
  [/(^|\/)cypress\.config\.\w+$/, 'Cypress', 'tests'],
  [/(^|\/)\.mocharc(\.\w+)?$/, 'Mocha', 'tests'],
  [/(^|\/)(pytest\.ini|conftest\.py)$/, 'pytest', 'tests'],
  [/(^|\/)tox\.ini$/, 'tox', 'tests'],
  [/(^|\/)noxfile\.py$/, 'Nox', 'tests'],
  [/(^|\/)phpunit\.xml(\.dist)?$/, 'PHPUnit', 'tests'],
  [/(^|\/)\.rspec$/, 'RSpec', 'tests'],
  [/(^|\/)\.?codecov\.ya?ml$/, 'Codecov', 'tests'],
  [/^\.github\/workflows\/[^/]+\.ya?ml$/, 'GitHub Actions', 'continuous integration'],
  [/^\.gitlab-ci\.yml$|^\.gitlab\/ci\//, 'GitLab CI', 'continuous integration'],
  [/^\.(gitea|forgejo)\/workflows\//, 'Forgejo Actions', 'continuous integration'],
  [/^\.circleci\/config\.yml$/, 'CircleCI', 'continuous integration'],
  [/^(\.travis\.yml)$/, 'Travis CI', 'continuous integration'],
  [
    /^azure-pipelines[\w.-]*\.ya?ml$|^\.?azure-pipelines\//,
    'Azure Pipelines',
    'continuous integration',
  ],
  [/^Jenkinsfile$/, 'Jenkins', 'continuous integration'],
  [/^\.?appveyor\.yml$/, 'AppVeyor', 'continuous integration'],
  [/^\.buildkite\//, 'Buildkite', 'continuous integration'],
  [/^bitbucket-pipelines\.yml$/, 'Bitbucket Pipelines', 'continuous integration'],
  [/^\.drone\.yml$|^\.woodpecker(\.ya?ml$|\/)/, 'Woodpecker', 'continuous integration'],
  [/^\.cirrus\.yml$/, 'Cirrus CI', 'continuous integration'],
  [/(^|\/)(Dockerfile|Containerfile)[\w.-]*$|\.dockerfile$/i, 'Docker', 'containers'],
  [/(^|\/)(docker-)?compose[\w.-]*\.ya?ml$/, 'Docker Compose', 'containers'],
  [/(^|\/)\.devcontainer\b/, 'Dev Containers', 'containers'],
  [/(^|\/)Chart\.yaml$/, 'Helm', 'deployment'],
  [/(^|\/)kustomization\.ya?ml$/, 'Kustomize', 'deployment'],
  [/\.tf$/, 'Terraform', 'deployment'],
  [/(^|\/)serverless\.ya?ml$/, 'Serverless', 'deployment'],
  [
    /(^|\/)(fly|netlify|wrangler)\.toml$|(^|\/)(vercel|firebase)\.json$|^Procfile$/,
    'a hosting platform',
    'deployment',
  ],
  [/(^|\/)\.goreleaser\.ya?ml$/, 'GoReleaser', 'deployment'],
  [/(^|\/)tsconfig[\w.-]*\.json$/, 'TypeScript', 'build'],
  [/(^|\/)vite\.config\.\w+$/, 'Vite', 'build'],
  [/(^|\/)webpack\.[\w.]+$/, 'webpack', 'build'],
  [/(^|\/)rollup\.config\.\w+$/, 'Rollup', 'build'],
  [/(^|\/)next\.config\.\w+$/, 'Next.js', 'build'],
  [/(^|\/)nuxt\.config\.\w+$/, 'Nuxt', 'build'],
  [/(^|\/)svelte\.config\.\w+$/, 'Svelte', 'build'],
  [/(^|\/)astro\.config\.\w+$/, 'Astro', 'build'],
  [/(^|\/)angular\.json$/, 'Angular', 'build'],
  [/(^|\/)tailwind\.config\.\w+$/, 'Tailwind CSS', 'build'],
  [/(^|\/)postcss\.config\.\w+$/, 'PostCSS', 'build'],
  [/(^|\/)(babel\.config\.\w+|\.babelrc)$/, 'Babel', 'build'],
  [/(^|\/)turbo\.json$/, 'Turborepo', 'build'],
  [/(^|\/)nx\.json$/, 'Nx', 'build'],
  [/(^|\/)lerna\.json$/, 'Lerna', 'build'],
  [/(^|\/)CMakeLists\.txt$|\.cmake$/, 'CMake', 'build'],
  [/(^|\/)meson\.build$/, 'Meson', 'build'],
  [/(^|\/)(BUILD|WORKSPACE|MODULE)(\.bazel)?$/, 'Bazel', 'build'],
  [/(^|\/)(settings|build)\.gradle(\.kts)?$/, 'Gradle', 'build'],
  [/(^|\/)(GNUm|m|M)akefile$/, 'make', 'build'],
  [/(^|\/)\.?[jJ]ustfile$/, 'just', 'build'],
  [/(^|\/)Taskfile\.ya?ml$/, 'Task', 'build'],
  [/(^|\/)flake\.nix$|(^|\/)shell\.nix$/, 'Nix', 'build'],
  [/\.sln(x)?$|(^|\/)Directory\.Build\.props$|(^|\/)global\.json$/, '.NET', 'build'],
  [/(^|\/)pnpm-workspace\.yaml$|(^|\/)pnpm-lock\.yaml$/, 'pnpm', 'packages'],
  [/(^|\/)yarn\.lock$/, 'Yarn', 'packages'],
  [/(^|\/)package-lock\.json$/, 'npm', 'packages'],
  [/(^|\/)bun\.lockb?$/, 'Bun', 'packages'],
  [/(^|\/)uv\.lock$/, 'uv', 'packages'],
  [/(^|\/)poetry\.lock$/, 'Poetry', 'packages'],
  [/(^|\/)(renovate\.json5?|\.renovaterc(\.json)?)$/, 'Renovate', 'packages'],
  [/^\.github\/dependabot\.ya?ml$/, 'Dependabot', 'packages'],
  [/(^|\/)\.editorconfig$/, 'EditorConfig', 'editor'],
]

/** Returns the tool that a file configures; undefined for all other files. */
export function findConfiguredTool(path: string): ConfiguredTool | undefined {
  const lastSegments = lastPathSegments(path)
  const tool = tools.find(([pattern]) => pattern.test(lastSegments))
  if (tool === undefined) return undefined
  const [, name, use] = tool
  return { name, use }
}
