// Defines what is checked in Dockerfiles.
import { shellChecks } from './shell-format.ts'
import { isLikelySecret, type TextFormat } from './text-format.ts'

const secretName = String.raw`\w{0,40}(?:PASSWORD|PASSWD|SECRET|TOKEN|API_?KEY|ACCESS_KEY|PRIVATE_KEY)\w{0,40}`

const harmlessName = /PUBLIC|_(?:URL|FILE|PATH|LENGTH|NAME|TTL|EXPIR\w*)$|^NPM_CONFIG/i

export const containerFormat: TextFormat = {
  name: 'Dockerfile',
  files: /(?:^|\/)(?:Dockerfile|Containerfile)(?:\.[\w.-]+)?$|\.(?:dockerfile|containerfile)$/i,
  comment: /^[ \t]*#[^\n]*/gm,
  continuesLines: true,
  checks: [
    ...shellChecks,
    {
      rule: 'hardcoded-secret',
      pattern: new RegExp(
        String.raw`^\s{0,20}(?:ENV|ARG)\s+(${secretName})[= ]\s{0,5}["']?([^\s"']{6,200})`,
        'gim',
      ),
      accept: ([, name, value]) => !harmlessName.test(name!) && isLikelySecret(value!),
      title: 'The value of `$1` is hardcoded in the image',
      body:
        'When someone gets the image or can read the repository, they can use it. Revoke it, and ' +
        'pass a new one when the container starts, or with `RUN --mount=type=secret`.',
    },
    {
      rule: 'secret-in-image',
      pattern: new RegExp(String.raw`^\s{0,20}ARG\s+(${secretName})[ \t]*$`, 'gm'),
      accept: ([, name]) => !harmlessName.test(name!),
      title: 'The build argument `$1` stays readable in the image',
      body:
        'When someone gets the image, `docker history` shows them its value. Use ' +
        '`RUN --mount=type=secret`.',
    },
    {
      rule: 'unverified-download',
      pattern: /^\s{0,20}ADD\s+(?:--(?!checksum)\S{1,60}\s+){0,3}(https?:\/\/\S{1,200})/gim,
      accept: ([, address]) => !/\.git(?:#|$)/.test(address!),
      title: '`ADD` downloads a file without verifying it',
      body:
        'When the server or its account is compromised, the image contains what the attacker ' +
        'chose. Use `ADD --checksum=sha256:…`, or verify the file in the same step.',
    },
    {
      rule: 'unpinned-version',
      pattern: /^\s{0,20}FROM\s+(?:--platform=\S{1,60}\s+)?([^\s@$]{1,200}:latest)\b(?!\S*@)/gim,
      title: 'The base image `$1` changes without a change here',
      body:
        'When a new version is published, the next build differs from the tested one. Name a ' +
        'version, or a digest.',
    },
    {
      rule: 'public-access',
      pattern:
        /^\s{0,20}ENV\s+(POSTGRES_HOST_AUTH_METHOD[= ]"?trust|MYSQL_ALLOW_EMPTY_PASSWORD[= ]"?(?:1|yes|true)|MARIADB_ALLOW_EMPTY_ROOT_PASSWORD[= ]"?(?:1|yes|true))\b/gim,
      title: '`$1` lets everyone use the database without a password',
      body:
        'When anyone reaches the port, they can read and change all data. Set a password when ' +
        'the container starts.',
    },
  ],
}
