// Finds comparisons that don't fit the declared types of what they compare.
import type { Node } from 'web-tree-sitter'
import { readCall } from './calls.ts'
import { isPlainString } from './literals.ts'
import { unwrap } from './operations.ts'
import type { Hit, ParsedFile } from './syntax-check.ts'
import { field, fieldText, firstLine, quoteCode } from './syntax-nodes.ts'

/** Types whose objects can be equal without being identical. */
const valueType =
  /^(?:String|Integer|Long|Double|Float|Short|Byte|Character|Big(?:Decimal|Integer)|UUID|Instant|(?:Local|Zoned|Offset)Date\w*|LocalTime|Duration|Period|YearMonth)$/

/** The type that all members, parameters and methods with the last name of an expression have. */
function declaredTypeOf({ text }: Node, file: ParsedFile): string | undefined {
  const [, owner, name, call = ''] =
    /^(?:([\w$]+)(?:\?\.|\.|->))*\$?(\w+)(\(\))?$/.exec(text.slice(0, 120)) ?? []
  if (!name || /^[A-Z_\d]+$/.test(name)) return undefined
  // The methods of other types may have the same name.
  if (call && owner && owner !== 'this' && !isOfFile(owner, file)) return undefined
  const known = typesOf.get(file) ?? new Map<string, string | undefined>()
  typesOf.set(file, known)
  const key = `${name}${call}`
  if (!known.has(key)) known.set(key, findDeclaredType(name, call, file))
  return known.get(key)
}

/** Whether the file declares the type of a variable. */
function isOfFile(variable: string, file: ParsedFile): boolean {
  const type = findDeclaredType(variable, '', file)
  return (
    type !== undefined && new RegExp(`\\b(?:class|record|interface) ${type}\\b`).test(file.text)
  )
}

/** The types of names in a file, because files compare the same ones again and again. */
const typesOf = new WeakMap<ParsedFile, Map<string, string | undefined>>()

function findDeclaredType(name: string, call: string, file: ParsedFile): string | undefined {
  const before = new RegExp(`([\\w<>?\\\\]+)\\s+\\$?${name}\\s*${call ? '[(,)]' : '[;=,){]'}`, 'g')
  const after = new RegExp(
    `(?<![\\w.])${name}${call ? '\\([^()]*\\)' : ''}\\s*:\\s*([\\w<>?]+)`,
    'g',
  )
  const found = [before, after]
    .flatMap((pattern) => [...file.text.slice(0, maxLength).matchAll(pattern)])
    .map(([, type]) => type!.replace(/\?$|^\?/, ''))
    .filter((type) => !notType.test(type))
  const [type, ...others] = new Set(found)
  return others.length === 0 ? type : undefined
}

const maxLength = 60_000

const notType =
  /^(?:return|new|val|var|let|const|final|case|else|throw|static|readonly|and|or|not|in|is)$/

/** The value type that both sides of a comparison have; data classes of Kotlin are value types. */
export function commonValueType(left: Node, right: Node, file: ParsedFile): string | undefined {
  const type = declaredTypeOf(left, file)
  if (!type || type !== declaredTypeOf(right, file)) return undefined
  const isData = () => new RegExp(`\\bdata class ${type}\\b`).test(file.text)
  return valueType.test(type) || (file.language === 'kotlin' && isData()) ? type : undefined
}

/** `permissions == Permission.Edit`, where the values of `Permission` are combined. */
export function checkFlagEquality(node: Node, file: ParsedFile): Hit | undefined {
  const [left, right] = [
    field(node, 'left') ?? node.namedChild(0),
    field(node, 'right') ?? node.namedChild(1),
  ]
  const operator = (field(node, 'operator') ?? node.child(1))?.type ?? ''
  return left && right && /^[=!]==?$/.test(operator)
    ? compareFlag(node, left, right, operator, file)
    : undefined
}

function compareFlag(
  node: Node,
  left: Node,
  right: Node,
  operator: string,
  file: ParsedFile,
): Hit | undefined {
  const [, owner, member] = /^(\w+)(?:\.|::)(\w+)$/.exec(right.text.slice(0, 80)) ?? []
  if (!owner || !member || left.text.includes('&') || !isFlag(owner, member, file)) return undefined
  return {
    at: firstLine(node),
    title: `${quoteCode(right.text)} is one of several flags, and this compares all of them`,
    body:
      `When ${quoteCode(left.text)} has another flag, too, this is ` +
      `${operator.startsWith('!') ? 'true' : 'false'}. Test the one with \`&\`.`,
  }
}

/** Whether a type is one of flags, the file combines them, and the member is a single one. */
function isFlag(owner: string, member: string, { text }: ParsedFile): boolean {
  const declared = new RegExp(
    `\\[Flags\\]\\s*(?:\\w+ )*enum ${owner}\\b|class ${owner}\\((?:enum\\.)?(?:Int)?Flag\\)|` +
      `enum ${owner} \\{[^}]*1 << 1|struct ${owner}: u\\d+`,
  )
  if (!declared.test(text) || /^(?:none|all|any|default|empty|zero)$/i.test(member)) return false
  const value = new RegExp(`\\b${member}\\s*=\\s*(0\\b|[^,;\\n]*\\|)?`).exec(text)
  const isCombined = new RegExp(`HasFlag\\(|[&|]=? ?${owner}\\b|${owner}(?:\\.|::)\\w+ ?\\|`).test(
    text,
  )
  return value !== null && value[1] === undefined && isCombined
}

/** How languages declare a type whose values aren't equal to their names. */
const enumTypes: Readonly<Record<string, (name: string) => string>> = {
  java: (name) => `\\benum ${name}\\b`,
  php: (name) => `\\benum ${name}\\b`,
  python: (name) => `\\bclass ${name}\\((?:enum\\.)?(?:Enum|IntEnum)\\):`,
}

/** `status === 'open'` and `status.equals("OPEN")`, where the status is an enum of the file. */
export function checkEnumText(node: Node, file: ParsedFile): Hit | undefined {
  const declares = enumTypes[file.language]
  if (!declares || !/\benum\b|\bEnum\b/.test(file.text)) return undefined
  const [value, other] = comparedSides(node)
  if (!value || !other) return undefined
  for (const [one, text] of [
    [value, other],
    [other, value],
  ] as const) {
    const type = memberOwner.exec(one.text)?.[1] ?? declaredTypeOf(one, file)
    const isText = isPlainString(text) || textRead.test(text.text.slice(0, 120))
    if (!type || !isText || !new RegExp(declares(type)).test(file.text)) continue
    return {
      at: firstLine(node),
      title: `${quoteCode(one.text)} is a ${quoteCode(type)}, which never equals a text`,
      body:
        `When ${quoteCode(text.text)} is the name or value of the same one, they still differ. ` +
        'Convert one of them.',
    }
  }
  return undefined
}

const memberOwner = /^([A-Z]\w*)(?:\.|::)[A-Z]\w*$/

/** An element of a parsed document or request. */
const textRead = /^[$\w.]*(?:\[["']\w+["']\]|\.get\(["']\w+["']\))$/

function comparedSides(node: Node): (Node | undefined)[] {
  if (/invocation/.test(node.type)) {
    const { args } = readCall(node)
    return fieldText(node, 'name') === 'equals' && args.length === 1
      ? [field(node, 'object'), args[0]]
      : []
  }
  if (!/ (?:[=!]==?) /.test(node.text.slice(0, 300)) || node.namedChildCount !== 2) return []
  return node.namedChildren.map((each) => (each ? unwrap(each) : undefined))
}
