// Defines what is checked in the text of CI pipelines.
import { shellChecks } from './shell-format.ts'
import { type FormatCheck, isLikelySecret, type TextFormat } from './text-format.ts'

const hardcodedVariable: FormatCheck = {
  rule: 'hardcoded-secret',
  pattern:
    /^[ \t]{0,40}["']?(\w{0,40}(?:PASSWORD|PASSWD|SECRET|TOKEN|API_?KEY|ACCESS_KEY)\w{0,40})["']?:[ \t]{1,5}["']?([^\s"']{8,200})["']?[ \t]*$/gim,
  accept: ([, name, value]) =>
    // The own secrets of a service that a test starts protect nothing.
    !/^(?!AWS)\w*SECRET_KEY(?:_BASE)?$|(?:APP|COOKIE|CSRF|JWT|SESSION)_SECRET$/.test(name!) &&
    !/public|_(?:url|file|path|name|id)$|key_id/i.test(name!) &&
    /\d/.test(value!) &&
    isLikelySecret(value!),
  title: 'The value of `$1` is hardcoded',
  body:
    'When this is merged, everyone who can read the repository, now or later, can use it. Revoke ' +
    'it, and store a new one in the protected variables of the code host.',
}

const comment = /(?:^|[ \t])#[^\n]*/gm

export const workflowFormat: TextFormat = {
  name: 'CI workflows',
  files: /^\.(?:github|gitea|forgejo)\/workflows\/[^/]+\.ya?ml$/,
  comment,
  continuesLines: true,
  checks: [
    ...shellChecks,
    hardcodedVariable,
    {
      rule: 'secret-in-log',
      pattern: /\becho\s[^|>\n]{0,200}\$\{\{\s?(secrets\.\w{1,60})\s?\}\}[^|>\n]{0,100}$/gm,
      accept: ([, name]) => name !== 'secrets.GITHUB_TOKEN',
      title: '`$1` is written to the log',
      body:
        'When a step changes its form, as by encoding it, the host no longer masks it, and ' +
        'everyone who can read the log can use it. Remove it.',
      severity: 'minor',
    },
    {
      rule: 'unpinned-version',
      pattern:
        /^[ \t]{0,40}(?:-[ \t]{1,4})?uses:[ \t]{1,4}["']?([\w.-]{1,60}\/[\w./-]{1,100}@(?:main|master|develop|dev|trunk|HEAD|latest))["']?[ \t]*$/gm,
      // Reusable workflows are usually of the same organization; the other has no versions.
      accept: ([, action]) => !/\/\.github\/workflows\/|^dtolnay\/rust-toolchain@/.test(action!),
      title: 'The action `$1` changes without a change here',
      body:
        'When its branch changes, or its account is compromised, other code runs with the ' +
        'secrets and the token of this workflow. Use a version, or the hash of a commit.',
    },
  ],
}

/** Variables whose text the author of a merge request or a commit chooses. */
const untrusted =
  'MERGE_REQUEST_(?:TITLE|DESCRIPTION|SOURCE_BRANCH_NAME)|COMMIT_(?:MESSAGE|TITLE|DESCRIPTION|REF_NAME|BRANCH|TAG|AUTHOR)'

export const gitlabFormat: TextFormat = {
  name: 'GitLab CI',
  files: /(?:^|\/|\.)gitlab-ci\.ya?ml$/,
  comment,
  continuesLines: true,
  checks: [
    ...shellChecks,
    hardcodedVariable,
    {
      rule: 'workflow-script-injection',
      pattern: new RegExp(
        String.raw`(?:\beval\b|\b(?:ba|da|z)?sh\s+-l?c\b|\bssh\s\S{1,100})[^|;&\n]{0,200}?(\$\{?CI_(?:${untrusted})\}?)(?!\w)`,
        'g',
      ),
      title: 'Script injection: `$1` is executed as part of a script',
      body:
        'When someone gives a branch, commit or merge request a name such as `"; curl … #`, ' +
        'that text is executed with the variables of this job. ' +
        'Pass it as a quoted argument, without `eval`.',
    },
  ],
}
