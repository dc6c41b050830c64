// Recognizes tests by their paths.
import { isInTestFolder } from './common/test-folders.ts'
import { languages } from './index.ts'

const testFilename = /^(test[-_].*|conftest|.*[._-](test|tests|spec|specs|cy|e2e))\.[^/]+$/

const testClass = String.raw`Test[A-Z]\w*|\w*[a-z0-9](Test|Tests|TestCase|Spec|IT)`
const testClassExtensions = [
  ...languages
    .filter(({ namesTestsLikeClasses }) => namesTestsLikeClasses)
    .flatMap(({ grammars }) => grammars.flatMap(({ extensions }) => extensions)),
  // Languages that have no folder.
  ...['.groovy', '.swift', '.m', '.mm'],
]
const testClassFilename = new RegExp(
  `^(${testClass})(${testClassExtensions.map(RegExp.escape).join('|')})$`,
)

/** Whether the file is a test, or used only by tests, by the conventions of common languages. */
export function isTestPath(path: string): boolean {
  const filename = path.slice(path.lastIndexOf('/') + 1)
  return isInTestFolder(path) || testFilename.test(filename) || testClassFilename.test(filename)
}
