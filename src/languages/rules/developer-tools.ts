// Recognizes programs that developers run by hand, and tests.

const developerTool =
  /(?:^|\/)(?:scripts?|tools?|build|release|bench\w*|ci|hack|tasks|examples?|migrations?|migrate|seeds?|\w*[tT]ests?|specs?|__tests__)\/|\.(?:rake|gradle\.kts)$|(?:^|\/)(?:build\.rs|Rakefile)$|(?:^|\/)test_[^/]*$|[._-](?:test|tests|spec)\.\w+$|Tests?\.\w+$/

/** Whether the values that a program inserts are the developers' own. */
export function isDeveloperTool(path: string): boolean {
  return developerTool.test(path)
}

/** Code that runs only in tests, by hand, or when a program is built. */
const unwatched = new RegExp(
  [
    '(?:^|/)(?:tests?|specs?|__tests__|__mocks__|fixtures|testdata|e2e|cypress|bench\\w*|examples?)/',
    '(?:^|/)(?:\\w*migrations?|migrate|scripts?|seeds?)/|(?:^|/)(?:test_|conftest)[^/]*$',
    '[._-](?:test|tests|spec|stories|bench)\\.\\w+$|(?:Test|Tests|TestCase|Spec|IT)\\.\\w+$',
  ].join('|'),
)

/** Whether a failure in the file reaches developers anyway. */
export function isUnwatched(path: string): boolean {
  return unwatched.test(path)
}
