// Tells which files lie in folders where copies of other people's code and build output usually lie.

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

/** The outermost such folder above a path, with a slash at its end; undefined where there is none. */
export function nonSourceFolderOf(path: string): string | undefined {
  return nonSourceFolder.exec(path)?.[0]
}
