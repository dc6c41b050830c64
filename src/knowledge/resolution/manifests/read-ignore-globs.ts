// Reads which files a .gitignore keeps out of a tree.

const maxGlobs = 200

/** Its globs, without those that let something in again. */
export function readIgnoreGlobs(text: string): string[] {
  return text
    .split('\n', 5_000)
    .map((line) => line.trim())
    .filter(
      (line) => line !== '' && !line.startsWith('#') && !line.startsWith('!') && line.length <= 200,
    )
    .slice(0, maxGlobs)
}
