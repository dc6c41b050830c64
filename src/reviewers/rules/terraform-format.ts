// Defines what is checked in Terraform files.
import { isLikelySecret, type ShownText, type TextFormat } from './text-format.ts'

/** These ports are for remote administration and databases. */
const privatePorts = [22, 1433, 2375, 3306, 3389, 5432, 5900, 6379, 9200, 11211, 27017]

const maxBlock = 4_000

/** Finds the text of the blocks around a place, the innermost first, each with its header. */
function blocksAround(at: number, { text }: ShownText): string[] {
  const blocks: string[] = []
  let depth = 0
  for (let index = at - 1; index >= Math.max(0, at - maxBlock); index--) {
    if (text[index] === '}') depth += 1
    if (text[index] !== '{') continue
    if (depth > 0) depth -= 1
    else blocks.push(text.slice(text.lastIndexOf('\n', index) + 1, endOfBlock(index, text)))
  }
  return blocks
}

function endOfBlock(start: number, text: string): number {
  let depth = 0
  for (let index = start; index < Math.min(text.length, start + maxBlock); index++) {
    if (text[index] === '{') depth += 1
    if (text[index] === '}') depth -= 1
    if (depth === 0) return index + 1
  }
  return Math.min(text.length, start + maxBlock)
}

function numberOf(block: string, name: string): number | undefined {
  const value = new RegExp(`\\b${name}\\s*=\\s*"?(-?\\d+)`).exec(block)?.[1]
  return value === undefined ? undefined : Number(value)
}

/** Whether the block around a range of addresses opens a port that is not for everyone. */
function opensPrivatePort(match: RegExpExecArray, shown: ShownText): boolean {
  const block = blocksAround(match.index, shown).find((each) => /_port\b|protocol/.test(each))
  if (!block || !isIngress(block, blocksAround(match.index, shown))) return false
  if (/\bip_protocol\s*=\s*"-1"|\bprotocol\s*=\s*"-1"/.test(block)) return true
  const from = numberOf(block, 'from_port')
  const to = numberOf(block, 'to_port')
  if (from === undefined || to === undefined) return false
  return privatePorts.some((port) => from <= port && port <= to)
}

function isIngress(block: string, around: readonly string[]): boolean {
  return (
    /^\s*ingress\b|\btype\s*=\s*"ingress"/.test(block) ||
    around.some((each) => /ingress_rule"/.test(each.split('\n')[0]!))
  )
}

/** Whether a policy allows everything on everything. */
function allowsAll(match: RegExpExecArray, shown: ShownText): boolean {
  const block = blocksAround(match.index, shown)[0] ?? ''
  const isDenied = /\b[eE]ffect"?\s*[=:]\s*"Deny"/.test(block)
  return !isDenied && /\b[rR]esources?"?\s*[=:]\s*\[?\s*"\*"/.test(block)
}

/** Settings of examples are meant to be thrown away. */
function isReal(_match: RegExpExecArray, { path }: ShownText): boolean {
  return !/(?:^|\/)(?:examples?|tests?|fixtures?|samples?)\//i.test(path)
}

const publicBody =
  'When anyone on the internet finds the address, they can reach this. Limit it to the networks ' +
  'or accounts that need it.'

export const terraformFormat: TextFormat = {
  name: 'Terraform',
  files: /\.tf$/i,
  comment: /^[ \t]*(?:#|\/\/)[^\n]*/gm,
  continuesLines: false,
  checks: [
    {
      rule: 'public-access',
      pattern:
        /^[ \t]{0,40}(?:ipv6_cidr_blocks|cidr_blocks|cidr_ipv4|cidr_ipv6)\s{0,20}=\s{0,5}\[?\s{0,5}"(0\.0\.0\.0\/0|::\/0)"/gm,
      accept: opensPrivatePort,
      title: '`$1` opens a port that is not for everyone to the internet',
      body: publicBody,
    },
    {
      rule: 'public-access',
      pattern:
        /^[ \t]{0,40}(acl\s{0,20}=\s{0,5}"public-read(?:-write)?"|publicly_accessible\s{0,20}=\s{0,5}true|allow_blob_public_access\s{0,20}=\s{0,5}true|(?:block_public_acls|block_public_policy|ignore_public_acls|restrict_public_buckets)\s{0,20}=\s{0,5}false)(?=\s|$)/gm,
      accept: isReal,
      title: '`$1` makes this public',
      body: publicBody,
    },
    {
      rule: 'unencrypted-storage',
      pattern:
        /^[ \t]{0,40}((?:storage_encrypted|encrypted|at_rest_encryption_enabled|transit_encryption_enabled|enable_https_traffic_only|encrypt)\s{0,20}=\s{0,5}false)\b/gm,
      accept: isReal,
      title: '`$1` stores or sends data unencrypted',
      body:
        'When a disk, a snapshot or a connection gets into other hands, the data can be read. ' +
        'Turn encryption on; many stores have to be replaced to do so later.',
    },
    {
      rule: 'hardcoded-secret',
      pattern:
        /^[ \t]{0,40}(\w{0,40}(?:password|secret_key|secret_string|auth_token|api_key|access_token|private_key|client_secret))\s{0,20}=\s{0,5}"([^"\n]{6,200})"/gm,
      accept: ([, , value], shown) => isLikelySecret(value!) && isReal([] as never, shown),
      title: 'The value of `$1` is hardcoded',
      body:
        'When this is merged, everyone who can read the repository, now or later, can use it. ' +
        'Revoke it, and read a new one from a variable or a secret store.',
    },
    {
      rule: 'excessive-permission',
      pattern: /^[ \t]{0,40}"?(?:actions|Action)"?\s{0,20}[=:]\s{0,5}\[?\s{0,5}"(\*|\*:\*)"/gm,
      accept: allowsAll,
      title: 'The policy allows all actions on all resources',
      body:
        'When the account is compromised, the attacker owns everything. Name the actions and ' +
        'resources that are needed.',
    },
    {
      rule: 'no-final-snapshot',
      pattern: /^[ \t]{0,40}(skip_final_snapshot\s{0,20}=\s{0,5}true)\b/gm,
      accept: isReal,
      title: '`$1` deletes the data with the database',
      body:
        'When the database is replaced or destroyed, by mistake too, nothing can be restored ' +
        'from it. Let it take a final snapshot.',
    },
  ],
}
