// Types of API responses, derived from the schemas of the contract.

/** The type after JSON serialization: dates become strings. */
export type Jsonify<T> = T extends Date
  ? string
  : T extends readonly (infer Item)[]
    ? Jsonify<Item>[]
    : T extends object
      ? { [Key in keyof T]: Jsonify<T[Key]> }
      : T

export type SchemaOutput<Schema> = Schema extends {
  readonly _zod: { readonly output: infer Value }
}
  ? Value
  : never

/** The response body of an endpoint for a status, by default 200. */
export type ResponseBody<
  Endpoint extends { response: object },
  Status extends keyof Endpoint['response'] = 200 & keyof Endpoint['response'],
> = Jsonify<SchemaOutput<Endpoint['response'][Status]>>
