// Types of what the syntax tree shows of functions and their calls.

export interface Parameter {
  readonly name: string
  /** How it can be passed; `rest` and `namedRest` take any number. */
  readonly by: 'either' | 'position' | 'name' | 'rest' | 'namedRest'
  readonly isRequired: boolean
  /** A keyword that C# requires in the call too. */
  readonly mark: '' | 'ref' | 'out'
}

export interface Argument {
  /** Of one that is passed by name. */
  readonly name: string | null
  readonly text: string
}

/** The functions and calls of a file that have one of the wanted names. */
export interface Shapes {
  readonly definitions: readonly {
    readonly name: string
    /** Has the list of the parameters without spaces. */
    readonly text: string
    /** Without the object that it is called on; null if one has no name. */
    readonly parameters: readonly Parameter[] | null
  }[]
  readonly calls: readonly {
    readonly name: string
    /** 1-based, of the name. */
    readonly line: number
    readonly arguments: readonly Argument[]
  }[]
}
