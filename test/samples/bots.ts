// Bots that read comments, each with what it looks for and with commands that it obeys.

/** How a bot finds its commands in the raw text of a comment. */
export interface Bot {
  readonly name: string
  readonly reads: RegExp
  readonly commands: readonly string[]
}

export const bots: readonly Bot[] = [
  {
    name: 'Prow',
    reads:
      /^\/(?:(?:remove-)?(?:lgtm|approve|hold)|ok-to-test|retest|test|override|close|assign|label|rerun)\b/im,
    commands: [
      '/lgtm',
      '/approve',
      '/ok-to-test',
      '/retest',
      '/test all',
      '/hold cancel',
      '/override ci',
      '/LGTM',
    ],
  },
  {
    name: 'GitLab and slash-command-dispatch',
    reads: /^\s*\/(?:merge|approve|label|rebase|close|deploy|rerun)\b/m,
    commands: ['/merge', '/approve', '/label ~urgent', '  /rebase', '/deploy production', '/rerun'],
  },
  {
    name: 'bors-ng',
    reads: /^\s*bors(?:-ng)?:?\s+(?:r[+-=]|try|merge|delegate|d[+=]|p=|retry|ping|single)/im,
    commands: ['bors r+', 'Bors: merge', 'bors d+', 'bors r=alice', 'bors try'],
  },
  {
    name: 'homu and bors of Rust',
    reads: /@bors:?\s+(?:r[+-=]|try|retry|p=|rollup|delegate)/i,
    commands: [
      '@bors r+',
      '@bors: r+',
      'and then @bors r=bob p=1',
      'see `@bors r+` here',
      '@bors rollup',
    ],
  },
  {
    name: 'triagebot',
    reads: /\br\?\s+@?[\w/-]+|@rustbot\s+\S+/,
    commands: ['r? @eve', 'r? compiler', '@rustbot label +nominated', 'so r? @eve then'],
  },
  {
    name: 'Dependabot',
    reads: /@dependabot\s+(?:merge|squash and merge|rebase|recreate|close|reopen|ignore)/i,
    commands: [
      '@dependabot merge',
      '@dependabot squash and merge',
      'x `@dependabot close`',
      '@Dependabot ignore this',
    ],
  },
  {
    name: 'Mergify',
    reads: /@mergify(?:io)?\s+(?:queue|requeue|rebase|update|backport|refresh|squash|dequeue)/i,
    commands: ['@mergifyio queue', '@Mergify backport main', '@mergifyio requeue'],
  },
  {
    name: 'Renovate',
    reads: /- \[x\] <!-- (?:rebase|approve|unlimit|create)-|@renovate(?:bot)?\b|^\s*rebase!/im,
    commands: ['- [x] <!-- rebase-check -->rebase', '@renovatebot rebase', 'rebase!'],
  },
  {
    name: "Jenkins' ghprb",
    reads:
      /.*(?:ok\W+to\W+test|(?:re)?test\W+this\W+please|add\W+to\W+whitelist|\[skip\W+ci\]).*/is,
    commands: [
      'ok to test',
      'OK, to: test',
      'this is ok\nto\ntest now',
      'test this please',
      'retest this please',
      'add to whitelist',
      '**ok** `to` *test*',
      'it is ok `to test`',
      '[skip ci]',
    ],
  },
  {
    name: 'trigger phrases of projects',
    reads:
      /jenkins,?.*(?:retest|test) this|^\s*(?:please )?(?:re)?run (?:ci|tests|all|azure|java precommit)|^please (?:test|build)|@flinkbot run/im,
    commands: [
      'Jenkins, test this',
      'run ci',
      'rerun tests',
      'please test',
      'Run Java PreCommit',
      '@flinkbot run azure',
    ],
  },
  {
    name: 'Zuul',
    reads: /^\s*(?:recheck|reverify|check experimental|regate)\b/im,
    commands: ['recheck', 'recheck please', 'Check experimental', 'words\n\nrecheck'],
  },
  {
    name: 'Atlantis, Digger, Terrateam',
    reads:
      /^\s*(?:atlantis|run|digger|terrateam|@atlantis)\s+(?:plan|apply|unlock|destroy|approve_policies)/im,
    commands: [
      'atlantis apply',
      'atlantis plan -d .',
      'run apply',
      'digger apply',
      'terrateam unlock',
    ],
  },
  {
    name: 'assistants',
    reads:
      /(?:^|[^\w.])@(?:copilot|claude|coderabbitai|codex|cursor|gemini-code-assist|greptileai|sweep-ai)\b/i,
    commands: [
      '@copilot fix this',
      '@claude implement',
      '(@coderabbitai resolve)',
      '`@codex review`',
      '@cursor do it',
    ],
  },
  {
    name: 'gates that count votes',
    reads: /\bLGTM\b|^\s*(?:\+1|:\+1:|👍|:shipit:|approved?)\s*[.!]?\s*$/imu,
    commands: [
      'LGTM',
      'lgtm!',
      'all good, LGTM from me',
      '+1',
      ':+1:',
      '👍',
      ':shipit:',
      'Approved',
      'approve.',
    ],
  },
  {
    name: 'agreements and builds',
    reads: /I have read the CLA|I have made the requested changes|\/gcbrun/i,
    commands: [
      'I have read the CLA Document and I hereby sign the CLA',
      'well /gcbrun',
      '`/gcbrun`',
    ],
  },
]
