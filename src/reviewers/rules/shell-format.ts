// Defines what is checked in shell commands, in scripts and in the formats that contain them.
import { type FormatCheck, isLikelySecret, type ShownText, type TextFormat } from './text-format.ts'

const tlsBody =
  'When an attacker intercepts the connection, they can present any certificate, and read and ' +
  'change everything. Trust the right certificate authority instead.'

const secretBody =
  'When this is merged, everyone who can read the repository, now or later, can use it. Revoke ' +
  'it, issue a new one, and read it from the environment or a secret store.'

/** Whether a script says that it stops at errors, or at variables without a value. */
function hasOption({ text }: ShownText, letter: string): boolean {
  const long = letter === 'e' ? 'errexit' : 'nounset'
  return new RegExp(`^\\s*set\\s+-\\w*(?:${letter}|o\\s+${long})|^#!.*\\s-\\w*${letter}`, 'm').test(
    text,
  )
}

/** Whether a variable may be empty: a script from its start shows no other value or check. */
function mayBeEmpty(match: RegExpExecArray, shown: ShownText): boolean {
  const name = match[1]!
  if (!shown.isStart || !shown.text.startsWith('#!') || hasOption(shown, 'u')) return false
  const before = shown.text.slice(0, match.index)
  const isChecked = new RegExp(
    `-[nzd]\\s+"?\\$\\{?${name}\\b|\\$\\{${name}:[?-]|\\b${name}=(?:["']?[\\w./~-]|"?\\$\\((?:mktemp|cd|pwd|dirname))|\\bfor\\s+${name}\\b|\\bread\\b.*\\b${name}\\b`,
  )
  return !isChecked.test(before) && new RegExp(`\\b${name}=`).test(before)
}

const localAddress = /healthcheck|localhost|127\.0\.0\.1|\[::1\]|unix-socket|kubernetes/i

export const shellChecks: readonly FormatCheck[] = [
  {
    rule: 'tls-verification-off',
    pattern:
      /\bcurl\b[^|;&\n]{0,300}?\s(-(?!-)[a-zA-Z]{0,6}k[a-zA-Z]{0,6}|--insecure)(?=\s|$)[^|;&\n]{0,300}/gm,
    accept: ([command], { path }) => !localAddress.test(command + path),
    title: '`curl $1` disables TLS certificate verification',
    body: tlsBody,
  },
  {
    rule: 'tls-verification-off',
    pattern:
      /\bwget\b[^|;&\n]{0,300}\s--no-check-certificate\b[^|;&\n]{0,300}|\bhttp\.sslVerify[= ]["']?false\b|\b(?:GIT_SSL_NO_VERIFY)["']?\s?[=:]\s?["']?(?:1|true)\b|\bNODE_TLS_REJECT_UNAUTHORIZED["']?\s?[=:]\s?["']?0\b|\bPYTHONHTTPSVERIFY["']?\s?[=:]\s?["']?0\b|\bstrict-ssl[= ]false\b/gm,
    accept: ([command], { path }) => !localAddress.test(command + path),
    title: 'TLS certificate verification is disabled',
    body: tlsBody,
  },
  {
    rule: 'excessive-permission',
    pattern: /\bchmod\s+(?:-\w+\s+){0,3}(0?777|(?:a|ugo)\+rwx)\b/g,
    title: '`chmod $1` lets every user of the system change the file',
    body:
      'When another account or a compromised service runs on the system, it can replace what ' +
      'this program reads or runs. Grant rights to the owner or a group.',
  },
  {
    rule: 'unguarded-delete',
    pattern:
      /\brm\s+-\w{0,4}[rR]\w{0,4}\s+(?:-\w+\s+){0,3}(?:--\s+)?"?\$\{?(\w{1,60})\}?"?\/(?=\*|\s|$|")/gm,
    accept: mayBeEmpty,
    title: '`rm -r` deletes everything from the root if `$1` is empty',
    body:
      'When the variable is empty, other files than the intended ones are deleted. Check it ' +
      'first, or use the form `:?`, which stops the script.',
  },
  {
    rule: 'unguarded-delete',
    pattern:
      /^[^\S\n]{0,20}cd[^\S\n]+"?(\$\{?\w{1,60}\}?[^\s|&;"]{0,100})"?[^\S\n]*\n(?:[^\n]{0,200}\n){0,2}?[^\S\n]{0,20}rm[^\S\n]+-\w{0,4}r\w{0,4}[^\S\n]+(?![/"'$~])/gm,
    accept: (_match, shown) =>
      shown.isStart && shown.text.startsWith('#!') && !hasOption(shown, 'e'),
    title: 'If `cd $1` fails, `rm -r` deletes files in the current directory',
    body:
      "When the directory doesn't exist, other files than the intended ones are deleted. Write " +
      '`cd … || exit 1`.',
  },
  {
    rule: 'code-injection',
    pattern: /(?:^|[;&|]|\bthen\b|\bdo\b)[ \t]*eval\s+["']?\$(?:@|\*|\{?[1-9@*]\}?)["']?[ \t]*$/gm,
    title: 'Code injection: `eval` executes the arguments as code',
    body:
      'When an argument contains `$(…)`, a `;` or spaces, a part of it is executed as another ' +
      'command. Run `"$@"` without `eval`.',
  },
  {
    rule: 'hardcoded-secret',
    pattern:
      /\b(?:mysql\w*|mariadb\w*|sshpass)\b[^|;&\n]{0,200}?\s-p\s?["']?([^\s"'$-][^\s"'$]{5,100})["']?(?=\s|$)/gm,
    accept: ([, value]) => isLikelySecret(value!),
    title: 'A password is hardcoded in a command',
    body: secretBody,
  },
  {
    rule: 'hardcoded-secret',
    pattern:
      /(?:--password|\bPGPASSWORD|\bMYSQL_PWD|\bSSHPASS|\bREDISCLI_AUTH|\s(?:-u|--user)[ =]["']?[\w.@-]{1,60}(?=:))[=:]["']?([^\s"'$]{6,100})/gm,
    accept: ([, value]) => isLikelySecret(value!),
    title: 'A password is hardcoded in a command',
    body: secretBody,
  },
  {
    rule: 'secret-in-arguments',
    pattern: /\bdocker\s+login\b[^|;&\n]{0,200}?\s(?:-p|--password)[ =]["']?\$/gm,
    title: 'The password is passed to `docker login` as an argument',
    body:
      'When someone else lists the processes of the system, or the commands are logged, they ' +
      'can read it. Use `--password-stdin`.',
  },
  {
    rule: 'predictable-temp-file',
    pattern: /(?:>\s?|=)"?(\/tmp\/[\w.-]{0,60}\$\$[\w.-]{0,20})/g,
    title: 'Everyone can predict the name of the temporary file `$1`',
    body:
      'When another user makes a link with this name first, this overwrites a file of their ' +
      'choice. Use `mktemp`.',
  },
]

export const shellFormat: TextFormat = {
  name: 'Shell',
  files: /\.(?:sh|bash|zsh|ksh)$/i,
  comment: /(?:^|[ \t])#(?!!)[^\n]*/gm,
  continuesLines: true,
  checks: shellChecks,
}
