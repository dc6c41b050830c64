// Whether a replacement brings something that runs on somebody's machine: nobody should commit that with one click.
import { findPipedDownload } from '../../reviewers/rules/piped-downloads.ts'

/**
 * What runs by being there, one way each. Where the replaced lines have the same text already it isn't new. Every
 * repetition is bounded.
 */
const running: readonly RegExp[] = [
  // Fetched by a program of its own
  /\b(?:curl|wget|aria2c|nc|ncat|socat|scp|sftp|rsync|ssh|telnet)\s[^\n]{0,300}|\/dev\/tcp\/\S{0,200}/gi,
  /\b(?:iwr|irm|iex|invoke-(?:webrequest|restmethod|expression))\b[^\n]{0,300}/gi,
  // Installed, or run from a registry
  /\b(?:npx|bunx|uvx|pipx|pip3?\s+install|gem\s+install|cargo\s+install|go\s+(?:install|run)|brew\s+install)\s[^\n]{0,200}/gi,
  /\b(?:npm|pnpm|yarn|bun|deno)\s+(?:i|install|add|exec|x|dlx|create|init|run)\s[^\n]{0,200}/gi,
  /\b(?:apt|apt-get|apk|dnf|yum)\s+(?:-\S+\s+)*(?:add|install)\s[^\n]{0,200}/gi,
  // Steps, images and modules of pipelines
  /^\s*(?:-\s+)?["']?(?:uses|image|container|include|entrypoint|extends)["']?\s*:[^\n]{1,300}/gim,
  /^\s*(?:FROM|ADD|ENTRYPOINT|CMD)\s[^\n]{1,300}/gm,
  // What package managers run by themselves
  /["'](?:(?:pre|post)?(?:install|prepare|publish|pack)|prepublishOnly|dependencies)["']\s*:\s*["'][^\n]{0,300}/g,
  /["'](?:pre|post)-(?:install|update|autoload|root-package|create)[\w-]{0,30}["']\s*:[^\n]{0,300}/g,
  // Started by the program
  /(?:(?<![.\w])execa?|\b(?:child_?process\.exec|execSync|execFile(?:Sync)?|spawn(?:Sync)?|fork))\s{0,3}\([^\n]{0,300}/gi,
  /\b(?:os\.(?:system|popen|exec\w{1,3}|spawn\w{1,4})|subprocess\.\w{1,20}|pty\.spawn|exec\.Command\w{0,8})\s{0,3}\([^\n]{0,300}/g,
  /\b(?:Runtime\.getRuntime\(\)|ProcessBuilder|Process\.Start|shell_exec|passthru|proc_open|popen|system)\s{0,3}[.(][^\n]{0,300}/g,
  // Code from a text, or from elsewhere
  /(?:\b(?:eval|Function|__import__|instance_eval|class_eval|vm\.run\w{1,20})|(?<![.\w])compile)\s{0,3}\([^\n]{0,300}/g,
  /\b(?:import|require|importScripts)\s{0,3}\(?\s{0,3}["'\x60](?:https?:|data:|\/\/)[^\n]{0,300}/gi,
  /<script\b[^>\n]{0,300}\bsrc\s*=[^\n]{0,300}/gi,
]

/** @param replaced the lines that it is to stand for */
export function addsCommand(replacement: string, replaced: string): boolean {
  const isNew = (text: string) => !replaced.includes(text.trim())
  // Continued lines are one command.
  const joined = replacement.replace(/\\\r?\n\s*/g, ' ').replace(/\|[^\S\n]*\r?\n\s*/g, '| ')
  const piped = findPipedDownload(joined)
  if (piped && isNew(joined.slice(piped.index, piped.index + piped.length))) return true
  return running.some((pattern) => [...joined.matchAll(pattern)].some(([text]) => isNew(text)))
}
