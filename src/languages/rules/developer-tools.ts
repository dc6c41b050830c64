// Recognizes programs that developers run by hand, and tests.

const developerTool =
  /(?:^|\/)(?:scripts?|tools?|build|bench\w*|ci|hack|tasks|examples?|migrations?|migrate|seeds?|\w*[tT]ests?|specs?|__tests__)\/|\.(?:rake|gradle\.kts)$|(?:^|\/)(?:build\.rs|Rakefile)$|(?:^|\/)test_[^/]*$|[._-](?:test|tests|spec)\.\w+$|Tests?\.\w+$/

/** Whether the values that a program inserts are the developers' own. */
export function isDeveloperTool(path: string): boolean {
  return developerTool.test(path)
}
