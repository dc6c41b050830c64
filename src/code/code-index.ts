// What a source file says by itself, as read from its syntax: the unit of which the code graph is made.
//
// Glossary
//   facts       all that is read from one file; they hang on its bytes alone and last as long as its blob
//   symbol      a definition that others can name: not what is local to a function
//   reference   a place that names something: a call, a type, a base class, a value passed on
//   binding     a name with the type that the file itself gives it (`const shop = new Shop()`, `shop: Shop`)
import type { DefinitionKind } from './outline.ts'

/** Raised when the same bytes come to other facts than before: what was read by an older version is read again. */
export const codeIndexVersion = 2

/** Lines are 1-based, both ends included. Indexes of symbols are into `symbols`; -1 stands for the file itself. */
export interface FileIndex {
  readonly lines: number
  /** Cyclomatic complexity (McCabe 1976): of its functions together, and 1 for the code outside of them. */
  readonly complexity: number
  /** What it says to be a part of: Go's and Java's package, C#'s and PHP's namespace (the first one); null elsewhere. */
  readonly namespace: string | null
  readonly symbols: readonly CodeSymbol[]
  readonly imports: readonly CodeImport[]
  readonly references: readonly CodeReference[]
  readonly bindings: readonly CodeBinding[]
  /** Some of it lies in syntax errors: there may be more than was read. */
  readonly incomplete: boolean
}

export interface CodeSymbol {
  readonly name: string
  readonly kind: DefinitionKind
  readonly startLine: number
  readonly endLine: number
  /** Of the symbol that it is defined in. Rust's impl blocks and methods outside of their class name their type in `owner`. */
  readonly within: number
  /** The type that it belongs to where that isn't the symbol around it (Go's receiver, `Class::method`, `impl Type`). */
  readonly owner: string | null
  /** Other files can name it. */
  readonly exported: boolean
  /** From its first word to where its body begins, on one line, at most 300 characters. */
  readonly signature: string
  /** Of functions and methods; 0 of others. */
  readonly complexity: number
  /** Null for what isn't called. `most` is null where any number is taken. A receiver such as Python's `self` isn't counted. */
  readonly parameters: { readonly least: number; readonly most: number | null } | null
  /** Names of base classes, interfaces, traits; as written, without type arguments. */
  readonly extends: readonly string[]
}

/** One import statement, or one name of it where each is an import of its own (Java, Rust's groups). */
export interface CodeImport {
  readonly line: number
  /**
   * As written: `./cart.js`, `@scope/pkg/part`, `os.path`, `..models`, `github.com/acme/shop/cart`, `com.acme.Cart`,
   * `crate::cart::Cart`, `cart/item.h`.
   */
  readonly from: string
  /** The names that it binds. `name` is what it is called over there: `*` for the whole, `default` for the default export. */
  readonly names: readonly { readonly name: string; readonly local: string }[]
  /**
   * `static` and `dynamic` bind names or nothing; `reexport` passes names on; `type` vanishes when compiled; `include` pastes
   * (C's local include; `system` the one in angle brackets); `all` binds every name over there (`import *`, `using`).
   */
  readonly kind: 'static' | 'dynamic' | 'reexport' | 'type' | 'include' | 'system' | 'all'
}

/** One place; of several on a line to the same name in the same role the first. */
export interface CodeReference {
  readonly name: string
  /** What stands before the name's full stop, arrow or colons: its last name (`this`, `self`, `shop` of `a.shop.buy()`); null for none. `''` for what is no name, as in `f().x()`. */
  readonly qualifier: string | null
  /** `new` makes one, `type` names it as a type, `extends` as a base, `value` passes it on or reads it. */
  readonly kind: 'call' | 'new' | 'type' | 'extends' | 'value'
  readonly line: number
  /** The symbol that it stands in. */
  readonly within: number
  /** Of a call, how many are passed; null where they are spread or it is no call. */
  readonly arguments: number | null
}

export interface CodeBinding {
  /** `()` stands for what the function that it is in returns, as it declares or shows; `?` is its type where that isn't one. */
  readonly name: string
  /**
   * As written, without type arguments, pointers, packages. What a call comes to is called like the call: `createShop()`,
   * `factory.createShop()`.
   */
  readonly type: string
  /** The function that it is local to, the class whose field it is, -1 for the file. */
  readonly within: number
}
