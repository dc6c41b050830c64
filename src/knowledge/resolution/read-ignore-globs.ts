// Reads the globs of a .gitignore.

const maxLines = 5_000
const maxGlobs = 200
const maxGlobLength = 200

/** Leaves out negated globs, which only narrow down what can be hidden. */
export function readIgnoreGlobs(text: string): string[] {
  return text
    .split('\n', maxLines)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^[#!]/.test(line) && line.length <= maxGlobLength)
    .slice(0, maxGlobs)
}
