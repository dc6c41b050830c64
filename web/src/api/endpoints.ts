// Types of requests and responses, by the name of the endpoint in the contract.
import type { addresses } from '../../../src/contract/addresses.ts'
import type { RequestInput, ResponseBody } from '../../../src/contract/endpoint.ts'
import type * as contract from '../../../src/contract/endpoints.ts'

export type EndpointName = keyof typeof addresses

export type RequestOf<Name extends EndpointName> = RequestInput<(typeof contract)[Name]>

export type ResponseOf<Name extends EndpointName> = ResponseBody<(typeof contract)[Name]>
