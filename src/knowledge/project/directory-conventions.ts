// Lists conventional names of directories and describes what such directories contain.

export interface DirectoryConvention {
  readonly type: string
  /** A phrase that can be used as a sentence. */
  readonly description: string
}

/** Each line has the form `type: description: names`. */
const table = `
test: Tests: test tests __tests__ spec specs unit integration
test: End-to-end tests: e2e cypress playwright acceptance
test: Test data: fixtures __fixtures__ testdata test-data snapshots __snapshots__
test: Test doubles: mocks __mocks__ fakes
module: Templates for generated files: stubs scaffolding
test: Benchmarks: bench benches benchmark benchmarks perf
document: Documentation: docs doc documentation wiki guides guide manual
document: Decision records: adr adrs decisions rfcs rfc
example: Examples: examples example samples sample demo demos playground playgrounds sandbox
example: Examples: cookbook
config: Configuration: config configs configuration conf settings etc
config: Settings of the code-hosting platform: .github .gitlab .gitea .forgejo
config: Continuous integration: ci .circleci .ci workflows .buildkite .azure-pipelines
config: Templates for issues: ISSUE_TEMPLATE
config: Settings of the editor: .vscode .idea .zed .cursor
config: Git hooks: .husky hooks.d githooks
config: Development container: .devcontainer
script: Scripts: script scripts bin tasks hack
script: Tools for working on the repository: tools tooling devtools dev
deployment: Deployment: deploy deployment deployments infra infrastructure terraform ansible
deployment: Deployment: packaging installer
deployment: Containers: docker containers .docker
deployment: Kubernetes and Helm: k8s kubernetes helm charts chart kustomize
build: Building the project: build buildscripts build-scripts cmake make
migration: Changes of the database's schema: migration migrations migrate
api: Routes and request handling: api apis rest routes route router routers routing controllers
api: Routes and request handling: controller endpoints
api: Handlers of requests and events: handlers handler
api: GraphQL: graphql resolvers
api: Interfaces between processes, as protocol definitions: proto protos protobuf grpc rpc
api: HTTP: http
service: The server: server backend
component: The user interface in the browser: web client frontend webview webapp
api: Middleware for requests: middleware middlewares
model: Models, the data of the program: models model entities entity domain
model: Types and schemas: types type schemas schema interfaces dto dtos contracts @types typings
service: Services, what the program does with its data: services service usecases use-cases
service: Background work: jobs job workers worker queue queues tasks cron
service: Access to the database: db database databases dao persistence
service: Data storage: store stores storage repository repositories
service: Signing in and permissions: auth authentication authorization oauth
service: Clients of other services: clients integrations connectors adapters adapter
component: Parts of the user interface: components component ui widgets
component: Views and pages: views view pages page screens
component: Layouts and templates: layouts layout templates partials
component: Hooks of the user interface: hooks composables
style: Styles: styles style css scss less sass theme themes
asset: Images, fonts and other static files: assets asset static public images image img icons
asset: Images, fonts and other static files: fonts media
asset: Resources: resources resource res
translation: Translations: locales locale i18n l10n lang langs translations translation intl
module: Helpers used in many places: utils util utilities helpers helper
module: Code shared by other parts: common shared
module: The core of the program: core kernel
module: Commands of the command line: cmd commands command cli
module: Plugins: plugins plugin extensions addons
module: Errors: errors error exceptions
module: Events: events event listeners
module: Logging and metrics: logging logger log telemetry metrics monitoring observability
module: Prompts for language models: prompts prompt
module: Caching: cache caching
module: Notifications and mail: notifications mail mailer email
`

const conventions = new Map<string, DirectoryConvention>()
for (const line of table.trim().split('\n')) {
  const [type = '', description = '', names = ''] = line.split(/:\s+/)
  for (const name of names.split(' ')) {
    if (!conventions.has(name)) conventions.set(name, { type, description })
  }
}

/** Returns the convention for a directory's name; undefined if there is none. */
export function findDirectoryConvention(name: string): DirectoryConvention | undefined {
  return conventions.get(name) ?? conventions.get(name.toLowerCase())
}
