import type { User } from '#server/users/user.ts';
import { giveBackActs } from './give-back-acts.ts';
import { letterActs } from './letter-acts.ts';
import { moneyActs } from './money-acts.ts';
import type { OfficeAct } from './office-act.ts';
import { personActs } from './person-acts.ts';

/** All that people do about a registration, in the order in which its page offers it. */
export const officeActs: readonly OfficeAct[] = [...moneyActs, ...giveBackActs, ...letterActs, ...personActs];

/** Whether a user's role lets her do it. */
export function mayDo({ role }: User, act: Pick<OfficeAct, 'role'>): boolean {
  return act.role === undefined || act.role === role;
}
