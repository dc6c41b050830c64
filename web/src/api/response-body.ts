// What the contract's schemas look like once they came as JSON.

/** As JSON carries it: points in time are texts. */
export type Jsonify<T> = T extends Date
  ? string
  : T extends readonly (infer Item)[]
    ? Jsonify<Item>[]
    : T extends object
      ? { [Key in keyof T]: Jsonify<T[Key]> }
      : T

/** What a schema lets out. */
export type SchemaOutput<Schema> = Schema extends {
  readonly _zod: { readonly output: infer Value }
}
  ? Value
  : never

/** The answer of an endpoint of the contract, by its status; 200 unless told otherwise. */
export type ResponseBody<
  Endpoint extends { response: object },
  Status extends keyof Endpoint['response'] = 200 & keyof Endpoint['response'],
> = Jsonify<SchemaOutput<Endpoint['response'][Status]>>
