// The layers and public files of the folders of src/, as tables for the test of the architecture.

/** Layers from top to bottom. A file may import from its own layer and from those below it. */
export const layers: readonly (readonly string[])[] = [
  ['cli'],
  ['app.ts'],
  ['review-context.ts', 'host-contexts.ts', 'read-config.ts'],
  ['worker'],
  ['http', 'mcp'],
  ['workflows'],
  ['reviewers'],
  ['tools'],
  ['commands', 'events', 'accounts', 'knowledge', 'analytics', 'work'],
  ['db', 'platforms', 'models', 'notifications'],
  // Everything that calls external services records metrics.
  ['git', 'code', 'metrics'],
  ['languages'],
  ['config', 'lib'],
  ['domain'],
  ['contract'],
]

/** It holds types only, so every layer may import it. */
export const contextFile = 'context.ts'

/** A folder with more files than this needs inner layers. */
export const maxFilesWithoutLayers = 25

/**
 * The layers inside large folders, from top to bottom. A file may import from its layer and
 * from those below it. `name/` is a folder, and `*` alone means all that no other layer names.
 */
export const innerLayers: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'languages/rules': [
    // Checks that languages share.
    ['*'],
    // What text an expression builds, and where the values in it come from.
    ['injection-hit.ts'],
    ['value-sources.ts'],
    ['sent-values.ts'],
    ['built-text.ts'],
    ['appended-texts.ts', 'own-functions.ts', 'sent-names.ts'],
    // What differs by language.
    ['requests.ts', 'sinks.ts'],
    // Read code alike in all languages.
    ['bindings.ts', 'literals.ts', 'statements.ts'],
    ['calls.ts', 'functions.ts', 'operations.ts'],
    ['language-rules.ts'],
    ['pattern-check.ts', 'syntax-check.ts', 'syntax-nodes.ts'],
    [
      ...['callee-words.ts', 'check-words.ts', 'declaration-index.ts', 'developer-tools.ts'],
      ...['secret-names.ts', 'sql-text.ts', 'swallowed-errors.ts', 'word-index.ts'],
    ],
  ],
  cli: [
    ['cli.ts'],
    ['*-command.ts'],
    ['*'],
    ['reports/'],
    ['evaluation/'],
    ['execute-review.ts', 'read-tool-logs.ts'],
    ['hint-at-variables.ts', 'parse-options.ts', 'review-options.ts'],
    ['exit-codes.ts', 'misspelled-variables.ts'],
  ],
  http: [
    ['routes.ts', 'create-server.ts', 'control-server.ts', 'metrics-server.ts'],
    ['*-routes.ts', '*-route.ts'],
    // What routes have in common.
    ['*'],
    ['server.ts'],
  ],
  workflows: [
    ['review-pull-request.ts'],
    // A file for each step, or for what a person requests.
    ['*'],
    // Parts of what follows the judgment, and of what people request.
    ['notifying/'],
    ['posting/', 'learning/', 'scanning/', 'showing/', 'signing-in/'],
    ['judge-findings.ts', 'gathering/', 'judging/', 'packing/'],
    ['connecting/', 'diagnose/', 'remembering/'],
    // What several steps decide or name in the same way.
    [
      'decide-verdict.ts',
      'describe-failure.ts',
      'limit-round.ts',
      'open-budget.ts',
      'review-end-names.ts',
      'run-reviewers.ts',
    ],
  ],
  reviewers: [
    [
      'agentic-reviewer.ts',
      'answerer.ts',
      'parallel-reviewer.ts',
      'static-reviewer.ts',
      'tool-reviewer.ts',
      'verifier.ts',
    ],
    // Asking a model in rounds.
    ['*'],
    ['attention/'],
    ['parse-findings.ts', 'prompts/', 'rules/', 'sarif/'],
    ['reviewer.ts', 'packed-context.ts'],
  ],
  'reviewers/rules': [
    ['inspect-file.ts', 'check-*.ts', 'list-rules.ts', 'propose-finding.ts'],
    ['index.ts', 'line-rules.ts'],
    ['*-rules.ts'],
    // What rules have in common.
    ['*'],
    ['rule.ts'],
    ['dependency-manifest.ts', 'package-lock.ts', 'shapes.ts'],
  ],
  knowledge: [
    ['delete-person-knowledge.ts', 'delete-repository-knowledge.ts', 'change/'],
    ['graph/'],
    ['project/'],
    ['memory/'],
    ['file-activity/', 'resolution/'],
  ],
  'knowledge/change': [
    ['read-change-graph.ts', 'search-change-graph.ts', 'find-symbol-uses.ts'],
    ['read-code-of-change.ts'],
    ['read-code-impact.ts'],
    ['load-change-code.ts'],
    // What finds one part of the impact, or reads one part of the code.
    ['*'],
  ],
  platforms: [
    ['create-code-host.ts'],
    ['index.ts', 'annotation-formats.ts', 'code-hosts.ts'],
    ['platform-config.ts'],
    ['gitea/', 'github/', 'gitlab/'],
    ['publishing/'],
    // How calls are sent, repeated and continued.
    ['http/'],
    ['*'],
    ['platform.ts'],
    ['platform-app.ts'],
    ['delivery-reader.ts'],
  ],
  'platforms/github': [
    ['github.ts'],
    // What the methods of the platform do.
    ['*'],
    ['request-rules.ts'],
    ['classify-write.ts', 'read-rate-limit.ts', 'response-error.ts'],
  ],
  'platforms/gitlab': [
    ['gitlab.ts'],
    // What the methods of the platform do.
    ['*'],
    [
      'delivered-change.ts',
      'parse-time.ts',
      'project-calls.ts',
      'sign-in.ts',
      'verify-delivery.ts',
    ],
  ],
  db: [
    ['inspect-database.ts', 'run-migrations.ts', 'analyze-tables.ts', 'read-clock.ts'],
    ['database.ts', 'migrations/'],
    ['embedded/', 'postgresql.ts', '*'],
    ['database-errors.ts', 'sql-values.ts', 'schema.ts'],
  ],
  git: [
    ['local-edits.ts', 'local-history.ts', 'find-default-branch.ts', 'prune-mirrors.ts'],
    ['scratch-repository.ts', 'local-repository.ts', 'mirror.ts'],
    ['git-snapshot.ts', 'compare-trees.ts', 'read-blobs.ts'],
    ['list-tree.ts', 'search-commit.ts', 'object-reader.ts', 'mirror-folder.ts'],
    ['run-git.ts'],
    // What starts no process.
    ['*'],
  ],
  code: [['syntax-parser.ts', 'syntax-worker.ts'], ['indexing/', 'patterns/'], ['*']],
  contract: [['endpoints.ts'], ['*-endpoints.ts'], ['*']],
  events: [
    ['*'],
    ['list-reviews.ts', 'list-deliveries.ts'],
    // What several queries have in common.
    [
      'finding-outcomes.ts',
      'listing.ts',
      'payload.ts',
      'reconciliations.ts',
      'review-history.ts',
      'search-text.ts',
      'select-findings.ts',
    ],
  ],
  languages: [
    // What is looked up in the list.
    ['linguist.ts', 'test-paths.ts'],
    ['index.ts'],
    // A folder for each language.
    ['*'],
    ['language.ts'],
    ['common/', 'rules/'],
    ['code-index.ts'],
  ],
}

/**
 * The files of each subfolder that files outside of its top-level folder may import. `*` means all,
 * because each of them does something that people or other folders request. `name/*` stands for all
 * other subfolders of a folder.
 */
export const publicFiles: Readonly<Record<string, readonly string[]>> = {
  'cli/evaluation': [],
  'cli/reports': [],
  'code/indexing': ['encode-file-index.ts', 'source-kind.ts'],
  'code/patterns': ['prepare-patterns.ts'],
  'db/embedded': [],
  'db/migrations': [],
  'knowledge/change': [
    'change-graph-context.ts',
    'code-cache.ts',
    'create-code-cache.ts',
    'exported-names.ts',
    'find-named-definitions.ts',
    'find-symbol-uses.ts',
    'read-change-graph.ts',
    'search-change-graph.ts',
  ],
  'knowledge/file-activity': [
    'count-pull-requests.ts',
    'move-file-activity.ts',
    'save-file-activity.ts',
  ],
  'knowledge/graph': ['choose-files.ts', 'read-graph.ts', 'read-project-files.ts', 'sync-graph.ts'],
  'knowledge/memory': [
    'dismiss-memory.ts',
    'end-memories.ts',
    'memory-query.ts',
    'move-memories.ts',
    'prune-memories.ts',
    'read-memories.ts',
    'save-memories.ts',
    'save-vectors.ts',
    'search-memories.ts',
    'vectors.ts',
  ],
  'knowledge/project': ['describe-project.ts', 'format-text.ts', 'plain-text.ts', 'project.ts'],
  'knowledge/resolution': ['library-method-names.ts'],
  'languages/*': [],
  'languages/common': [
    'calling-convention.ts',
    'comment-style.ts',
    'dialect.ts',
    'file-index-builder.ts',
    'file-tree.ts',
    'flat-tree.ts',
    'import-config.ts',
    'index-spec.ts',
    'manifest-file.ts',
    'parse-jsonc.ts',
    'parse-toml.ts',
    'resolved-import.ts',
  ],
  'languages/rules': [
    'absent-values.ts',
    'argument-order.ts',
    'bindings.ts',
    'built-text.ts',
    'calls.ts',
    'copied-code.ts',
    'copied-messages.ts',
    'danger-checks.ts',
    'dead-values.ts',
    'declaration-index.ts',
    'effects.ts',
    'endless-loops.ts',
    'exposure-checks.ts',
    'failure-as-success.ts',
    'fixed-comparisons.ts',
    'format-counts.ts',
    'functions.ts',
    'good-path-close.ts',
    'host-checks.ts',
    'identity-hit.ts',
    'implicit-recursion.ts',
    'index-bounds.ts',
    'injection-hit.ts',
    'language-rules.ts',
    'literals.ts',
    'local-values.ts',
    'logged-only.ts',
    'lock-regions.ts',
    'loop-bounds.ts',
    'lost-failures.ts',
    'measures.ts',
    'mixed-measures.ts',
    'operations.ts',
    'overwritten-values.ts',
    'pattern-check.ts',
    'repetitions.ts',
    'request-checks.ts',
    'secret-names.ts',
    'sent-values.ts',
    'shared-work.ts',
    'shell-checks.ts',
    'slice-bounds.ts',
    'sql-checks.ts',
    'statements.ts',
    'stored-values.ts',
    'swallowed-errors.ts',
    'syntax-check.ts',
    'syntax-nodes.ts',
    'typed-comparisons.ts',
    'unchanged-counter.ts',
    'unchecked-values.ts',
    'unreleased.ts',
    'unsynchronized-state.ts',
    'unused-results.ts',
    'unwaited-work.ts',
    'value-sources.ts',
    'weak-secrets.ts',
    'word-index.ts',
    'zone-mixes.ts',
  ],
  // The project map names the dependencies of crates, too.
  'languages/rust': ['read-crate.ts'],
  'platforms/gitea': [],
  'platforms/github': [],
  'platforms/gitlab': [],
  'platforms/http': [],
  'platforms/publishing': [],
  'reviewers/attention': ['canary.ts'],
  'reviewers/prompts': [
    'map-prompt.ts',
    'prompt-fence.ts',
    'prompt-versions.ts',
    'review-prompt.ts',
  ],
  'reviewers/rules': ['index.ts', 'list-rules.ts', 'rule-file-kind.ts', 'secret-rules.ts'],
  'reviewers/sarif': ['read-sarif.ts', 'unpack-logs.ts'],
  'tools/sources': [
    'call-tool.ts',
    'context-sources.ts',
    'pin-store.ts',
    'read-source-configs.ts',
    'source-config.ts',
  ],
  'workflows/commanding': [],
  'workflows/connecting': ['*'],
  'workflows/conversing': [],
  'workflows/diagnose': ['*'],
  'workflows/gathering': [
    'derive-source-queries.ts',
    'fetch-change-commits.ts',
    'gather-live-context.ts',
    'list-tool-logs.ts',
    'organization-settings.ts',
    'read-settings.ts',
  ],
  'workflows/judging': [],
  'workflows/learning': [],
  'workflows/notifying': ['manage-channels.ts', 'send-notifications.ts'],
  'workflows/packing': [],
  'workflows/people': ['*'],
  'workflows/posting': ['redact-review.ts', 'summarize-review.ts'],
  'workflows/remembering': ['*'],
  'workflows/scanning': [],
  'workflows/showing': ['*'],
  'workflows/signing-in': ['*'],
}

/** Exports that only tests and benchmarks import. */
export const exportsForTests: readonly string[] = [
  // Types that the product infers.
  'app.ts App',
  'db/database.ts DatabaseConfig',
  'db/embedded/embedded-database.ts Limits',
  'events/list-reviews.ts ReviewFilter',
  'git/mirror.ts MirrorOptions',
  'lib/program-spawner.ts ProgramSpawner',
  'workflows/judge-findings.ts JudgedReport',
  // Parts of a file that are tested by themselves.
  'code/indexing/flatten-tree.ts createColumns',
  'code/indexing/flatten-tree.ts flattenByCursor',
  'git/commentable-lines.ts commentableLines',
  'knowledge/resolution/follow-exports.ts resolveExport',
  'workflows/diagnose/check-data-folder.ts assessFreeSpace',
  'workflows/judging/anchor.ts anchorCandidate',
  // Tables that tests compare with documents, samples or what was started.
  'db/embedded/engine.ts durableStartParameters',
  'reviewers/rules/dependency-manifest.ts publicHosts',
  'reviewers/rules/line-rules.ts lineRules',
]
