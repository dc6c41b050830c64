// Detects folders that usually contain third-party code or build output.

const folders = [
  'node_modules',
  'bower_components',
  'jspm_packages',
  'vendor',
  'third[-_]?party',
  '3rdparty',
  'Pods',
  'Carthage/Build',
  'Carthage/Checkouts',
  'Godeps',
  String.raw`\.yarn/(?:releases|plugins|sdks|unplugged)`,
  'dist',
  '__snapshots__',
  '__generated__',
  'generated-sources',
].join('|')

const nonSourceFolder = new RegExp(`^(?:.*?/)?(?:${folders})/`, 'i')

/** Returns the outermost of these folders that contains the path, with a slash at its end. */
export function nonSourceFolderOf(path: string): string | undefined {
  return nonSourceFolder.exec(path)?.[0]
}
