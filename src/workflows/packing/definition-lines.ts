// Recognizes definitions in single lines of source code.
import { extname } from 'node:path'

/** What a line defines; `strength` is how sure that is, from 1 to 3. */
export interface DefinedName {
  readonly name: string
  readonly strength: number
  /** It is defined inside of something, and used as a part of it. */
  readonly isMember: boolean
}

/** Languages that call into each other. */
const families = [
  '.js .jsx .mjs .cjs .ts .tsx .mts .cts .vue .svelte .astro',
  '.c .h .cc .cpp .cxx .hh .hpp .hxx .m .mm .cu',
  '.java .kt .kts .scala .groovy',
  '.py .pyi .pyx',
  '.php .inc',
]
const familyOfExtension = new Map(
  families.flatMap((list) => list.split(' ').map((extension) => [extension, list])),
)

/** Files of the same family can use each other's definitions. */
export function familyOf(path: string): string {
  const extension = extname(path).toLowerCase()
  return familyOfExtension.get(extension) ?? extension
}

const name = String.raw`([A-Za-z_$][\w$]*)`
const modifiers = String.raw`(?:(?:export|default|declare|pub(?:\([a-z]+\))?|public|private|protected|internal|static|final|abstract|sealed|async|inline|virtual|override|unsafe|extern|open|data|partial|readonly|const|constexpr|mut|local|suspend|unsigned)\s+)*`

interface Shape {
  readonly pattern: RegExp
  readonly strength: number
  readonly isMember?: boolean
}

/** From the surest to the least sure; the first that fits decides. */
const shapes: readonly Shape[] = [
  {
    pattern: new RegExp(
      String.raw`^\s*${modifiers}(?!(?:class|struct|enum)\s+\w+;)(?:class|interface|enum(?: class)?|trait|protocol|record|object|module|namespace|function\*?|fun|def|fn|type|macro_rules!)\s+(?:self\.)?${name}`,
    ),
    strength: 3,
  },
  { pattern: new RegExp(String.raw`^func\s+(?:\([^)]*\)\s*)?${name}\s*[[(]`), strength: 3 },
  { pattern: new RegExp(String.raw`^\s*#\s*define\s+${name}`), strength: 3 },
  // `struct a b;` and `struct a *b` only use it.
  {
    pattern: new RegExp(
      String.raw`^\s*${modifiers}(?:typedef\s+)?(?:struct|union|enum)\s+${name}\s*(?:[:{;]|$)`,
    ),
    strength: 3,
  },
  {
    pattern: new RegExp(String.raw`^(?:typedef\s.*[\s*]|\}\s*)${name}(?:\[\w*\])?\s*;`),
    strength: 3,
  },
  {
    pattern: new RegExp(
      String.raw`^(?:export\s+)?(?:const|let|var|val|static|final)\s+(?:mut\s+)?${name}\b`,
    ),
    strength: 3,
  },
  // A function of C at the beginning of a line: its type, its class, its name; weaker where it is
  // only declared.
  {
    pattern: new RegExp(
      String.raw`^(?!return|else|case|throw|delete|new|await|yield)[A-Za-z_][\w\s*&:<>,~]*?[\s*&:]${name}\s*\([^;]*$`,
    ),
    strength: 3,
  },
  {
    pattern: new RegExp(String.raw`^[A-Za-z_][\w\s*&:<>,()]*?[\s*&]${name}\s*\(.*\);\s*$`),
    strength: 2,
  },
  // A method: behind what only methods have before their names, or with a body behind it.
  {
    pattern: new RegExp(
      String.raw`^\s+(?:(?:public|private|protected|internal|static|override|abstract|virtual|async|get|set)\s+)+(?:[\w<>,.?[\]]+\s+)?(?:function\s+)?#?${name}\s*[(<]`,
    ),
    strength: 3,
  },
  {
    pattern: new RegExp(
      String.raw`^\s+(?!if|for|while|switch|catch|return|function|with)${name}(?:\s*\([^;]*\)[^;]*|:\s*(?:async\s*)?function.*)\{\s*$`,
    ),
    strength: 2,
    isMember: true,
  },
  { pattern: new RegExp(String.raw`^\s+${name}\s+(?:struct|interface)\s*\{`), strength: 3 },
  // These are constants of enumerations and of modules.
  {
    pattern: /^(?: {1,4}|\t\t?)([A-Z][A-Z0-9_]{2,})\s*(?:=[^=].*|\([^)]*\))?,?\s*(?:\/[/*].*)?$/,
    strength: 2,
    isMember: true,
  },
  { pattern: /^([A-Za-z_]\w*)\s*(?::[^=]+)?=[^=]/, strength: 2 },
  { pattern: /^\s*[\w$.]+\.([\w$]+) = (?:async |function|\()/, strength: 2, isMember: true },
]

/** Reads the name that a line defines. */
export function readDefinedName(text: string): DefinedName | undefined {
  const line = text.slice(0, 300)
  for (const { pattern, strength, isMember = false } of shapes) {
    const found = pattern.exec(line)
    if (found?.[1] !== undefined) return { name: found[1], strength, isMember }
  }
  return undefined
}
