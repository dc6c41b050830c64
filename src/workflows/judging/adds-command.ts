// Detects suggestions that add a command, which must not be committed with one click.
import { findPipedDownload } from '../../code/piped-downloads.ts'

/**
 * Text that makes something run. Each pattern stops at the end of the line or after 300 characters,
 * so that matching is linear.
 */
const commandPatterns: readonly RegExp[] = [
  // These programs download.
  /\b(?:curl|wget|aria2c|nc|ncat|socat|scp|sftp|rsync|ssh|telnet)\s[^\n]{0,300}|\/dev\/tcp\/\S{0,200}/gi,
  /\b(?:iwr|irm|iex|invoke-(?:webrequest|restmethod|expression))\b[^\n]{0,300}/gi,
  // These install a package, or run it from a registry.
  /\b(?:npx|bunx|uvx|pipx|pip3?\s+install|gem\s+install|cargo\s+install|go\s+(?:install|run)|brew\s+install)\s[^\n]{0,200}/gi,
  /\b(?:npm|pnpm|yarn|bun|deno)\s+(?:i|install|add|exec|x|dlx|create|init|run)\s[^\n]{0,200}/gi,
  /\b(?:apt|apt-get|apk|dnf|yum)\s+(?:-\S+\s+)*(?:add|install)\s[^\n]{0,200}/gi,
  // Pipelines run these steps, images and modules.
  /^\s*(?:-\s+)?["']?(?:uses|image|container|include|entrypoint|extends)["']?\s*:[^\n]{1,300}/gim,
  /^\s*(?:FROM|ADD|ENTRYPOINT|CMD)\s[^\n]{1,300}/gm,
  // Package managers run these hooks.
  /["'](?:(?:pre|post)?(?:install|prepare|publish|pack)|prepublishOnly|dependencies)["']\s*:\s*["'][^\n]{0,300}/g,
  /["'](?:pre|post)-(?:install|update|autoload|root-package|create)[\w-]{0,30}["']\s*:[^\n]{0,300}/g,
  // The program starts another one.
  /(?:(?<![.\w])execa?|\b(?:child_?process\.exec|execSync|execFile(?:Sync)?|spawn(?:Sync)?|fork))\s{0,3}\([^\n]{0,300}/gi,
  /\b(?:os\.(?:system|popen|exec\w{1,3}|spawn\w{1,4})|subprocess\.\w{1,20}|pty\.spawn|exec\.Command\w{0,8})\s{0,3}\([^\n]{0,300}/g,
  /\b(?:Runtime\.getRuntime\(\)|ProcessBuilder|Process\.Start|shell_exec|passthru|proc_open|popen|system)\s{0,3}[.(][^\n]{0,300}/g,
  // The program runs code from a text or a URL.
  /(?:\b(?:eval|Function|__import__|instance_eval|class_eval|vm\.run\w{1,20})|(?<![.\w])compile)\s{0,3}\([^\n]{0,300}/g,
  /\b(?:import|require|importScripts)\s{0,3}\(?\s{0,3}["'\x60](?:https?:|data:|\/\/)[^\n]{0,300}/gi,
  /<script\b[^>\n]{0,300}\bsrc\s*=[^\n]{0,300}/gi,
]

/** Whether `replacement` has a command that the lines it replaces don't have. */
export function addsCommand(replacement: string, replaced: string): boolean {
  const isNew = (text: string) => !replaced.includes(text.trim())
  // A command may continue on the next line.
  const joined = replacement.replace(/\\\r?\n\s*/g, ' ').replace(/\|[^\S\n]*\r?\n\s*/g, '| ')
  const piped = findPipedDownload(joined)
  if (piped && isNew(joined.slice(piped.index, piped.index + piped.length))) return true
  return commandPatterns.some((pattern) =>
    [...joined.matchAll(pattern)].some(([text]) => isNew(text)),
  )
}
