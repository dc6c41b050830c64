// Serves the people who signed in: the list, changes of their rights, and their deletion.
import { type ListedPerson, listPeople } from '../accounts/people.ts'
import { maySignIn, operatorPlatform } from '../accounts/users.ts'
import type { ServiceContext } from '../context.ts'
import * as contract from '../contract/people-endpoints.ts'
import {
  changeAdministrator,
  requireAdministrator,
  requirePerson,
  signOutEverywhere,
} from '../workflows/people/change-people.ts'
import { deletePerson, nameAccount, planDeletion } from '../workflows/people/delete-person.ts'
import type { AddRoute } from './add-route.ts'

export function addPeopleRoutes(addRoute: AddRoute, ctx: ServiceContext): void {
  const { db, config, hosts } = ctx
  const platforms = hosts.all.map(({ platform }) => platform.id)

  addRoute(contract.listPeople, async ({ caller: { isAdmin, userId } }) => {
    const people = await listPeople(db, isAdmin ? { platforms } : { platforms, userId })
    const allowed = config.signInAllowed && [...config.signInAllowed]
    return {
      people: people.map((person) => describePerson(ctx, person)),
      signIn: isAdmin ? { allowed } : null,
    }
  })

  addRoute(contract.changePerson, async ({ caller, params: { id }, body }) => {
    await changeAdministrator(ctx, caller, { id, isAdmin: body.is_admin })
    return { id, isAdmin: body.is_admin }
  })

  addRoute(contract.signOutPerson, async ({ caller, params: { id } }) => ({
    id,
    revoked: await signOutEverywhere(ctx, caller, id),
  }))

  addRoute(contract.planPersonDeletion, async ({ caller, params: { id } }) => {
    requireAdministrator(caller)
    return { id, ...(await planDeletion(db, nameAccount(ctx, await requirePerson(db, id)))) }
  })

  addRoute(contract.deletePerson, async ({ caller, params: { id } }) => {
    requireAdministrator(caller)
    const person = nameAccount(ctx, await requirePerson(db, id))
    return { id, ...(await deletePerson(ctx, person, caller)) }
  })
}

function describePerson({ config }: ServiceContext, person: ListedPerson) {
  const { isAdmin, isFirst, grantedAt, grantedBy, platform } = person
  const isOperator = platform === operatorPlatform
  const reason = grantedAt === null && isFirst ? ('first_account' as const) : ('granted' as const)
  return {
    ...person,
    host: isOperator ? null : platform,
    maySignIn: !isOperator && maySignIn(config, person),
    adminReason: isAdmin ? reason : null,
    adminGrantedBy: isAdmin ? grantedBy : null,
    adminGrantedAt: isAdmin ? grantedAt : null,
  }
}
