// Recognizes folders that contain tests, by the conventions of common languages.

const names = [
  'tests?',
  '__tests__',
  'specs?',
  'testing',
  'testdata',
  'test[-_]?(utils|helpers|fixtures)',
  'e2e',
  'cypress',
  '__mocks__',
  '__fixtures__',
  'fixtures',
  // Projects of .NET, such as `Shop.Core.Tests`.
  String.raw`[\w.-]+\.(?:unit|integration|functional)?tests?`,
]
const testFolder = new RegExp(`(^|/)(${names.join('|')})/`, 'i')

/** Whether a path leads through a folder of tests. The path of a folder must end with a slash. */
export function isInTestFolder(path: string): boolean {
  return testFolder.test(path)
}
