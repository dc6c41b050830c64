// What the customary names of directories mean: the type of what they hold, and words for it.

export interface DirectoryConvention {
  readonly type: string
  /** A phrase that can stand as a sentence. */
  readonly description: string
}

/** `type: words: names`, one a line. */
const table = `
test: Tests: test tests __tests__ spec specs unit integration
test: End-to-end tests: e2e cypress playwright acceptance
test: Test data: fixtures __fixtures__ testdata test-data snapshots __snapshots__
test: Stand-ins for tests: mocks __mocks__ fakes
module: Templates that files are made from: stubs scaffolding
test: Benchmarks: bench benches benchmark benchmarks perf
document: Documentation: docs doc documentation wiki guides guide manual
document: Decision records: adr adrs decisions rfcs rfc
example: Examples: examples example samples sample demo demos playground playgrounds sandbox cookbook
config: Configuration: config configs configuration conf settings etc
config: What the code-hosting platform is told about the repository: .github .gitlab .gitea .forgejo
config: Continuous integration: ci .circleci .ci workflows .buildkite .azure-pipelines
config: Templates for issues: ISSUE_TEMPLATE
config: Settings of the editor: .vscode .idea .zed .cursor
config: Git hooks: .husky hooks.d githooks
config: The container that people develop in: .devcontainer
script: Scripts: script scripts bin tasks hack
script: Tools for working on the repository: tools tooling devtools dev
deployment: Deployment: deploy deployment deployments infra infrastructure terraform ansible packaging installer
deployment: Containers: docker containers .docker
deployment: Kubernetes and Helm: k8s kubernetes helm charts chart kustomize
build: Building the project: build buildscripts build-scripts cmake make
migration: Changes of the database's schema: migration migrations migrate
api: What answers requests: api apis rest routes route router routers routing controllers controller endpoints
api: Handlers of requests and events: handlers handler
api: GraphQL: graphql resolvers
api: Interfaces between processes, as protocol definitions: proto protos protobuf grpc rpc
api: HTTP: http
service: The server: server backend
component: The user interface in the browser: web client frontend webview webapp
api: Middleware, between a request and what answers it: middleware middlewares
model: Models, the data that the program is about: models model entities entity domain
model: Types and schemas: types type schemas schema interfaces dto dtos contracts @types typings
service: Services, what the program does with its data: services service usecases use-cases
service: Background work: jobs job workers worker queue queues tasks cron
service: Access to the database: db database databases dao persistence
service: Where data is kept and found: store stores storage repository repositories
service: Signing in and permissions: auth authentication authorization oauth
service: Clients of other services: clients integrations connectors adapters adapter
component: Parts of the user interface: components component ui widgets
component: Views and pages: views view pages page screens
component: Layouts and templates: layouts layout templates partials
component: Hooks of the user interface: hooks composables
style: Styles: styles style css scss less sass theme themes
asset: Images, fonts and other files that are served as they are: assets asset static public images image img icons fonts media
asset: Resources: resources resource res
translation: Translations: locales locale i18n l10n lang langs translations translation intl
module: Helpers used in many places: utils util utilities helpers helper
module: Code shared by other parts: common shared
module: The core of the program: core kernel
module: Commands of the command line: cmd commands command cli
module: Plugins: plugins plugin extensions addons
module: Errors: errors error exceptions
module: Events: events event listeners
module: Logging and measuring: logging logger log telemetry metrics monitoring observability
module: Prompts for language models: prompts prompt
module: Caching: cache caching
module: Notifications and mail: notifications mail mailer email
`

const conventions = new Map<string, DirectoryConvention>()
for (const line of table.trim().split('\n')) {
  const [type = '', words = '', names = ''] = line.split(/:\s+/)
  for (const name of names.split(' '))
    if (!conventions.has(name)) conventions.set(name, { type, description: words })
}

/** By the last part of its path; undefined for a name of no custom. */
export function findDirectoryConvention(name: string): DirectoryConvention | undefined {
  return conventions.get(name) ?? conventions.get(name.toLowerCase())
}
